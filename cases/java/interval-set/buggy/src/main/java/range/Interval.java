package range;

/** The whole numbers from one to another, both included. */
public final class Interval {
    private final int from;
    private final int to;

    /**
     * @throws IllegalArgumentException if the first number is greater than the last
     */
    public Interval(int from, int to) {
        if (from > to) {
            throw new IllegalArgumentException("from " + from + " to " + to);
        }
        this.from = from;
        this.to = to;
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    /** Returns how many numbers there are. */
    public long size() {
        return (long) to - from + 1;
    }

    public boolean contains(int number) {
        return from <= number && number <= to;
    }

    /** Tells whether all numbers of this interval are less than those of another, with a gap. */
    boolean isApartBefore(Interval other) {
        return (long) to + 1 < other.from;
    }

    /** The least interval that contains this one and another. */
    Interval hull(Interval other) {
        return new Interval(Math.min(from, other.from), Math.max(to, other.to));
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Interval && ((Interval) object).from == from && ((Interval) object).to == to;
    }

    @Override
    public int hashCode() {
        return 31 * from + to;
    }

    @Override
    public String toString() {
        return from == to ? Integer.toString(from) : from + ".." + to;
    }
}
