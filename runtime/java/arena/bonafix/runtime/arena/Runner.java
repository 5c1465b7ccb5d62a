package bonafix.runtime.arena;

import bonafix.runtime.LineTrace;
import bonafix.runtime.PayloadWriter;
import bonafix.runtime.Probes;
import bonafix.runtime.TraceFile;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Runs the sequences of a batch, each in all versions, and sends what came of them. */
final class Runner {
    private static final int FLUSH_EVERY = 64;
    private static final int FLUSH_BYTES = 256 << 10;
    /** Recursion ends in an exception well before it ends the VM, and soon enough. */
    private static final long STACK_BYTES = 4L << 20;
    private static final int MAX_LEAKED_THREADS = 32;
    /** Classes are loaded anew after so many endless sequences, or before a difference that may be their doing counts. */
    private static final int MAX_ENDLESS = 16;
    private static final long THREAD_GRACE_MILLIS = 40;
    /** Between two repetitions, so that the clock has moved on. */
    private static final long CONFIRM_PAUSE_MILLIS = 3;
    /** So much later it is in each repetition for who asks the clock: another day, hour, minute, second and millisecond. */
    private static final long CONFIRM_SHIFT_MILLIS = 90_061_001L;

    private final Versions versions;
    private final Names names;
    private final Marker marker;
    private final SequenceWatchdog watchdog;
    private final Globals globals;
    private final Goals goals;
    private final OutputStream answers;
    private final ThreadGroup group = new ThreadGroup("subject");
    private final Execution[] executions;
    private final StaticsWatch watch = new StaticsWatch();
    private final ByteSink results = new ByteSink();
    private int firstResult;
    private int resultCount;
    /** Threads that were started in this VM, up to the last look. */
    private long threadsStarted;
    /** Processor time that the sequences of a batch took. */
    private long cpuNanos;
    private int sequencesSinceReset;
    private int endlessSinceReset;
    /** Why the VM should not go on, as an exit code; 0 if it may. */
    private int exitCode;
    private boolean needsReset;
    /** Where lines go that run; {@code null} unless they are asked for. */
    private Tracing tracing;

    Runner(Versions versions, Names names, Marker marker, SequenceWatchdog watchdog, Globals globals, Goals goals,
            OutputStream answers) {
        this.versions = versions;
        this.names = names;
        this.marker = marker;
        this.watchdog = watchdog;
        this.globals = globals;
        this.goals = goals;
        this.answers = answers;
        executions = new Execution[versions.count()];
        for (int i = 0; i < executions.length; i++) {
            executions[i] = new Execution(names, watch);
        }
    }

    /** 0, or the code with which the VM has to end now. */
    int run(Batch batch) throws Exception {
        results.clear();
        firstResult = 0;
        resultCount = 0;
        cpuNanos = 0;
        int next = 0;
        while (next < batch.sequences.length && exitCode == 0) {
            if (needsReset || sequencesSinceReset >= batch.every) {
                reset();
            }
            int from = next;
            int[] reached = {from};
            // A thread of its own for each life of the classes, so that their thread locals die with them.
            inThread(batch.limitMillis, () -> {
                reached[0] = segment(batch, from);
                cpuNanos += watchdog.cpuNanos();
            });
            next = reached[0];
            globals.restoreSecurity();
        }
        flush();
        if (exitCode == 0) {
            new PayloadWriter().u8(ArenaProtocol.DONE).u64(cpuNanos).writeFrame(answers);
        }
        return exitCode;
    }

    void reset() throws IOException {
        versions.reset();
        needsReset = false;
        sequencesSinceReset = 0;
        endlessSinceReset = 0;
    }

    private interface Work {
        void run() throws Exception;
    }

    private void inThread(int limitMillis, Work work) throws Exception {
        Life life = new Life(work);
        watchdog.watch(life, limitMillis);
        life.start();
        life.join();
        if (life.failure instanceof Error) {
            throw (Error) life.failure;
        }
        if (life.failure != null) {
            throw (Exception) life.failure;
        }
    }

    /** The thread in which sequences run. */
    private final class Life extends Thread {
        private final Work work;
        private Throwable failure;

        Life(Work work) {
            super(group, null, "main", STACK_BYTES);
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.run();
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }
    }

    /** Runs up to the next reset; the number of the first sequence that was not run. */
    private int segment(Batch batch, int from) throws IOException {
        World[] worlds = versions.current();
        threadsStarted = watchdog.threadsStarted();
        int next = from;
        while (next < batch.sequences.length && sequencesSinceReset < batch.every && !needsReset && exitCode == 0) {
            goals.begin();
            if (!runInAll(batch, next, worlds)) {
                needsReset = true;
                break;
            }
            goals.end();
            goals.put(results);
            next++;
            sequencesSinceReset++;
            if (++resultCount >= FLUSH_EVERY || results.size >= FLUSH_BYTES) {
                flush();
            }
        }
        return next;
    }

