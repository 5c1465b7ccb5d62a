package bonafix.runtime;

import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Stands in for {@code System.out} and {@code System.err} and gives what is printed to whichever test runs.
 *
 * <p>It is installed once. A test that replaces {@code System.out} and puts the old stream back finds this one again;
 * what is printed past it, straight to the file descriptor, lands on the process's own output.
 */
final class OutputCapture {
    private final int cap;
    private volatile Captured current;

    /** What was printed by one test, or between the tests of a class. */
    static final class Captured {
        private final TailBuffer out;
        private final TailBuffer err;

        private Captured(int cap) {
            out = new TailBuffer(cap);
            err = new TailBuffer(cap);
        }

        void put(PayloadWriter payload) {
            payload.bytes(out.tail()).u64(out.total());
            payload.bytes(err.tail()).u64(err.total());
        }
    }

    OutputCapture(int cap) {
        this.cap = cap;
        this.current = new Captured(cap);
    }

    void install() {
        System.setOut(new Unclosable(new Sink(true)));
        System.setErr(new Unclosable(new Sink(false)));
    }

    Captured fresh() {
        return new Captured(cap);
    }

    void routeTo(Captured target) {
        current = target;
    }

    /** A test that closes {@code System.out} silences neither itself nor the tests after it, as under Surefire. */
    private static final class Unclosable extends PrintStream {
        Unclosable(OutputStream out) {
            super(out, true);
        }

        @Override
        public void close() {
            flush();
        }
    }

    private final class Sink extends OutputStream {
        private final boolean isOut;

        Sink(boolean isOut) {
            this.isOut = isOut;
        }

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (cap > 0) {
                Captured target = current;
                (isOut ? target.out : target.err).append(bytes, offset, length);
            }
        }
    }
}
