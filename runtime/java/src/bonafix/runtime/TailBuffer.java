package bonafix.runtime;

import java.util.Arrays;

/** The last bytes of an output of any length, in bounded memory. */
final class TailBuffer {
    private static final int FIRST_ALLOCATION = 256;

    private final int capacity;
    private byte[] ring = new byte[0];
    /** How many bytes ever came; the next one goes to {@code total % capacity} once the ring has grown to its capacity. */
    private long total;

    TailBuffer(int capacity) {
        this.capacity = capacity;
    }

    synchronized void append(byte[] bytes, int offset, int length) {
        int skipped = Math.max(0, length - capacity);
        total += skipped;
        int rest = length - skipped;
        grow(rest);
        int from = offset + skipped;
        while (rest > 0) {
            int position = (int) (total % capacity);
            int chunk = Math.min(rest, capacity - position);
            System.arraycopy(bytes, from, ring, position, chunk);
            from += chunk;
            rest -= chunk;
            total += chunk;
        }
    }

    synchronized long total() {
        return total;
    }

    synchronized byte[] tail() {
        if (total <= capacity) {
            return Arrays.copyOf(ring, (int) total);
        }
        byte[] tail = new byte[capacity];
        int start = (int) (total % capacity);
        System.arraycopy(ring, start, tail, 0, capacity - start);
        System.arraycopy(ring, 0, tail, capacity - start, start);
        return tail;
    }

    private void grow(int more) {
        long wanted = Math.min(capacity, total + more);
        if (wanted > ring.length) {
            int size = (int) Math.min(capacity, Math.max(wanted, Math.max(FIRST_ALLOCATION, 2L * ring.length)));
            ring = Arrays.copyOf(ring, size);
        }
    }
}
