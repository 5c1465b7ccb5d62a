package bonafix.runtime;

import java.util.Arrays;

/**
 * What instrumented code calls: counts steps, notes how near each branch came to either of its outcomes and which lines
 * ran, hands calls to a recorder.
 *
 * <p>Everything is static and nothing is locked, since this runs at every branch of the subject. What is noted belongs
 * to one thread, the <em>owner</em>; other threads only have their steps counted, each on its own, and their lines noted.
 * Before an owner is named, nothing is noted and nothing is limited.
 */
public final class Probes {
    /** Blocks that were run, by number; instrumented code writes it. */
    public static byte[] HITS = new byte[0];

    /** The call of a static initialiser, as it is named where probes are made. */
    static final int INITIALIZER = 0x7fffffff;
    /**
     * Steps of a static initialiser and all that it runs. They are none of the run that comes to the class first: some fill
     * large tables, and a class whose initialiser was ended is of no use to any run that follows.
     */
    private static final long INITIALIZER_STEPS = 100_000_000;
    /** Steps of threads that the subject started, in limits: they may live through many runs. */
    private static final int PATIENCE = 8;
    /** Beyond equality there is no smallest step between two floating point numbers. */
    private static final double NEXT = 1e-9;

    private static final EndOfSteps END = new EndOfSteps();
    private static final ThreadLocal<OtherSteps> OTHER_STEPS = new ThreadLocal<OtherSteps>() {
        @Override
        protected OtherSteps initialValue() {
            return new OtherSteps();
        }
    };
    private static final ThreadLocal<boolean[]> RECORDING = new ThreadLocal<boolean[]>() {
        @Override
        protected boolean[] initialValue() {
            return new boolean[1];
        }
    };

    private static Thread owner;
    private static long left;
    private static long limit = Long.MAX_VALUE;
    private static volatile boolean passed;
    /** So many static initialisers is the owner in; what it had left before the outermost of them. */
    private static int initializing;
    private static long leftOutside;
    /** One of them did not come to its end. */
    private static boolean endedInitializer;

    /** The number of the present run; what bears another is not of this run. */
    private static int generation;
    private static int[] stamps = new int[0];
    private static double[] taken = new double[0];
    private static double[] missed = new double[0];
    private static int[] touched = new int[0];
    private static int touchedCount;
    /** Keys of switches that somebody wants to know about, by branch. */
    private static int[][] keys = new int[0][];
    /** How near the value came to each key; the last one stands for none of them. */
    private static double[][] nearest = new double[0][];

    /** How often a branch is remembered decision by decision. */
    private static final int REMEMBERED = 64;
    /** Of branches that are held against another: how near the n-th decision came to the jump, and to none. */
    private static double[][] eachTaken = new double[0][];
    private static double[][] eachMissed = new double[0][];
    private static int[] decisions = new int[0];

    /** Whether something that is not a number was compared in this run. */
    private static boolean comparedNaN;

    private static final long CLOCK_MILLIS = System.currentTimeMillis();
    private static final long CLOCK_NANOS = System.nanoTime();
    private static volatile long shift;
    /** How often a clock was asked in this run. */
    private static long asked;

    private static volatile Recorder recorder;

    /** The thread whose lines are noted first, and where. Only a thread that is traced itself sees itself here. */
    private static Thread traced;
    private static LineTrace.Lines lines;
    /** Lines were asked for at some time, so those of other threads may be wanted. */
    private static volatile boolean isTracing;

    /** Sees calls. What it throws is dropped, and what it calls it does not see. */
    public interface Recorder {
        /** The receiver, if any, comes first. */
        void enter(Object[] values, int call);

        void exit(Object result, int call);

        void thrown(Throwable thrown, int call);
    }

    private Probes() {
    }

    /** Makes room for these many numbers. */
    public static void prepare(int blocks, int branches) {
        HITS = new byte[blocks + 1];
        stamps = new int[branches];
        taken = new double[branches];
        missed = new double[branches];
        touched = new int[branches];
        keys = new int[branches][];
        nearest = new double[branches][];
        eachTaken = new double[branches][];
        eachMissed = new double[branches][];
        decisions = new int[branches];
        touchedCount = 0;
        generation = 0;
    }

