package bonafix.runtime;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/**
 * A file of traces: one record for each execution. The layout is described in {@code docs/runtime-java.md}.
 *
 * <p>A record's length is written when all of it is there; so a VM that is ended in the middle leaves no half record that
 * could be taken for a whole one. When the file is full, executions are listed without their traces.
 */
public final class TraceFile {
    /** A VM begins. */
    static final int BEGIN = 0;
    static final int NOT_REACHED = 1;
    static final int TRACE = 2;
    /** Another execution was under way at the same time. */
    static final int MIXED = 3;
    static final int NO_ROOM = 4;

    /** What a record may add behind this is below what a sandbox allows for one file. */
    private static final long FULL = 160L << 20;

    private final RandomAccessFile file;
    private final byte[] buffer = new byte[1 << 16];
    private int size;
    private long flushed;
    private int last;

    /** A second VM goes on where the first one was stopped. */
    public TraceFile(String path) throws IOException {
        file = new RandomAccessFile(path, "rw");
        flushed = file.length();
        file.seek(flushed);
        bare(BEGIN, "");
    }

    /** The present trace, or only that it comes to no changed method; unless it is wanted in any case. */
    public void write(String id, boolean always) throws IOException {
        if (!always && !LineTrace.isReached()) {
            bare(NOT_REACHED, id);
        } else if (flushed > FULL) {
            bare(NO_ROOM, id);
        } else {
            long length = begin(TRACE, id);
            last = 0;
            LineTrace.write(this);
            finish(length);
        }
    }

    public void close() throws IOException {
        file.close();
    }

    void bare(int kind, String id) throws IOException {
        finish(begin(kind, id));
    }

    /** Where the length of the record stands. */
    private long begin(int kind, String id) throws IOException {
        long length = flushed;
        fixed(0);
        one(kind);
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        fixed(name.length);
        for (byte each : name) {
            one(each);
        }
        return length;
    }

    private void finish(long at) throws IOException {
        flush();
        long length = flushed - at - 4;
        file.seek(at);
        file.writeInt((int) length);
        file.seek(flushed);
    }

    private void flush() throws IOException {
        file.write(buffer, 0, size);
        flushed += size;
        size = 0;
    }

    private void fixed(int value) throws IOException {
        for (int shift = 24; shift >= 0; shift -= 8) {
            one(value >>> shift);
        }
    }

    private void one(int value) throws IOException {
        if (size == buffer.length) {
            flush();
        }
        buffer[size++] = (byte) value;
    }

    void flag(boolean value) throws IOException {
        one(value ? 1 : 0);
    }

    /** Seven bits at a time, the lowest first. */
    void number(int value) throws IOException {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            one(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        one(rest);
    }

    /** How far it is from the one before: lines that run one after the other mostly stand near each other. */
    void difference(int value) throws IOException {
        int difference = value - last;
        last = value;
        number(difference << 1 ^ difference >> 31);
    }
}
