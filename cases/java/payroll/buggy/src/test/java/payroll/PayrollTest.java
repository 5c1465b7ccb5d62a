package payroll;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PayrollTest {
    private static final TaxTable FIFTH = gross -> new BigDecimal("0.2");

    private static HourlyEmployee hourly(String... weeks) {
        return add(new HourlyEmployee("Ann", "20.00"), weeks);
    }

    private static HourlyEmployee add(HourlyEmployee employee, String... weeks) {
        for (String week : weeks) {
            employee.week(week);
        }
        return employee;
    }

    private static void assertGross(String expected, Employee employee) {
        assertEquals(new BigDecimal(expected), employee.gross());
    }

    @Test
    void salary() {
        Employee employee = new SalariedEmployee("Bob", "4150");
        assertGross("4150.00", employee);
        assertEquals(new BigDecimal("3320.00"), employee.net(FIFTH));
        assertEquals("Bob", employee.name());
    }

    @Test
    void noWeeksNoPay() {
        assertGross("0.00", hourly());
    }

    @Test
    void fullWeek() {
        assertGross("800.00", hourly("40"));
    }

    @Test
    void shortWeeks() {
        assertGross("1400.00", hourly("35", "35"));
    }

    @Test
    void oneLongWeek() {
        assertGross("950.00", hourly("45"));
    }

    @Test
    void longWeeksOnly() {
        assertGross("1900.00", hourly("45", "45"));
    }

    @Test
    @Tag("overtime")
    void shortWeekDoesNotMakeUpForLongOne() {
        assertGross("1700.00", hourly("50", "30"));
    }

    @Test
    @Tag("overtime")
    void longWeekBehindFullOne() {
        assertGross("1950.00", hourly("40", "45").week("10"));
    }

    @Test
    void parts() {
        assertAll(
                () -> assertEquals(0, BigDecimal.valueOf(5).compareTo(hourly("45").overtime())),
                () -> assertEquals(0, BigDecimal.valueOf(75).compareTo(hourly("40", "35").hours())));
    }

    @Test
    void fractionsOfHours() {
        assertGross("765.00", hourly("38.25"));
    }

    @Test
    void centsAreRoundedHalfUp() {
        assertGross("0.01", new HourlyEmployee("Eve", "0.01").week("0.5"));
    }

    @Test
    void nightWorker() {
        assertGross("1000.00", add(new NightWorker("Cy", "20.00"), "40"));
    }

    @Test
    void nonsenseIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> hourly("-1"));
        assertThrows(IllegalArgumentException.class, () -> hourly("169"));
        assertThrows(NumberFormatException.class, () -> hourly("many"));
        assertThrows(IllegalArgumentException.class, () -> new SalariedEmployee("Bob", "-1"));
    }

    @Test
    @Disabled("waits for the rules of next year")
    void holidayPay() {
        assertGross("1000.00", hourly("0"));
    }
}
