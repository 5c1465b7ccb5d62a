package bonafix.runtime.arena;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Says which sequence runs in which version, in a file that is still there when the VM is not.
 *
 * <p>The file is mapped, so that saying so costs a store to memory. What lies behind the first
 * {@value #HEADER_BYTES} bytes is free for counters that the versions share with the driver.
 */
final class Marker {
    static final int HEADER_BYTES = 64;

    private static final int MAGIC = 0x42464d31;
    private static final int AT_SEQUENCE = 4;
    private static final int AT_VERSION = 8;
    private static final int AT_RUNNING = 12;
    private static final int AT_RUNS = 16;
    private static final int AT_TIMED_OUT = 24;

    private final MappedByteBuffer buffer;
    /** Counts runs, so that a watch need not look at the clock for each. */
    private volatile long runs;
    private volatile boolean running;

    Marker(String path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            long size = Math.max(HEADER_BYTES, file.length());
            buffer = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, size);
        }
        for (int i = 0; i < HEADER_BYTES; i++) {
            buffer.put(i, (byte) 0);
        }
        buffer.putInt(0, MAGIC);
    }

    void begin(int sequence, int version) {
        buffer.putInt(AT_SEQUENCE, sequence);
        buffer.putInt(AT_VERSION, version);
        buffer.putInt(AT_RUNNING, 1);
        long next = runs + 1;
        buffer.putLong(AT_RUNS, next);
        running = true;
        runs = next;
    }

    void end() {
        running = false;
        buffer.putInt(AT_RUNNING, 0);
    }

    /** What runs is blamed for having taken too long. */
    void timedOut() {
        buffer.putInt(AT_TIMED_OUT, 1);
    }

    long runs() {
        return runs;
    }

    boolean isRunning() {
        return running;
    }
}
