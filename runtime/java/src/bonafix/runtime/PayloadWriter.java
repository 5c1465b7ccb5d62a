package bonafix.runtime;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;

/**
 * Builds one frame: a big-endian length followed by the fields that were put.
 *
 * <p>The whole frame goes out in a single write, so that a reader never sees half of one from a process that was
 * halted between two fields.
 */
public final class PayloadWriter {
    private static final int LENGTH_PREFIX = 4;

    private byte[] buffer = new byte[256];
    private int size = LENGTH_PREFIX;

    public PayloadWriter u8(int value) {
        reserve(1);
        buffer[size++] = (byte) value;
        return this;
    }

    public PayloadWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    public PayloadWriter u32(int value) {
        reserve(4);
        putIntAt(size, value);
        size += 4;
        return this;
    }

    public PayloadWriter u64(long value) {
        return u32((int) (value >>> 32)).u32((int) value);
    }

    public PayloadWriter bytes(byte[] value) {
        u32(value.length);
        reserve(value.length);
        System.arraycopy(value, 0, buffer, size, value.length);
        size += value.length;
        return this;
    }

    /** A string; {@code null} is sent as the empty one. */
    public PayloadWriter string(String value) {
        return bytes(value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8));
    }

    public PayloadWriter strings(Collection<String> values) {
        u32(values.size());
        for (String value : values) {
            string(value);
        }
        return this;
    }

    public void writeFrame(OutputStream out) throws IOException {
        putIntAt(0, size - LENGTH_PREFIX);
        out.write(buffer, 0, size);
        out.flush();
    }

    private void putIntAt(int position, int value) {
        buffer[position] = (byte) (value >>> 24);
        buffer[position + 1] = (byte) (value >>> 16);
        buffer[position + 2] = (byte) (value >>> 8);
        buffer[position + 3] = (byte) value;
    }

    private void reserve(int more) {
        if (more > buffer.length - size) {
            buffer = Arrays.copyOf(buffer, Math.max(size + more, buffer.length * 2));
        }
    }
}
