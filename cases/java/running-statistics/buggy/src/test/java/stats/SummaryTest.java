package stats;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class SummaryTest {
    private static final double EPS = 1e-9;

    @Test
    public void emptySummary() {
        Summary summary = new Summary();
        assertEquals(0, summary.count());
        assertTrue(Double.isNaN(summary.mean()));
        assertTrue(Double.isNaN(summary.variance()));
        assertTrue(summary.min() > summary.max());
    }

    @Test
    public void oneNumberHasNoVariance() {
        Summary summary = Summary.of(4);
        assertEquals(4, summary.mean(), EPS);
        assertTrue(Double.isNaN(summary.standardDeviation()));
    }

    @Test
    public void meanAndVariance() {
        Summary summary = Summary.of(2, 4, 4, 4, 5, 5, 7, 9);
        assertEquals(5, summary.mean(), EPS);
        assertEquals(32.0 / 7, summary.variance(), EPS);
        assertEquals(2, summary.min(), 0);
        assertEquals(9, summary.max(), 0);
    }

    @Test
    public void largeOffsetKeepsTheVariance() {
        assertEquals(30, Summary.of(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16).variance(), EPS);
    }

    @Test
    public void mergeAddsCountsAndExtremes() {
        Summary summary = Summary.of(1, 2);
        summary.merge(Summary.of(-7, 11, 3));
        assertEquals(5, summary.count());
        assertEquals(2, summary.mean(), EPS);
        assertEquals(-7, summary.min(), 0);
        assertEquals(11, summary.max(), 0);
    }

    @Test
    public void mergeOfEqualMeans() {
        Summary summary = Summary.of(1, 3);
        summary.merge(Summary.of(0, 4));
        assertEquals(10.0 / 3, summary.variance(), EPS);
    }

    @Test
    public void mergeWithEmpty() {
        Summary summary = Summary.of(1, 3);
        summary.merge(new Summary());
        assertEquals(2, summary.variance(), EPS);
    }

    @Test
    public void mergeIntoEmpty() {
        Summary summary = new Summary();
        summary.merge(Summary.of(6, 8));
        assertEquals(7, summary.mean(), EPS);
        assertEquals(2, summary.variance(), EPS);
    }

    @Test
    public void mergeOfSingleNumbers() {
        Summary summary = Summary.of(1);
        summary.merge(Summary.of(5));
        assertEquals(8, summary.variance(), EPS);
        assertEquals(Math.sqrt(8), summary.standardDeviation(), EPS);
    }

    @Test(expected = IllegalArgumentException.class)
    public void mergeWithItselfIsRejected() {
        Summary summary = Summary.of(1, 2);
        summary.merge(summary);
    }

    @Test(expected = IllegalArgumentException.class)
    public void nanIsRejected() {
        new Summary().add(Double.NaN);
    }

    @Test
    public void groups() {
        Grouped grouped = new Grouped();
        grouped.add("left", 1, 2, 3);
        grouped.add("right", 2);
        assertEquals(1, grouped.group("left").variance(), EPS);
        assertEquals(0, grouped.group("middle").count());
        assertEquals(4, grouped.total().count());
        assertEquals(2, grouped.total().mean(), EPS);
    }
}
