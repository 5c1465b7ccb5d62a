package collect.sorted;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.NoSuchElementException;
import org.junit.Test;

public class SortedBagTest {
    private final SortedBag<String> bag = new SortedBag<String>().add("pear", "fig", "plum");

    @Test
    public void elementsAreSorted() {
        assertEquals(Arrays.asList("fig", "pear", "plum"), bag.toList());
        assertEquals("fig", bag.first());
    }

    @Test
    public void removesOneElement() {
        assertTrue(bag.remove("pear"));
        assertFalse(bag.remove("pear"));
        assertFalse(bag.remove("zucchini"));
        assertEquals(Arrays.asList("fig", "plum"), bag.toList());
    }

    @Test
    public void belowIsExclusive() {
        assertEquals(Collections.singletonList("fig"), bag.below("pear"));
        assertEquals(Collections.emptyList(), bag.below("apple"));
    }

    @Test
    public void countsTwins() {
        bag.add("fig");
        assertEquals(2, bag.count("fig"));
    }

    @Test(expected = NoSuchElementException.class)
    public void emptyBagHasNoFirst() {
        new SortedBag<Integer>().first();
    }
}
