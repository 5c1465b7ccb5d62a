package bonafix.runtime;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The lines that an execution ran, thread by thread, and which of them were inside of changed methods.
 *
 * <p>The thread that begins an execution is traced through a field of {@link Probes}; every other thread has lines of its
 * own, found through a thread local. Nothing is locked where lines are noted. Threads are told apart by their number, which
 * grows in the order in which they are made: so the same execution gives the same trace, as long as its threads do the same.
 *
 * <p>What runs while a class is initialised is left out: it runs once, in whichever execution comes to the class first, and
 * another version may come to it in another one.
 */
public final class LineTrace implements Probes.Recorder {
    private static final int FIRST_ROOM = 1 << 12;
    /** What is kept for the next execution; larger arrays are given back. */
    private static final int KEPT_ROOM = 1 << 20;

    private static final ThreadLocal<Lines> OWN = new ThreadLocal<>();
    private static final List<Lines> others = new ArrayList<>();
    private static final Lines first = new Lines();
    private static volatile int generation;
    private static volatile boolean running;
    /** The thread that began, while it is at something that does not belong to the execution. */
    private static volatile Thread resting;
    /** The thread that began. */
    private static volatile Thread beginner;
    /** It is at something that does not belong to the execution. */
    private static boolean rests;
    /** So many static initialisers is it in. */
    private static int initializing;
    private static int limit;

    private LineTrace() {
    }

    /** What one thread ran. Only that thread writes to it. */
    static final class Lines {
        private int[] numbers = new int[FIRST_ROOM];
        private int count;
        /** Where outermost calls of changed methods begin and end, by turns. */
        private int[] marks = new int[16];
        private int markCount;
        private int depth;
        private boolean cut;
        private int initializing;
        private int generation;
        private long thread;

        @SuppressWarnings("deprecation")
        private void begin(int number) {
            if (numbers.length > KEPT_ROOM) {
                numbers = new int[FIRST_ROOM];
            }
            count = 0;
            markCount = 0;
            depth = 0;
            initializing = 0;
            cut = false;
            thread = Thread.currentThread().getId();
            generation = number;
        }

        /** The number comes after what it counts: the stack may give out at any point. */
        void add(int id) {
            int at = count;
            if (at < numbers.length || hasGrown()) {
                numbers[at] = id;
                count = at + 1;
            }
        }

        private boolean hasGrown() {
            int room = (int) Math.min(limit, 2L * numbers.length);
            if (cut || room <= numbers.length) {
                cut = true;
                return false;
            }
            try {
                numbers = Arrays.copyOf(numbers, room);
            } catch (OutOfMemoryError full) {
                // The subject's memory is not ours to fill.
                cut = true;
            }
            return !cut;
        }

        private void enter() {
            if (cut) {
                // That it came there at all is worth knowing.
                if (markCount == 0) {
                    mark();
                    mark();
                }
            } else if (depth++ == 0) {
                mark();
            }
        }

        private void leave() {
            if (depth > 0 && --depth == 0) {
                mark();
            }
        }

        private void mark() {
            if (markCount == marks.length) {
                marks = Arrays.copyOf(marks, 2 * markCount);
            }
            marks[markCount++] = count;
            cut |= markCount >= limit && (markCount & 1) == 0;
        }

        int count() {
            return Math.min(count, limit);
        }

        int number(int index) {
            return numbers[index];
        }

        /** A call that is still under way ends here. */
        int markCount() {
            return markCount + (markCount & 1);
        }

        int mark(int index) {
            return Math.min(index < markCount ? marks[index] : count, count());
        }

        boolean isCut() {
            return cut || count > limit;
        }
    }

    /** Prepares to trace executions of at most this many lines. */
    public static void install(int lines) {
        limit = Math.max(1, lines);
        Probes.record(new LineTrace());
    }

