package bonafix.runtime.arena;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Ends the VM when a sequence takes longer than its limit: nothing else ends a loop in somebody else's code.
 *
 * <p>A thread that wants to run and does not get the processor is given more time, so that a busy machine does not
 * make endless what is only slow.
 */
final class SequenceWatchdog extends Thread {
    private static final long MAX_SLEEP_MILLIS = 20;
    /** How many limits a thread may take on the clock that has not had its limit on the processor. */
    private static final int PATIENCE = 6;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Marker marker;
    private volatile long limitMillis;
    private volatile Thread runner;
    private volatile Runnable lastWords;

    SequenceWatchdog(Marker marker) {
        super("bonafix-watchdog");
        this.marker = marker;
        setDaemon(true);
        setPriority(MAX_PRIORITY);
    }

    void watch(Thread runner, long limitMillis) {
        this.limitMillis = limitMillis;
        this.runner = runner;
    }

    /** Called before the VM is ended. */
    void beforeTheEnd(Runnable words) {
        lastWords = words;
    }

    /** Processor time of the calling thread since it began. */
    long cpuNanos() {
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : 0;
    }

    /** How many threads were started in this VM so far. */
    long threadsStarted() {
        return threads.getTotalStartedThreadCount();
    }

    @Override
    public void run() {
        long seen = -1;
        long since = 0;
        long cpuSince = 0;
        for (;;) {
            long limit = limitMillis;
            pause(Math.max(1, Math.min(MAX_SLEEP_MILLIS, limit / 4)));
            Thread watched = runner;
            long runs = marker.runs();
            if (limit <= 0 || watched == null || !marker.isRunning() || runs != seen) {
                seen = runs;
                since = System.nanoTime();
                cpuSince = cpuMillis(threads, watched);
                continue;
            }
            long wall = (System.nanoTime() - since) / 1_000_000;
            if (wall >= limit && isOver(watched, wall, cpuMillis(threads, watched) - cpuSince, limit)) {
                marker.timedOut();
                if (lastWords != null) {
                    lastWords.run();
                }
                Runtime.getRuntime().halt(ArenaProtocol.EXIT_TIMED_OUT);
            }
        }
    }

    private static boolean isOver(Thread watched, long wall, long cpu, long limit) {
        return watched.getState() != State.RUNNABLE || cpu >= limit - limit / 4 || wall >= PATIENCE * limit;
    }

    @SuppressWarnings("deprecation")
    private static long cpuMillis(ThreadMXBean threads, Thread thread) {
        try {
            return thread == null ? 0 : threads.getThreadCpuTime(thread.getId()) / 1_000_000;
        } catch (UnsupportedOperationException unknown) {
            return System.nanoTime() / 1_000_000;
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException bySubject) {
            // The subject interrupted all threads it could find; the watch goes on.
        }
    }
}
