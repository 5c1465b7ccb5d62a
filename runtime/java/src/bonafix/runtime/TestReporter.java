package bonafix.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns what a framework tells into events: measures, captures output, classifies outcomes, and speaks up for the tests that
 * a failed set-up never let start.
 *
 * <p>Called by the thread that runs the tests, by threads of the subject's own runners, and by the {@link Watchdog}.
 */
public final class TestReporter {
    private enum Outcome {
        PASSED(1), FAILED(2), ERROR(3), SKIPPED(4), TIMED_OUT(5);

        final int code;

        Outcome(int code) {
            this.code = code;
        }
    }

    private static final class RunningTest {
        final long startNanos = System.nanoTime();
        final OutputCapture.Captured output;
        Outcome outcome = Outcome.PASSED;
        FailureReport failure = FailureReport.NONE;

        RunningTest(OutputCapture.Captured output) {
            this.output = output;
        }
    }

    private final EventChannel channel;
    private final OutputCapture capture;
    private final TestRequest request;
    private final Thread mainThread;

    private String currentClass;
    /** Output of the current class that belongs to no test. */
    private OutputCapture.Captured classOutput;
    private long lastStepNanos;
    private final Map<String, RunningTest> running = new LinkedHashMap<>();
    private final Set<String> openTemplates = new LinkedHashSet<>();
    private final Set<String> expected = new LinkedHashSet<>();
    private final Set<String> ended = new HashSet<>();
    private int endedCount;

    TestReporter(EventChannel channel, OutputCapture capture, TestRequest request, Thread mainThread) {
        this.channel = channel;
        this.capture = capture;
        this.request = request;
        this.mainThread = mainThread;
        this.classOutput = capture.fresh();
    }

    // ---- called by the runner

    synchronized void classStarted(String className) {
        currentClass = className;
        classOutput = capture.fresh();
        capture.routeTo(classOutput);
        running.clear();
        openTemplates.clear();
        expected.clear();
        ended.clear();
        step();
        channel.send(channel.event(Protocol.EVENT_CLASS_START).string(className));
    }

    synchronized void classFinished() {
        PayloadWriter event = channel.event(Protocol.EVENT_CLASS_END).string(currentClass);
        classOutput.put(event);
        channel.send(event);
        currentClass = null;
    }

    synchronized void listed(ClassListing listing) {
        channel.send(listing.put(channel.event(Protocol.EVENT_LISTING)));
    }

    synchronized void done(boolean tainted) {
        channel.send(channel.event(Protocol.EVENT_DONE).flag(tainted).u32(endedCount));
    }

    /** The class cannot be run; the tests known to be in it, or else those wanted by name, are in error. */
    void classFailed(String kind, String className, Collection<String> wanted, Throwable cause) {
        FailureReport report = FailureReport.of(cause);
        problem(kind, className, report);
        Collection<String> blamed;
        synchronized (this) {
            blamed = new ArrayList<>(expected.isEmpty() ? wanted : expected);
        }
        for (String id : blamed) {
            endUnstarted(id, Outcome.ERROR, report);
        }
        stopIfOutOfMemory(report);
    }

    void problem(String kind, String className, FailureReport report) {
        PayloadWriter event = channel.event(Protocol.EVENT_PROBLEM).string(kind).string(className);
        report.put(event);
        channel.send(event);
    }

    // ---- called by adapters

    /** Tests that are going to run; those that never start are accounted for when their set-up fails or hangs. */
    public synchronized void expect(Collection<String> ids) {
        expected.addAll(ids);
    }

    public synchronized void testStarted(String id) {
        CallRecorder.testStarted(id);
        RunningTest test = new RunningTest(capture.fresh());
        running.put(id, test);
        capture.routeTo(test.output);
        channel.send(channel.event(Protocol.EVENT_TEST_START).string(id));
        TestTracer.testStarted(id);
    }

    /** The first failure decides; what a tear-down adds to it is not reported. */
    public void testFailed(String id, Throwable cause) {
        FailureReport report = FailureReport.of(cause);
        synchronized (this) {
            boolean started = running.containsKey(id);
            if (!started) {
                testStarted(id);
            }
            RunningTest test = running.get(id);
            if (test.outcome == Outcome.PASSED || test.outcome == Outcome.SKIPPED) {
                test.outcome = outcomeOf(report);
                test.failure = report;
            }
            if (!started) {
                testFinished(id);
            }
        }
    }

    /** The test ran into an assumption that does not hold. */
    public void testAborted(String id, Throwable cause) {
        FailureReport report = FailureReport.of(cause);
        synchronized (this) {
            RunningTest test = running.get(id);
            if (test == null) {
                endUnstarted(id, Outcome.SKIPPED, report);
            } else if (test.outcome == Outcome.PASSED) {
                test.outcome = Outcome.SKIPPED;
                test.failure = report;
            }
        }
    }

    public void testFinished(String id) {
        FailureReport failure;
        TestTracer.testEnds();
        synchronized (this) {
            RunningTest test = running.remove(id);
            if (test == null) {
                return;
            }
            failure = test.failure;
            end(id, test.outcome, millisSince(test.startNanos), failure, test.output);
            capture.routeTo(running.isEmpty() ? classOutput : running.values().iterator().next().output);
            TestTracer.testFinished(id);
            step();
        }
        stopIfOutOfMemory(failure);
    }