    /** An execution begins, in the calling thread. */
    public static void begin() {
        synchronized (others) {
            others.clear();
            generation++;
        }
        first.begin(generation);
        beginner = Thread.currentThread();
        rests = false;
        initializing = 0;
        running = true;
        listen();
    }

    /** Notes the lines of the thread that began, or none. */
    private static void listen() {
        boolean listens = !rests && initializing == 0;
        resting = listens ? null : beginner;
        Probes.trace(listens ? beginner : null, listens ? first : null);
    }

    /** What the calling thread does from here on is no part of the execution. */
    public static void rest() {
        if (running && Thread.currentThread() == beginner) {
            rests = true;
            listen();
        }
    }

    /** And from here on it is again. */
    public static void resume() {
        if (running && Thread.currentThread() == beginner) {
            rests = false;
            listen();
        }
    }

    /** The execution is over. */
    public static void end() {
        running = false;
        Probes.trace(null, null);
    }

    /** The lines of the calling thread, if it belongs to an execution and is not the one that began. */
    static Lines ofOther() {
        if (!running || Thread.currentThread() == resting) {
            return null;
        }
        Lines own = OWN.get();
        if (own == null) {
            own = new Lines();
            OWN.set(own);
        }
        if (own.generation != generation) {
            synchronized (others) {
                own.begin(generation);
                others.add(own);
            }
        }
        return own.initializing > 0 ? null : own;
    }

    /** A static initialiser begins (1) or ends (-1). */
    private static void initialize(int change) {
        if (!running) {
            return;
        }
        if (Thread.currentThread() == beginner) {
            // One that began before the execution ends in it.
            initializing = Math.max(0, initializing + change);
            listen();
            return;
        }
        ofOther();
        Lines own = OWN.get();
        if (own != null) {
            own.initializing = Math.max(0, own.initializing + change);
        }
    }

    /** Whether a changed method was entered. */
    static boolean isReached() {
        for (Lines lines : inOrder()) {
            if (lines.markCount > 0) {
                return true;
            }
        }
        return false;
    }

    private static List<Lines> inOrder() {
        List<Lines> all = new ArrayList<>();
        synchronized (others) {
            all.addAll(others);
        }
        all.sort((one, other) -> Long.compare(one.thread, other.thread));
        all.add(0, first);
        return all;
    }

    /** Writes what ran, the thread that began first, up to the limit. */
    static void write(TraceFile out) throws IOException {
        List<Lines> all = inOrder();
        boolean cut = false;
        int total = 0;
        int marks = 0;
        int[] counts = new int[all.size()];
        for (int i = 0; i < counts.length; i++) {
            Lines lines = all.get(i);
            int count = lines.count();
            counts[i] = Math.min(count, limit - total);
            cut |= lines.isCut() || counts[i] < count;
            total += counts[i];
            marks += lines.markCount();
        }
        out.flag(cut);
        out.number(total);
        for (int i = 0; i < counts.length; i++) {
            Lines lines = all.get(i);
            for (int at = 0; at < counts[i]; at++) {
                out.difference(lines.number(at));
            }
        }
        out.number(marks);
        int before = 0;
        for (int i = 0; i < counts.length; i++) {
            Lines lines = all.get(i);
            for (int at = 0; at < lines.markCount(); at++) {
                out.number(before + Math.min(lines.mark(at), counts[i]));
            }
            before += counts[i];
        }
    }

    // Changed methods.

    @Override
    public void enter(Object[] values, int call) {
        if (call == Probes.INITIALIZER) {
            initialize(1);
            return;
        }
        Lines lines = Probes.tracedHere();
        if (lines != null) {
            lines.enter();
        }
    }

    @Override
    public void exit(Object result, int call) {
        leave(call);
    }

    @Override
    public void thrown(Throwable thrown, int call) {
        leave(call);
    }

    private static void leave(int call) {
        if (call == Probes.INITIALIZER) {
            initialize(-1);
            return;
        }
        Lines lines = Probes.tracedHere();
        if (lines != null) {
            lines.leave();
        }
    }
}
