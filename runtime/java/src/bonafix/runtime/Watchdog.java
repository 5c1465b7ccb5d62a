package bonafix.runtime;

/** Looks at the clock so that a hanging test costs its limit and no more. */
final class Watchdog extends Thread {
    /** A limit that begins while the watchdog sleeps is noticed at most this late. */
    private static final long MAX_SLEEP_MILLIS = 50;

    private final TestReporter reporter;

    Watchdog(TestReporter reporter) {
        super("bonafix-watchdog");
        this.reporter = reporter;
        setDaemon(true);
        setPriority(MAX_PRIORITY);
    }

    @Override
    public void run() {
        for (;;) {
            try {
                reporter.haltIfTimedOut();
                Thread.sleep(Math.max(1, Math.min(MAX_SLEEP_MILLIS, reporter.millisLeft())));
            } catch (InterruptedException bySubject) {
                // A test interrupted all threads it could find; the watch goes on.
            } catch (OutOfMemoryError heapIsFull) {
                // The test that filled it is about to fail or to time out.
            }
        }
    }
}