    /** Has a switch noted by its keys. */
    public static void watchSwitch(int branch, int[] wanted) {
        keys[branch] = wanted.clone();
        nearest[branch] = new double[wanted.length + 1];
    }

    /** Has a branch remembered decision by decision. */
    public static void watchDecisions(int branch) {
        eachTaken[branch] = new double[REMEMBERED];
        eachMissed[branch] = new double[REMEMBERED];
    }

    public static void record(Recorder listener) {
        recorder = listener;
    }

    /** Notes the lines of the calling thread from here on; of none, if it is {@code null}. */
    static void trace(Thread thread, LineTrace.Lines where) {
        lines = where == null ? lines : where;
        traced = thread;
        isTracing = true;
    }

    /** Where the lines of the calling thread are noted, if anywhere. */
    static LineTrace.Lines tracedHere() {
        return Thread.currentThread() == traced ? lines : LineTrace.ofOther();
    }

    /** Forgets what was noted of branches; what follows belongs together. */
    public static void beginRun() {
        generation++;
        comparedNaN = false;
        touchedCount = 0;
    }

    /**
     * What the program sees of {@code System.currentTimeMillis()}: the time at which the VM began, and a little more where it is
     * asked very often, so that who waits for it to pass does not wait for ever. So versions that run one after the other see the
     * same time, which would else make them differ.
     */
    public static long currentTimeMillis() {
        return CLOCK_MILLIS + shift + (asked++ >> 10);
    }

    /** What the program sees of {@code System.nanoTime()}: a microsecond passes each time. */
    public static long nanoTime() {
        return CLOCK_NANOS + 1_000_000L * shift + 1_000L * asked++;
    }

    /** From here on it is so much later: what hangs on the clock shows by being something else. */
    public static void shiftClock(long millis) {
        shift = millis;
    }

    /** The calling thread becomes the owner and may do this many steps from here. */
    public static void beginSteps(long allowed) {
        asked = 0;
        limit = allowed;
        left = allowed;
        passed = false;
        initializing = 0;
        endedInitializer = false;
        owner = Thread.currentThread();
    }

    /** Nothing is noted any more; threads that the subject left running are limited still. */
    public static void endSteps() {
        owner = null;
    }

    /** Whether some thread passed its limit, whatever it did with what was thrown. */
    public static boolean isPassed() {
        return passed;
    }

    /** Whether the limit was passed in a static initialiser, so that its class is of no use any more. */
    public static boolean endedInitializer() {
        return endedInitializer;
    }

    /** Whether something that is not a number was compared in this run. */
    public static boolean comparedNaN() {
        return comparedNaN;
    }

    /** How many branches were decided in this run; {@link #touched(int)} tells which. */
    public static int touchedCount() {
        return touchedCount;
    }

    public static int touched(int index) {
        return touched[index];
    }

    /** How far this run stayed from the jump: 0 if it was taken, below 1 if it was not, 1 if it was not come to. */
    public static double toTaken(int branch) {
        return stamps[branch] == generation ? normalised(taken[branch]) : 1;
    }

    /** How far this run stayed from going on without the jump. */
    public static double toMissed(int branch) {
        return stamps[branch] == generation ? normalised(missed[branch]) : 1;
    }

    /** How far this run stayed from a case of a watched switch; the number of its keys stands for the default. */
    public static double toCase(int branch, int index) {
        return stamps[branch] == generation ? normalised(nearest[branch][index]) : 1;
    }

    /**
     * How far this run stayed from a decision that is taken at one branch and missed at another: the n-th of the one
     * is held against the n-th of the other, since in two versions of a loop these belong together.
     */
    public static double toParted(int takenBranch, int missedBranch) {
        int common = Math.min(decisionsOf(takenBranch), decisionsOf(missedBranch));
        double least = common == 0 ? toTaken(takenBranch) + toMissed(missedBranch) : 2;
        for (int i = 0; i < common; i++) {
            double distance = normalised(eachTaken[takenBranch][i]) + normalised(eachMissed[missedBranch][i]);
            if (distance < least) {
                least = distance;
            }
        }
        return least;
    }

    private static int decisionsOf(int branch) {
        return stamps[branch] == generation ? decisions[branch] : 0;
    }