    /** Whether something came of it; else it is to be run again in fresh classes. */
    private boolean runInAll(Batch batch, int number, World[] worlds) {
        Thread thread = Thread.currentThread();
        for (int version : batch.versions) {
            Execution execution = executions[version];
            World world = worlds[version];
            globals.restore(thread, world.loader);
            marker.begin(number, version);
            try {
                execution.run(batch.sequences[number], world, batch.depth, batch.limitSteps, leader(batch, version));
                marker.end();
            } catch (OutOfMemoryError full) {
                marker.end();
                brokeDown(version, ArenaProtocol.BREAKDOWN_OUT_OF_MEMORY);
                needsReset = true;
                freeMemory();
                return true;
            }
            if (execution.endless) {
                brokeDown(version, ArenaProtocol.BREAKDOWN_TIMEOUT);
                needsReset |= ++endlessSinceReset >= MAX_ENDLESS || execution.spoiledClasses;
                leakedThreads();
                return true;
            }
            needsReset |= execution.spoiledClasses;
        }
        boolean leaked = leakedThreads();
        boolean same = isSame(batch);
        // An endless sequence is given up in one version, and what it left behind there is not in the others.
        if (!same && endlessSinceReset > 0) {
            return false;
        }
        put(batch, same, leaked);
        return true;
    }

    private boolean isSame(Batch batch) {
        ByteSink first = executions[batch.versions[0]].observer.sink;
        boolean same = true;
        for (int version : batch.versions) {
            same &= first.sameAs(executions[version].observer.sink);
        }
        return same;
    }

    /** The version that decides how deeply the others are looked at: the first of those that run. */
    private Execution leader(Batch batch, int version) {
        return version == batch.versions[0] ? null : executions[batch.versions[0]];
    }

    private void put(Batch batch, boolean same, boolean leaked) {
        Execution first = executions[batch.versions[0]];
        boolean sameStatics = true;
        for (int version : batch.versions) {
            sameStatics &= !executions[version].leftOtherStatics(first);
        }
        if (!sameStatics) {
            // What comes next must not differ because of what was before.
            watch.differed();
            needsReset = true;
        }
        int flags = (first.threw ? ArenaProtocol.FLAG_THREW : 0) | (first.unfit ? ArenaProtocol.FLAG_UNFIT : 0)
                | (leaked ? ArenaProtocol.FLAG_LEAKED_THREADS : 0);
        results.u8(!same ? ArenaProtocol.DIFFERS : batch.wantsAll ? ArenaProtocol.SAME_SHOWN : ArenaProtocol.SAME);
        results.u8(flags);
        if (same) {
            ByteSink sink = first.observer.sink;
            results.number(first.steps);
            results.u64(sink.digest());
            if (batch.wantsAll) {
                blob(results, sink.bytes, sink.size);
            }
            return;
        }
        results.number(batch.versions.length);
        for (int version : batch.versions) {
            ByteSink sink = executions[version].observer.sink;
            blob(results, sink.bytes, sink.size);
        }
    }

    private static void blob(ByteSink out, byte[] bytes, int size) {
        out.number(size);
        out.append(bytes, 0, size);
    }

    /** The sequence is given up in this version; its classes may be in the middle of anything. */
    private void brokeDown(int version, int breakdown) {
        results.u8(ArenaProtocol.FAILED);
        results.number(version);
        results.u8(breakdown);
    }

    /** If all that a sequence held can be freed, the VM goes on. */
    private void freeMemory() {
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        long used = runtime.totalMemory() - runtime.freeMemory();
        if (used > runtime.maxMemory() / 2) {
            exitCode = ArenaProtocol.EXIT_OUT_OF_MEMORY;
        }
    }

    /** Looking for threads costs more than a sequence; how many were started is known. */
    private boolean leakedThreads() {
        long before = threadsStarted;
        threadsStarted = watchdog.threadsStarted();
        return threadsStarted != before && othersAlive();
    }

    private boolean othersAlive() {
        Thread self = Thread.currentThread();
        Thread[] threads = new Thread[4 * MAX_LEAKED_THREADS];
        long deadline = System.nanoTime() + THREAD_GRACE_MILLIS * 1_000_000;
        int alive = 0;
        for (Thread thread : Arrays.copyOf(threads, group.enumerate(threads))) {
            alive += isGone(thread, self, deadline) ? 0 : 1;
        }
        if (alive >= MAX_LEAKED_THREADS) {
            exitCode = ArenaProtocol.EXIT_TAINTED;
        }
        threadsStarted = watchdog.threadsStarted();
        return alive > 0;
    }

    private static boolean isGone(Thread thread, Thread self, long deadline) {
        if (thread == self) {
            return true;
        }
        try {
            for (int attempt = 0; attempt < 2 && thread.isAlive(); attempt++) {
                long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
                thread.join(left);
                if (thread.isAlive()) {
                    thread.interrupt();
                }
            }
        } catch (InterruptedException bySubject) {
            Thread.interrupted();
        }
        return !thread.isAlive();
    }

