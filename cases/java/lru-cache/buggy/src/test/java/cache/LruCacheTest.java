package cache;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

public class LruCacheTest {
    private final List<String> evicted = new ArrayList<>();
    private LruCache<String, Integer> cache;

    @Before
    public void cacheOfTwo() {
        cache = new LruCache<>(2, (key, value) -> evicted.add(key + "=" + value));
    }

    @Test
    public void emptyCacheHasNothing() {
        assertNull(cache.get("a"));
        assertEquals(0, cache.size());
        assertEquals(1, cache.misses());
    }

    @Test
    public void getReturnsWhatWasPut() {
        assertNull(cache.put("a", 1));
        assertEquals(Integer.valueOf(1), cache.get("a"));
        assertEquals(1, cache.hits());
    }

    @Test
    public void putReturnsThePreviousValue() {
        cache.put("a", 1);
        assertEquals(Integer.valueOf(1), cache.put("a", 2));
        assertEquals(Integer.valueOf(2), cache.peek("a"));
        assertEquals(1, cache.size());
    }

    @Test
    public void oldestIsEvicted() {
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("c", 3);
        assertNull(cache.peek("a"));
        assertEquals(Collections.singletonList("a=1"), evicted);
    }

    @Test
    public void getProtectsFromEviction() {
        cache.put("a", 1);
        cache.put("b", 2);
        cache.get("a");
        cache.put("c", 3);
        assertEquals(Arrays.asList("a", "c"), cache.keys());
    }

    @Test
    public void peekDoesNotProtect() {
        cache.put("a", 1);
        cache.put("b", 2);
        cache.peek("a");
        cache.put("c", 3);
        assertEquals(Arrays.asList("b", "c"), cache.keys());
        assertEquals(0, cache.hits());
    }

    @Test
    public void updateProtectsFromEviction() {
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("a", 10);
        cache.put("c", 3);
        assertNull(cache.peek("b"));
        assertEquals(Integer.valueOf(10), cache.peek("a"));
        assertEquals(Collections.singletonList("b=2"), evicted);
    }

    @Test
    public void removedEntryIsNotEvicted() {
        cache.put("a", 1);
        assertEquals(Integer.valueOf(1), cache.remove("a"));
        assertNull(cache.remove("a"));
        cache.put("b", 2);
        cache.put("c", 3);
        assertEquals(Collections.emptyList(), evicted);
    }

    @Test
    public void shrinkingEvictsTheOldest() {
        cache.resize(3);
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("c", 3);
        cache.resize(1);
        assertEquals(Arrays.asList("a=1", "b=2"), evicted);
        assertEquals(Collections.singletonList("c"), cache.keys());
    }

    @Test(expected = NullPointerException.class)
    public void nullValueIsRejected() {
        cache.put("a", null);
    }

    @Test(expected = IllegalArgumentException.class)
    public void capacityMustBePositive() {
        new LruCache<String, String>(0);
    }
}
