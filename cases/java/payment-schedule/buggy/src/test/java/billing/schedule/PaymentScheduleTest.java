package billing.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PaymentScheduleTest {
    private static PaymentSchedule schedule(String first, Recurrence recurrence, int count) {
        return new PaymentSchedule(LocalDate.parse(first), recurrence, count);
    }

    private static List<LocalDate> dates(String... texts) {
        return Stream.of(texts).map(LocalDate::parse).collect(Collectors.toList());
    }

    @ParameterizedTest
    @EnumSource(Recurrence.class)
    void firstPaymentIsOnTheFirstDate(Recurrence recurrence) {
        assertEquals(dates("2023-05-17"), schedule("2023-05-17", recurrence, 1).dates());
    }

    @ParameterizedTest
    @CsvSource({
        "WEEKLY, 2023-01-10, 2023-01-24",
        "MONTHLY, 2023-01-10, 2023-03-10",
        "QUARTERLY, 2023-01-10, 2023-07-10",
        "YEARLY, 2023-01-10, 2025-01-10",
        "MONTHLY, 2022-11-10, 2023-01-10",
    })
    void thirdPayment(Recurrence recurrence, LocalDate first, LocalDate third) {
        assertEquals(third, new PaymentSchedule(first, recurrence, 3).last());
    }

    @Test
    void weeksCrossMonths() {
        assertEquals(
                dates("2023-02-20", "2023-02-27", "2023-03-06"),
                schedule("2023-02-20", Recurrence.WEEKLY, 3).dates());
    }

    @Test
    void shortMonthIsPaidOnItsLastDay() {
        assertEquals(
                dates("2023-01-31", "2023-02-28"),
                schedule("2023-01-31", Recurrence.MONTHLY, 2).dates());
    }

    @Test
    void monthAfterShortMonthIsPaidOnTheOldDay() {
        assertEquals(
                dates("2023-01-31", "2023-02-28", "2023-03-31"),
                schedule("2023-01-31", Recurrence.MONTHLY, 3).dates());
    }

    @Test
    void leapDay() {
        assertEquals(
                Arrays.asList(LocalDate.of(2024, 2, 29), LocalDate.of(2025, 2, 28)),
                schedule("2024-02-29", Recurrence.YEARLY, 2).dates());
    }

    @Test
    void nextAfter() {
        PaymentSchedule schedule = schedule("2023-01-15", Recurrence.MONTHLY, 3);
        assertEquals(Optional.of(LocalDate.of(2023, 1, 15)), schedule.nextAfter(LocalDate.of(2022, 1, 1)));
        assertEquals(Optional.of(LocalDate.of(2023, 2, 15)), schedule.nextAfter(LocalDate.of(2023, 1, 15)));
        assertEquals(Optional.empty(), schedule.nextAfter(LocalDate.of(2023, 3, 15)));
    }

    @Test
    void isDue() {
        PaymentSchedule schedule = schedule("2023-01-15", Recurrence.QUARTERLY, 2);
        assertTrue(schedule.isDue(LocalDate.of(2023, 4, 15)));
        assertFalse(schedule.isDue(LocalDate.of(2023, 2, 15)));
        assertFalse(schedule.isDue(LocalDate.of(2023, 7, 15)));
    }

    @Test
    void iteratorEnds() {
        Iterator<LocalDate> iterator = schedule("2023-01-01", Recurrence.WEEKLY, 1).iterator();
        iterator.next();
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    @Test
    void countMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> schedule("2023-01-01", Recurrence.WEEKLY, 0));
        assertEquals(4, schedule("2023-01-01", Recurrence.WEEKLY, 4).count());
        assertEquals(Collections.nCopies(1, LocalDate.of(2023, 1, 1)), schedule("2023-01-01", Recurrence.WEEKLY, 1).dates());
    }
}
