package calendar;

/**
 * Arithmetic of the Gregorian calendar.
 *
 * <p>All methods take years from 1 to 9999 and follow the Gregorian rules for all of them, also for
 * the years before 1582. Years outside of that range are rejected with an
 * {@link IllegalArgumentException}.
 */
public final class Gregorian {
    private static final int FIRST_YEAR = 1;
    private static final int LAST_YEAR = 9999;

    private Gregorian() {
    }

    /**
     * Tells whether a year has 366 days. Every year divisible by 4 is a leap year, except the
     * centuries, of which only those divisible by 400 are.
     *
     * @param year the year, from 1 to 9999
     * @throws IllegalArgumentException if the year is out of range
     */
    public static boolean isLeapYear(int year) {
        checkYear(year);
        return year % 4 == 0;
    }

    /**
     * Returns the number of days in a month of a year.
     *
     * @param year the year, from 1 to 9999
     * @param month the month, not null
     * @throws IllegalArgumentException if the year is out of range
     */
    public static int daysInMonth(int year, Month month) {
        checkYear(year);
        if (month == Month.FEBRUARY && isLeapYear(year)) {
            return 29;
        }
        return month.commonLength();
    }

    /**
     * Returns the number of days in a year: 365 or 366.
     *
     * @throws IllegalArgumentException if the year is out of range
     */
    public static int daysInYear(int year) {
        return isLeapYear(year) ? 366 : 365;
    }

    /**
     * Returns the position of a day in its year: 1 for 1 January, 365 or 366 for 31 December.
     *
     * @throws IllegalArgumentException if the year is out of range or the month has no such day
     */
    public static int dayOfYear(int year, Month month, int day) {
        checkDay(year, month, day);
        int result = day;
        for (Month earlier : Month.values()) {
            if (earlier == month) {
                break;
            }
            result += daysInMonth(year, earlier);
        }
        return result;
    }

    /**
     * Returns the number of days from 1 January of the year 1 to the given day, both included.
     *
     * @throws IllegalArgumentException if the year is out of range or the month has no such day
     */
    public static int dayNumber(int year, Month month, int day) {
        int result = dayOfYear(year, month, day);
        for (int y = FIRST_YEAR; y < year; y++) {
            result += daysInYear(y);
        }
        return result;
    }

    private static void checkYear(int year) {
        if (year < FIRST_YEAR || year > LAST_YEAR) {
            throw new IllegalArgumentException("year out of range: " + year);
        }
    }

    private static void checkDay(int year, Month month, int day) {
        if (day < 1 || day > daysInMonth(year, month)) {
            throw new IllegalArgumentException("no such day: " + year + " " + month + " " + day);
        }
    }
}
