package bonafix.runtime;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the fields of one frame in the order in which {@link PayloadWriter} puts them. */
public final class PayloadReader {
    private final byte[] payload;
    private int position;

    private PayloadReader(byte[] payload) {
        this.payload = payload;
    }

    /** The next frame, or {@code null} when the stream ends between two frames. */
    public static PayloadReader readFrame(InputStream in) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        DataInputStream data = new DataInputStream(in);
        int length = first << 24 | data.readUnsignedByte() << 16 | data.readUnsignedShort();
        if (length < 0 || length > Protocol.MAX_FRAME_BYTES) {
            throw new IOException("frame of " + (length & 0xffffffffL) + " bytes: the stream is corrupt");
        }
        byte[] payload = new byte[length];
        data.readFully(payload);
        return new PayloadReader(payload);
    }

    public int u8() throws IOException {
        need(1);
        return payload[position++] & 0xff;
    }

    public int u32() throws IOException {
        return u8() << 24 | u8() << 16 | u8() << 8 | u8();
    }

    public long u64() throws IOException {
        return (long) u32() << 32 | u32() & 0xffffffffL;
    }

    public String string() throws IOException {
        int length = u32();
        need(length);
        String value = new String(payload, position, length, StandardCharsets.UTF_8);
        position += length;
        return value;
    }

    public List<String> strings() throws IOException {
        int count = count();
        List<String> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(string());
        }
        return values;
    }

    /** The length of a list; refused when the rest of the frame could not hold that many items. */
    public int count() throws IOException {
        int count = u32();
        need(count);
        return count;
    }

    private void need(int bytes) throws IOException {
        if (bytes < 0 || bytes > payload.length - position) {
            throw new EOFException("frame ends at byte " + payload.length + ", inside a field");
        }
    }
}