    private static double normalised(double distance) {
        return distance >= 1e15 ? 1 - 1e-15 : distance / (distance + 1);
    }

    // What instrumented code calls.

    public static void step() {
        if (Thread.currentThread() == owner) {
            if (--left < 0) {
                end();
            }
        } else if (limit != Long.MAX_VALUE) {
            stepOfOther();
        }
    }

    private static void end() {
        left = -1;
        passed = true;
        endedInitializer |= initializing > 0;
        throw END;
    }

    private static void stepOfOther() {
        OtherSteps steps = OTHER_STEPS.get();
        if (++steps.done / PATIENCE > limit) {
            passed = true;
            endedInitializer |= steps.initializing > 0;
            throw END;
        }
    }

    /**
     * A static initialiser begins (1) or ends (-1). A step does not know of it: it is counted as ever, from another number.
     */
    private static void initialize(int change) {
        if (Thread.currentThread() != owner) {
            if (limit != Long.MAX_VALUE) {
                OTHER_STEPS.get().initialize(change);
            }
            return;
        }
        if (initializing == 0 && change > 0) {
            leftOutside = left;
            left = INITIALIZER_STEPS;
        } else if (initializing == 1 && change < 0 && left >= 0) {
            left = leftOutside;
        }
        initializing = Math.max(0, initializing + change);
    }

    /** The steps of a thread that is not the owner. */
    private static final class OtherSteps {
        private long done;
        private int initializing;
        private long doneOutside;

        private void initialize(int change) {
            long most = limit * PATIENCE + PATIENCE - 1;
            if (initializing == 0 && change > 0) {
                doneOutside = done;
                done = most - INITIALIZER_STEPS;
            } else if (initializing == 1 && change < 0 && done <= most) {
                done = doneOutside;
            }
            initializing = Math.max(0, initializing + change);
        }
    }

    public static void line(int id) {
        if (Thread.currentThread() == traced) {
            lines.add(id);
        } else if (isTracing) {
            LineTrace.Lines own = LineTrace.ofOther();
            if (own != null) {
                own.add(id);
            }
        }
    }

    public static void compareZero(int value, int op, int id) {
        whole(value, op, id);
    }

    public static void compareInt(int left, int right, int op, int id) {
        whole((double) left - right, op, id);
    }

    public static int compareLong(long left, long right, int op, int id) {
        // A difference that does not fit is a large one, and that is all that matters.
        whole((double) left - (double) right == 0 ? (double) (left - right) : (double) left - (double) right, op, id);
        return left < right ? -1 : left == right ? 0 : 1;
    }

    public static int compareFloat(float left, float right, int op, int id) {
        int result = left < right ? -1 : left > right ? 1 : left == right ? 0 : op >= 8 ? 1 : -1;
        noteNaN(left != left || right != right);
        real((double) left - right, result, op & 7, id);
        return result;
    }

    public static int compareDouble(double left, double right, int op, int id) {
        int result = left < right ? -1 : left > right ? 1 : left == right ? 0 : op >= 8 ? 1 : -1;
        noteNaN(left != left || right != right);
        real(left - right, result, op & 7, id);
        return result;
    }

    private static void noteNaN(boolean isNaN) {
        // Which run comes to a class first says nothing about the run.
        if (isNaN && Thread.currentThread() == owner && initializing == 0) {
            comparedNaN = true;
        }
    }

    public static void compareReference(Object left, Object right, int op, int id) {
        boolean jumps = left == right == (op == 0);
        note(id, jumps ? 0 : 1, jumps ? 1 : 0);
    }

    public static void compareNull(Object value, int op, int id) {
        boolean jumps = value == null == (op == 0);
        note(id, jumps ? 0 : 1, jumps ? 1 : 0);
    }

    public static void switchOn(int value, int id) {
        if (Thread.currentThread() != owner) {
            return;
        }
        int[] wanted = keys[id];
        if (wanted == null) {
            return;
        }
        double[] distances = nearest[id];
        if (stamps[id] != generation) {
            Arrays.fill(distances, Double.MAX_VALUE);
            touch(id);
        }
        boolean none = true;
        for (int i = 0; i < wanted.length; i++) {
            double distance = Math.abs((double) value - wanted[i]);
            none &= distance != 0;
            if (distance < distances[i]) {
                distances[i] = distance;
            }
        }
        distances[wanted.length] = none ? 0 : Math.min(1, distances[wanted.length]);
    }

