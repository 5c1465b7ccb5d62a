package calendar;

/** The months of the Gregorian calendar, with their lengths in a common year. */
public enum Month {
    JANUARY(31),
    FEBRUARY(28),
    MARCH(31),
    APRIL(30),
    MAY(31),
    JUNE(30),
    JULY(31),
    AUGUST(31),
    SEPTEMBER(30),
    OCTOBER(31),
    NOVEMBER(30),
    DECEMBER(31);

    private final int commonLength;

    Month(int commonLength) {
        this.commonLength = commonLength;
    }

    /** Number of days of this month in a year that is not a leap year. */
    public int commonLength() {
        return commonLength;
    }

    /** Number of this month, 1 for January to 12 for December. */
    public int number() {
        return ordinal() + 1;
    }
}
