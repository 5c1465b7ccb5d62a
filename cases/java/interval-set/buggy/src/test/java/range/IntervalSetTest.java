package range;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class IntervalSetTest {
    private final IntervalSet set = new IntervalSet();

    private void add(int from, int to) {
        set.add(new Interval(from, to));
    }

    @Test
    public void emptySet() {
        assertEquals("", set.toString());
        assertEquals(0, set.size());
        assertFalse(set.contains(0));
    }

    @Test
    public void singleInterval() {
        add(3, 5);
        assertEquals("3..5", set.toString());
        assertEquals(3, set.size());
        assertTrue(set.contains(3));
        assertTrue(set.contains(5));
        assertFalse(set.contains(6));
    }

    @Test
    public void intervalsAreSorted() {
        add(20, 22);
        add(1, 2);
        add(10, 10);
        assertEquals("1..2, 10, 20..22", set.toString());
    }

    @Test
    public void overlapIsMerged() {
        add(1, 5);
        add(4, 8);
        assertEquals("1..8", set.toString());
    }

    @Test
    public void neighboursAreMerged() {
        add(1, 3);
        add(4, 5);
        assertEquals("1..5", set.toString());
    }

    @Test
    public void containedIntervalChangesNothing() {
        add(1, 9);
        add(3, 4);
        assertEquals("1..9", set.toString());
        assertEquals(9, set.size());
    }

    @Test
    public void largeIntervalTakesInSmallOnes() {
        add(2, 3);
        add(6, 7);
        add(1, 10);
        assertEquals("1..10", set.toString());
        assertEquals(10, set.size());
    }

    @Test
    public void removeSplits() {
        add(1, 9);
        set.remove(new Interval(4, 5));
        assertEquals("1..3, 6..9", set.toString());
    }

    @Test
    public void removeAcrossIntervals() {
        add(1, 3);
        add(10, 12);
        add(20, 22);
        set.remove(new Interval(2, 20));
        assertEquals("1, 21..22", set.toString());
    }

    @Test
    public void equality() {
        add(1, 4);
        assertEquals(IntervalSet.of(new Interval(3, 4), new Interval(1, 2)), set);
        assertEquals(set.hashCode(), IntervalSet.of(new Interval(1, 4)).hashCode());
        assertNotEquals(IntervalSet.of(new Interval(1, 3)), set);
    }

    @Test
    public void extremeNumbers() {
        add(Integer.MIN_VALUE, Integer.MAX_VALUE);
        assertEquals(1L << 32, set.size());
        set.remove(new Interval(Integer.MIN_VALUE, Integer.MAX_VALUE));
        assertEquals(0, set.size());
    }

    @Test(expected = IllegalArgumentException.class)
    public void reversedIntervalIsRejected() {
        new Interval(2, 1);
    }
}