    private void flush() throws IOException {
        if (resultCount == 0) {
            return;
        }
        PayloadWriter frame = new PayloadWriter().u8(ArenaProtocol.RESULTS).u32(firstResult).u32(resultCount);
        frame.strings(names.takeUnsent()).bytes(results.copy()).writeFrame(answers);
        firstResult += resultCount;
        resultCount = 0;
        results.clear();
    }

    /**
     * Runs one sequence again and again, each time alone in classes of its own.
     *
     * <p>The versions take turns. So whatever moves on between the runs (a clock, a counter) makes a version differ
     * from itself before it makes two versions differ.
     */
    int confirm(Batch batch) throws Exception {
        reset();
        ByteSink[] first = new ByteSink[executions.length];
        ByteSink[] other = new ByteSink[executions.length];
        int[] failed = new int[executions.length];
        for (int round = 0; round < batch.every; round++) {
            Probes.shiftClock(round * CONFIRM_SHIFT_MILLIS);
            for (int version : batch.versions) {
                if (failed[version] == 0 && other[version] == null) {
                    failed[version] = runAlone(batch, 0, version);
                    ByteSink seen = new ByteSink();
                    seen.append(executions[version].observer.sink.bytes, 0, executions[version].observer.sink.size);
                    if (first[version] == null) {
                        first[version] = seen;
                    } else if (!seen.sameAs(first[version])) {
                        other[version] = seen;
                    }
                }
            }
            Thread.sleep(CONFIRM_PAUSE_MILLIS);
        }
        Probes.shiftClock(0);
        globals.restoreSecurity();
        ByteSink out = new ByteSink();
        for (int version : batch.versions) {
            if (failed[version] != 0) {
                out.u8(ArenaProtocol.BROKE_DOWN);
                out.u8(failed[version]);
                continue;
            }
            out.u8(other[version] == null ? ArenaProtocol.STABLE : ArenaProtocol.UNSTABLE);
            blob(out, first[version].bytes, first[version].size);
            if (other[version] != null) {
                blob(out, other[version].bytes, other[version].size);
            }
        }
        PayloadWriter frame = new PayloadWriter().u8(ArenaProtocol.CONFIRMED);
        frame.strings(names.takeUnsent()).bytes(out.copy()).writeFrame(answers);
        return exitCode;
    }

    /**
     * Runs each sequence in one version after the other, as often as it is named, each time alone in classes of its own,
     * and writes which lines ran. A sequence that breaks down is not run in what follows.
     */
    int trace(Batch batch, String path, int lines) throws Exception {
        reset();
        LineTrace.install(lines);
        TraceFile file = new TraceFile(path);
        tracing = new Tracing(file);
        Tracing present = tracing;
        watchdog.beforeTheEnd(() -> present.write(ArenaProtocol.BREAKDOWN_TIMEOUT));
        Thread words = new Thread(() -> present.write(ArenaProtocol.BREAKDOWN_EXIT));
        Runtime.getRuntime().addShutdownHook(words);
        for (int number = 0; number < batch.sequences.length && exitCode == 0; number++) {
            int failed = 0;
            for (int round = 0; round < batch.versions.length && failed == 0 && exitCode == 0; round++) {
                tracing.begin(number, round);
                failed = runAlone(batch, number, batch.versions[round]);
                if (failed == 0 && executions[batch.versions[round]].unavailable) {
                    failed = ArenaProtocol.BREAKDOWN_UNAVAILABLE;
                }
                tracing.write(failed);
                globals.restoreSecurity();
            }
        }
        Runtime.getRuntime().removeShutdownHook(words);
        watchdog.beforeTheEnd(null);
        Probes.record(null);
        tracing = null;
        file.close();
        if (exitCode == 0) {
            new PayloadWriter().u8(ArenaProtocol.DONE).u64(0).writeFrame(answers);
        }
        return exitCode;
    }

    /** How it broke down; 0 if it did not. */
    private int runAlone(Batch batch, int number, int version) throws Exception {
        int[] breakdown = {0};
        World world = versions.alone(version);
        inThread(batch.limitMillis, () -> {
            threadsStarted = watchdog.threadsStarted();
            globals.restore(Thread.currentThread(), world.loader);
            marker.begin(number, version);
            if (tracing != null) {
                tracing.beginHere();
            }
            try {
                executions[version].run(
                        batch.sequences[number], world, batch.depth, batch.limitSteps, leader(batch, version));
                breakdown[0] = executions[version].endless ? ArenaProtocol.BREAKDOWN_TIMEOUT : 0;
            } catch (OutOfMemoryError full) {
                breakdown[0] = ArenaProtocol.BREAKDOWN_OUT_OF_MEMORY;
            }
            marker.end();
            leakedThreads();
        });
        world.close();
        return breakdown[0];
    }
}
