package calendar;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import org.junit.Test;

public class GregorianTest {
    @Test
    public void yearDivisibleByFourIsLeapYear() {
        assertTrue(Gregorian.isLeapYear(1996));
        assertTrue(Gregorian.isLeapYear(2024));
    }

    @Test
    public void otherYearsAreCommon() {
        assertFalse(Gregorian.isLeapYear(2023));
        assertFalse(Gregorian.isLeapYear(1999));
    }

    @Test
    public void millenniumIsLeapYear() {
        assertTrue(Gregorian.isLeapYear(2000));
        assertEquals(366, Gregorian.daysInYear(2000));
    }

    @Test
    public void februaryOfCenturyHas28Days() {
        assertEquals(28, Gregorian.daysInMonth(1900, Month.FEBRUARY));
    }

    @Test
    public void februaryOfLeapYearHas29Days() {
        assertEquals(29, Gregorian.daysInMonth(2024, Month.FEBRUARY));
        assertEquals(28, Gregorian.daysInMonth(2023, Month.FEBRUARY));
    }

    @Test
    public void otherMonthsDoNotDependOnTheYear() {
        assertEquals(31, Gregorian.daysInMonth(1900, Month.JANUARY));
        assertEquals(30, Gregorian.daysInMonth(2024, Month.APRIL));
        assertEquals(31, Gregorian.daysInMonth(2023, Month.DECEMBER));
    }

    @Test
    public void firstOfMarch1900IsDay60() {
        assertEquals(60, Gregorian.dayOfYear(1900, Month.MARCH, 1));
    }

    @Test
    public void lastDayOfYear() {
        assertEquals(365, Gregorian.dayOfYear(2023, Month.DECEMBER, 31));
        assertEquals(366, Gregorian.dayOfYear(2024, Month.DECEMBER, 31));
    }

    @Test
    public void dayNumberBeginsWithTheYearOne() {
        assertEquals(1, Gregorian.dayNumber(1, Month.JANUARY, 1));
        assertEquals(366, Gregorian.dayNumber(2, Month.JANUARY, 1));
    }

    @Test
    public void yearOutOfRangeIsRejected() {
        try {
            Gregorian.isLeapYear(0);
            fail();
        } catch (IllegalArgumentException expected) {
            // as documented
        }
    }

    @Test(expected = IllegalArgumentException.class)
    public void thirtiethOfFebruaryIsRejected() {
        Gregorian.dayOfYear(2024, Month.FEBRUARY, 30);
    }

    @Test
    public void monthsAreNumberedFromOne() {
        assertEquals(1, Month.JANUARY.number());
        assertEquals(12, Month.DECEMBER.number());
    }
}
