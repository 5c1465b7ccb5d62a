package cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A cache of limited size that evicts the least recently used entry when it is full.
 *
 * <p>An entry is used when it is put, also when its key was there before, and when it is got. To peek
 * is not to use. Hits and misses count the calls of {@link #get} only. Keys and values are never
 * null; which of several equal keys is kept is left open. Not safe for use by several threads.
 */
public final class LruCache<K, V> {
    private final Map<K, Node<K, V>> index = new HashMap<>();
    private final EvictionListener<? super K, ? super V> listener;
    /** Sentinel of a ring: {@code next} is the least recently used, {@code previous} the most. */
    private final Node<K, V> ring = new Node<>(null, null);
    private int capacity;
    private int hits;
    private int misses;

    /**
     * @param capacity the greatest number of entries, at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public LruCache(int capacity) {
        this(capacity, (key, value) -> { });
    }

    /**
     * @param capacity the greatest number of entries, at least 1
     * @param listener is told of each eviction, not null
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public LruCache(int capacity, EvictionListener<? super K, ? super V> listener) {
        this.capacity = checked(capacity);
        this.listener = Objects.requireNonNull(listener);
    }

    /** Returns the value of a key and uses it; null if the cache does not have it. */
    public V get(K key) {
        Node<K, V> node = index.get(key);
        if (node == null) {
            misses++;
            return null;
        }
        hits++;
        use(node);
        return node.value;
    }

    /** Returns the value of a key without using it; null if the cache does not have it. */
    public V peek(K key) {
        Node<K, V> node = index.get(key);
        return node == null ? null : node.value;
    }

    /**
     * Puts an entry, which is then the most recently used one. If the key is new and the cache is
     * full, the least recently used entry is evicted.
     *
     * @return the value that the key had before, or null
     * @throws NullPointerException if key or value are null
     */
    public V put(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        Node<K, V> node = index.get(key);
        if (node != null) {
            V before = node.value;
            node.value = value;
            return before;
        }
        makeRoom(capacity - 1);
        Node<K, V> added = new Node<>(key, value);
        index.put(key, added);
        added.linkBefore(ring);
        return null;
    }

    /** Removes an entry and returns its value; null if the cache does not have it. */
    public V remove(K key) {
        Node<K, V> node = index.remove(key);
        if (node == null) {
            return null;
        }
        node.unlink();
        return node.value;
    }

    /**
     * Changes the capacity; evicts the least recently used entries until the rest fits.
     *
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public void resize(int newCapacity) {
        capacity = checked(newCapacity);
        makeRoom(capacity);
    }

    /** Returns the number of entries. */
    public int size() {
        return index.size();
    }

    /** Returns the keys, the least recently used first. */
    public List<K> keys() {
        List<K> keys = new ArrayList<>(index.size());
        for (Node<K, V> node = ring.next; node != ring; node = node.next) {
            keys.add(node.key);
        }
        return keys;
    }

    /** Returns how often {@link #get} found its key. */
    public int hits() {
        return hits;
    }

    /** Returns how often {@link #get} did not find its key. */
    public int misses() {
        return misses;
    }

    private void use(Node<K, V> node) {
        node.unlink();
        node.linkBefore(ring);
    }

    private void makeRoom(int atMost) {
        while (index.size() > atMost) {
            Node<K, V> oldest = ring.next;
            remove(oldest.key);
            listener.evicted(oldest.key, oldest.value);
        }
    }

    private static int checked(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be positive: " + capacity);
        }
        return capacity;
    }

    /** A link of the ring; one that is not linked points to itself. */
    private static final class Node<K, V> {
        private final K key;
        private V value;
        private Node<K, V> previous = this;
        private Node<K, V> next = this;

        Node(K key, V value) {
            this.key = key;
            this.value = value;
        }

        void unlink() {
            previous.next = next;
            next.previous = previous;
            previous = this;
            next = this;
        }

        void linkBefore(Node<K, V> successor) {
            previous = successor.previous;
            next = successor;
            previous.next = this;
            next.previous = this;
        }
    }
}