    /** Ops come in pairs of opposites: equal and not, less and not, greater and not. */
    private static void whole(double difference, int op, int id) {
        double holds;
        double fails;
        switch (op >> 1) {
            case 0:
                holds = Math.abs(difference);
                fails = difference == 0 ? 1 : 0;
                break;
            case 1:
                holds = difference < 0 ? 0 : difference + 1;
                fails = difference < 0 ? -difference : 0;
                break;
            default:
                holds = difference > 0 ? 0 : 1 - difference;
                fails = difference > 0 ? difference : 0;
        }
        if ((op & 1) == 0) {
            note(id, holds, fails);
        } else {
            note(id, fails, holds);
        }
    }

    private static void real(double difference, int result, int op, int id) {
        // What is not a number, and what is infinite, is as far as can be from where it is not.
        double size = difference == difference ? Math.abs(difference) : Double.MAX_VALUE;
        boolean holds;
        switch (op >> 1) {
            case 0:
                holds = result == 0;
                size = holds ? 1 : size;
                break;
            case 1:
                holds = result < 0;
                size += holds ? 0 : NEXT;
                break;
            default:
                holds = result > 0;
                size += holds ? 0 : NEXT;
        }
        if (holds == ((op & 1) == 0)) {
            note(id, 0, size);
        } else {
            note(id, size, 0);
        }
    }

    private static void note(int id, double toTaken, double toMissed) {
        if (Thread.currentThread() != owner) {
            return;
        }
        if (eachTaken[id] != null) {
            remember(id, toTaken, toMissed);
        }
        if (stamps[id] != generation) {
            taken[id] = toTaken;
            missed[id] = toMissed;
            touch(id);
            return;
        }
        if (toTaken < taken[id]) {
            taken[id] = toTaken;
        }
        if (toMissed < missed[id]) {
            missed[id] = toMissed;
        }
    }

    private static void remember(int id, double toTaken, double toMissed) {
        int number = stamps[id] == generation ? decisions[id] : 0;
        if (number < REMEMBERED) {
            eachTaken[id][number] = toTaken;
            eachMissed[id][number] = toMissed;
            decisions[id] = number + 1;
        }
    }

    /** Comes after what it makes valid: the stack may give out at any point, and nothing half-done must count. */
    private static void touch(int id) {
        stamps[id] = generation;
        touched[touchedCount++] = id;
    }

    public static void enter(Object[] values, int call) {
        if (call == INITIALIZER) {
            initialize(1);
        }
        Recorder listener = claim();
        if (listener != null) {
            try {
                listener.enter(values, call);
            } catch (Throwable dropped) {
                // The subject must not see a recorder.
            } finally {
                release();
            }
        }
    }

    public static void exit(Object result, int call) {
        if (call == INITIALIZER) {
            initialize(-1);
        }
        Recorder listener = claim();
        if (listener != null) {
            try {
                listener.exit(result, call);
            } catch (Throwable dropped) {
                // The subject must not see a recorder.
            } finally {
                release();
            }
        }
    }

    public static void thrown(Throwable thrown, int call) {
        if (call == INITIALIZER) {
            initialize(-1);
        }
        Recorder listener = claim();
        if (listener != null) {
            try {
                listener.thrown(thrown, call);
            } catch (Throwable dropped) {
                // The subject must not see a recorder.
            } finally {
                release();
            }
        }
    }

    /** The recorder, unless this thread is at work for it already. */
    private static Recorder claim() {
        Recorder listener = recorder;
        if (listener == null) {
            return null;
        }
        boolean[] recording = RECORDING.get();
        if (recording[0]) {
            return null;
        }
        recording[0] = true;
        return listener;
    }

    private static void release() {
        RECORDING.get()[0] = false;
    }

    /** Ends what has done too many steps. One for all, so that nothing is allocated and nothing can be told from it. */
    private static final class EndOfSteps extends Error {
        private static final long serialVersionUID = 1;

        EndOfSteps() {
            super("too many steps", null, false, false);
        }

        @Override
        public Throwable initCause(Throwable cause) {
            return this;
        }
    }
}
