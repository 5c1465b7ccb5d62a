package bonafix.runtime.arena;

import java.util.Arrays;

/** Bytes that grow, with numbers written short: seven bits a byte, low ones first. */
final class ByteSink {
    byte[] bytes = new byte[512];
    int size;

    void clear() {
        size = 0;
    }

    void u8(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    void number(long value) {
        reserve(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /** Small negative numbers are short as well. */
    void signed(long value) {
        number(value << 1 ^ value >> 63);
    }

    void u32(int value) {
        reserve(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    void u64(long value) {
        u32((int) (value >>> 32));
        u32((int) value);
    }

    /** A flag, the length, and one byte for each character where that is enough, else two. */
    void text(CharSequence text, int length) {
        boolean narrow = true;
        for (int i = 0; i < length && narrow; i++) {
            narrow = text.charAt(i) < 0x100;
        }
        u8(narrow ? 0 : 1);
        number(length);
        reserve(narrow ? length : 2 * length);
        for (int i = 0; i < length; i++) {
            char unit = text.charAt(i);
            if (!narrow) {
                bytes[size++] = (byte) (unit >>> 8);
            }
            bytes[size++] = (byte) unit;
        }
    }

    void append(byte[] source, int from, int length) {
        reserve(length);
        System.arraycopy(source, from, bytes, size, length);
        size += length;
    }

    boolean sameAs(ByteSink other) {
        if (size != other.size) {
            return false;
        }
        byte[] mine = bytes;
        byte[] theirs = other.bytes;
        for (int i = 0; i < size; i++) {
            if (mine[i] != theirs[i]) {
                return false;
            }
        }
        return true;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    long digest() {
        return digest(bytes, 0, size);
    }

    static long digest(byte[] bytes, int from, int to) {
        long hash = 0x9e3779b97f4a7c15L;
        for (int i = from; i < to; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001b3L;
        }
        return hash ^ hash >>> 32;
    }

    private void reserve(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
        }
    }
}
