package cache;

/** Is told what a cache throws out to make room. */
public interface EvictionListener<K, V> {
    /** Called after an entry was evicted; not called for entries that are removed or replaced. */
    void evicted(K key, V value);
}