    /** The test is disabled and was not started. */
    public void testSkipped(String id, String reason) {
        endUnstarted(id, Outcome.SKIPPED, FailureReport.message(reason));
    }

    public synchronized void templateStarted(String id) {
        openTemplates.add(id);
        step();
        channel.send(channel.event(Protocol.EVENT_TEMPLATE_START).string(id));
    }

    public synchronized void templateFinished(String id) {
        openTemplates.remove(id);
        // Its invocations had outcomes of their own; a failing tear-down must not count it as never run.
        ended.add(id);
        step();
        channel.send(channel.event(Protocol.EVENT_TEMPLATE_END).string(id));
    }

    /**
     * What surrounds these tests failed: those not yet run are in error because of it; if all have run it was the tear-down,
     * which is a problem of the class.
     */
    public void surroundingFailed(Collection<String> ids, Throwable cause) {
        endRemaining(ids, Outcome.ERROR, FailureReport.of(cause));
    }

    /** As {@link #surroundingFailed}, for an assumption of the set-up that does not hold. */
    public void surroundingAborted(Collection<String> ids, Throwable cause) {
        endRemaining(ids, Outcome.SKIPPED, FailureReport.of(cause));
    }

    public synchronized boolean isRunning(String id) {
        return running.containsKey(id);
    }

    public synchronized void notFound(String id) {
        channel.send(channel.event(Protocol.EVENT_NOT_FOUND).string(currentClass).string(id));
    }

    // ---- called by the watchdog

    /** Milliseconds until something exceeds its limit; at most zero when it does. */
    synchronized long millisLeft() {
        if (currentClass == null) {
            return Long.MAX_VALUE;
        }
        if (running.isEmpty()) {
            return request.classLimit == 0 ? Long.MAX_VALUE : request.classLimit - millisSince(lastStepNanos);
        }
        long left = Long.MAX_VALUE;
        for (Map.Entry<String, RunningTest> entry : running.entrySet()) {
            long limit = request.limitOf(entry.getKey());
            if (limit > 0) {
                left = Math.min(left, limit - millisSince(entry.getValue().startNanos));
            }
        }
        return left;
    }

    /** Reports what hangs and ends the VM; holds the lock so that nothing can be reported after it. */
    synchronized void haltIfTimedOut() {
        if (millisLeft() > 0) {
            return;
        }
        if (running.isEmpty()) {
            reportHangOutsideTests();
        } else {
            reportHangingTests();
        }
        Exit.halt(Protocol.EXIT_TEST_TIMED_OUT);
    }

    private void reportHangingTests() {
        for (Map.Entry<String, RunningTest> entry : running.entrySet()) {
            RunningTest test = entry.getValue();
            long limit = request.limitOf(entry.getKey());
            FailureReport where = FailureReport.ofHang(mainThread, "still running after " + limit + " ms");
            end(entry.getKey(), Outcome.TIMED_OUT, millisSince(test.startNanos), where, test.output);
        }
    }

    private void reportHangOutsideTests() {
        FailureReport where = FailureReport.ofHang(mainThread,
                "still running after " + request.classLimit + " ms, outside any test");
        problem("timed-out", currentClass, where);
        for (String id : blamedForHang()) {
            endUnstarted(id, Outcome.TIMED_OUT, where);
        }
    }

    /** The innermost open template, or else every test that has not run. */
    private List<String> blamedForHang() {
        if (openTemplates.isEmpty()) {
            return new ArrayList<>(expected);
        }
        List<String> open = new ArrayList<>(openTemplates);
        return open.subList(open.size() - 1, open.size());
    }

    // ---- shared

    private void endRemaining(Collection<String> ids, Outcome outcome, FailureReport report) {
        List<String> remaining = new ArrayList<>();
        String className;
        synchronized (this) {
            className = currentClass;
            for (String id : ids) {
                if (!ended.contains(id) && !running.containsKey(id)) {
                    remaining.add(id);
                }
            }
        }
        if (outcome == Outcome.ERROR) {
            problem(remaining.isEmpty() ? "tear-down" : "set-up", className, report);
        }
        for (String id : remaining) {
            endUnstarted(id, outcome, report);
        }
        stopIfOutOfMemory(report);
    }

    private synchronized void endUnstarted(String id, Outcome outcome, FailureReport report) {
        if (!ended.contains(id)) {
            channel.send(channel.event(Protocol.EVENT_TEST_START).string(id));
            end(id, outcome, 0, report, capture.fresh());
            step();
        }
    }

    private void end(String id, Outcome outcome, long millis, FailureReport failure, OutputCapture.Captured output) {
        PayloadWriter event = channel.event(Protocol.EVENT_TEST_END).string(id).u8(outcome.code).u64(millis);
        failure.put(event);
        output.put(event);
        channel.send(event);
        ended.add(id);
        endedCount++;
    }

    /** The heap may be full of what the failed test left; a fresh VM runs the rest. */
    private void stopIfOutOfMemory(FailureReport failure) {
        if (failure.isOutOfMemory) {
            channel.send(channel.event(Protocol.EVENT_TAINTED).string("out of memory"));
            done(true);
            Exit.halt(Protocol.EXIT_OK);
        }
    }

    private static Outcome outcomeOf(FailureReport report) {
        return report.isAssertion ? Outcome.FAILED : Outcome.ERROR;
    }

    private void step() {
        lastStepNanos = System.nanoTime();
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
