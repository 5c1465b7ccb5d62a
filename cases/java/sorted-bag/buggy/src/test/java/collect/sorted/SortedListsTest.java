package collect.sorted;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class SortedListsTest {
    private static final List<Integer> ODD = Arrays.asList(1, 3, 5, 7, 9);

    @Test
    public void lowerBoundOfPresentValue() {
        for (int i = 0; i < ODD.size(); i++) {
            assertEquals(i, SortedLists.lowerBound(ODD, ODD.get(i)));
        }
    }

    @Test
    public void lowerBoundOfAbsentValue() {
        assertEquals(0, SortedLists.lowerBound(ODD, 0));
        assertEquals(2, SortedLists.lowerBound(ODD, 4));
        assertEquals(5, SortedLists.lowerBound(ODD, 10));
    }

    @Test
    public void lowerBoundOfEmptyListIsZero() {
        assertEquals(0, SortedLists.lowerBound(Collections.<String>emptyList(), "x"));
    }

    @Test
    public void lowerBoundByKey() {
        List<String> byLength = Arrays.asList("a", "bb", "dddd");
        assertEquals(2, SortedLists.lowerBoundBy(byLength, 3, String::length));
        assertEquals(1, SortedLists.lowerBoundBy(byLength, 2, String::length));
    }

    @Test
    public void upperBoundIsBehindEqualElements() {
        assertEquals(3, SortedLists.upperBound(Arrays.asList(2, 2, 2, 5), 2));
        assertEquals(0, SortedLists.upperBound(ODD, 0));
        assertEquals(5, SortedLists.upperBound(ODD, 9));
    }

    @Test
    public void countOfSingleAndAbsentElements() {
        assertEquals(1, SortedLists.count(ODD, 5));
        assertEquals(0, SortedLists.count(ODD, 6));
    }

    @Test
    public void countsEqualElements() {
        assertEquals(2, SortedLists.count(Arrays.asList("alpha", "alpha", "beta"), "alpha"));
    }

    @Test
    public void mergesAnyNumberOfLists() {
        assertEquals(Collections.emptyList(), SortedLists.<Integer>merge());
        assertEquals(
                Arrays.asList(1, 2, 2, 3, 5, 7, 8, 9),
                SortedLists.merge(ODD, Arrays.asList(2, 8), Collections.singletonList(2)));
    }

    @Test
    public void mergesWithEmptyLists() {
        assertEquals(ODD, SortedLists.merge(Collections.<Integer>emptyList(), ODD));
        assertEquals(ODD, SortedLists.merge(ODD, Collections.<Integer>emptyList()));
    }
}
