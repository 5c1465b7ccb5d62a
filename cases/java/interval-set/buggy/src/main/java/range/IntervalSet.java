package range;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A set of whole numbers, kept as intervals.
 *
 * <p>The intervals are in ascending order and as few as possible: they neither overlap nor touch. So
 * 1..3 and 4..5 become 1..5. Two sets are equal if they have the same numbers.
 */
public final class IntervalSet {
    private final List<Interval> intervals = new ArrayList<>();

    /**
     * Creates a set from intervals, in any order, which may overlap.
     *
     * @param intervals none of them null
     */
    public static IntervalSet of(Interval... intervals) {
        IntervalSet set = new IntervalSet();
        for (Interval interval : intervals) {
            set.add(interval);
        }
        return set;
    }

    /** Adds all numbers of an interval, not null. */
    public void add(Interval added) {
        int index = 0;
        while (index < intervals.size() && intervals.get(index).isApartBefore(added)) {
            index++;
        }
        Interval merged = added;
        if (index < intervals.size() && !merged.isApartBefore(intervals.get(index))) {
            merged = merged.hull(intervals.remove(index));
        }
        intervals.add(index, merged);
    }

    /** Removes all numbers of an interval, not null. */
    public void remove(Interval removed) {
        List<Interval> rest = new ArrayList<>();
        for (Interval interval : intervals) {
            if (interval.to() < removed.from() || interval.from() > removed.to()) {
                rest.add(interval);
                continue;
            }
            if (interval.from() < removed.from()) {
                rest.add(new Interval(interval.from(), removed.from() - 1));
            }
            if (interval.to() > removed.to()) {
                rest.add(new Interval(removed.to() + 1, interval.to()));
            }
        }
        intervals.clear();
        intervals.addAll(rest);
    }

    /** Tells whether a number is in the set. */
    public boolean contains(int number) {
        for (Interval interval : intervals) {
            if (interval.contains(number)) {
                return true;
            }
        }
        return false;
    }

    /** Returns how many numbers the set has. */
    public long size() {
        long size = 0;
        for (Interval interval : intervals) {
            size += interval.size();
        }
        return size;
    }

    /** Returns the intervals in ascending order, not modifiable. */
    public List<Interval> intervals() {
        return Collections.unmodifiableList(intervals);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof IntervalSet && ((IntervalSet) object).intervals.equals(intervals);
    }

    @Override
    public int hashCode() {
        return intervals.hashCode();
    }

    /** Returns the intervals with commas between them, such as "1..3, 7". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Interval interval : intervals) {
            text.append(text.length() == 0 ? "" : ", ").append(interval);
        }
        return text.toString();
    }
}
