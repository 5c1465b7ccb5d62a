package bonafix.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A throwable turned into text once, as early as possible, because asking it anything runs code of the subject.
 */
final class FailureReport {
    static final FailureReport NONE = new FailureReport("", "", Collections.<String>emptyList(), false, false);

    private static final int MAX_MESSAGE_CHARS = 16 * 1024;
    private static final int MAX_FRAMES_EACH = 64;
    private static final int MAX_LINES = 200;
    private static final int MAX_THREADS = 8;
    /** Frames below the test method that say nothing about the subject. */
    private static final String[] PLUMBING = {
        "bonafix.runtime.", "org.junit.", "junit.framework.", "junit.extensions.", "java.lang.reflect.",
        "jdk.internal.reflect.", "sun.reflect.", "java.util.stream.", "java.util.Optional.",
        "java.util.ArrayList.forEach", "java.util.Iterator.", "java.lang.Thread.run", "java.util.concurrent.FutureTask.run",
        "java.util.concurrent.ThreadPoolExecutor",
    };

    final String exceptionClass;
    final String message;
    final List<String> stack;
    /** A violated assertion, as opposed to any other throwable. */
    final boolean isAssertion;
    /** The VM ran out of memory, so that nothing after this can be trusted. */
    final boolean isOutOfMemory;

    private FailureReport(String exceptionClass, String message, List<String> stack, boolean isAssertion,
            boolean isOutOfMemory) {
        this.exceptionClass = exceptionClass;
        this.message = cap(message);
        this.stack = stack;
        this.isAssertion = isAssertion;
        this.isOutOfMemory = isOutOfMemory;
    }

    static FailureReport of(Throwable thrown) {
        if (thrown == null) {
            return new FailureReport("", "failed without an exception", Collections.<String>emptyList(), false, false);
        }
        List<String> lines = new ArrayList<>();
        boolean outOfMemory = false;
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = causeOf(cause)) {
            if (cause != thrown) {
                addLine(lines, "Caused by: " + cause.getClass().getName() + ": " + cap(messageOf(cause)));
            }
            addFrames(lines, stackOf(cause));
            outOfMemory |= cause instanceof OutOfMemoryError;
        }
        return new FailureReport(thrown.getClass().getName(), messageOf(thrown), lines, isAssertion(thrown), outOfMemory);
    }

    static FailureReport message(String message) {
        return new FailureReport("", message, Collections.<String>emptyList(), false, false);
    }

    /** Where the threads of a hanging test stand: the main thread first, then others that run the subject's code. */
    static FailureReport ofHang(Thread main, String message) {
        List<String> lines = new ArrayList<>();
        addFrames(lines, main.getStackTrace());
        int threads = 0;
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            if (thread != main && runsSubject(entry.getValue()) && threads++ < MAX_THREADS) {
                addLine(lines, "Thread " + thread.getName());
                addFrames(lines, entry.getValue());
            }
        }
        return new FailureReport("", message, lines, false, false);
    }

    void put(PayloadWriter out) {
        out.string(exceptionClass).string(message).strings(stack);
    }

    /** JUnit 3.8's own assertion error is not an AssertionError, hence the name. */
    private static boolean isAssertion(Throwable thrown) {
        if (thrown instanceof AssertionError) {
            return true;
        }
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals("junit.framework.AssertionFailedError")) {
                return true;
            }
        }
        return false;
    }

    private static boolean runsSubject(StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            if (frame.getClassName().startsWith("bonafix.runtime.")) {
                return false;
            }
        }
        for (StackTraceElement frame : frames) {
            String name = frame.getClassName();
            if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.") && !isPlumbing(frame)) {
                return true;
            }
        }
        return false;
    }

    /** Adds the frames without the tail of runner and reflection frames that is the same for every test. */
    private static void addFrames(List<String> lines, StackTraceElement[] frames) {
        int end = frames.length;
        for (int i = 0; i < frames.length; i++) {
            if (frames[i].getClassName().startsWith("bonafix.runtime.")) {
                end = i;
                break;
            }
        }
        while (end > 1 && isPlumbing(frames[end - 1])) {
            end--;
        }
        for (int i = 0; i < end; i++) {
            if (i == MAX_FRAMES_EACH) {
                addLine(lines, "... " + (end - i) + " more");
                return;
            }
            addLine(lines, "at " + describe(frames[i]));
        }
    }

    /** Without modules and loaders, which {@code toString} adds or not depending on the JDK and where the frame is from. */
    private static String describe(StackTraceElement frame) {
        String where = frame.isNativeMethod() ? "Native Method" : frame.getFileName();
        if (where == null) {
            where = "Unknown Source";
        } else if (frame.getLineNumber() >= 0) {
            where += ":" + frame.getLineNumber();
        }
        return frame.getClassName() + "." + frame.getMethodName() + "(" + where + ")";
    }

    private static boolean isPlumbing(StackTraceElement frame) {
        String where = frame.getClassName() + "." + frame.getMethodName();
        for (String prefix : PLUMBING) {
            if (where.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static void addLine(List<String> lines, String line) {
        if (lines.size() < MAX_LINES) {
            lines.add(line);
        }
    }

    private static String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable broken) {
            return "(getMessage() threw " + broken.getClass().getName() + ")";
        }
    }

    private static Throwable causeOf(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable broken) {
            return null;
        }
    }

    private static StackTraceElement[] stackOf(Throwable thrown) {
        try {
            StackTraceElement[] frames = thrown.getStackTrace();
            return frames == null ? new StackTraceElement[0] : frames;
        } catch (Throwable broken) {
            return new StackTraceElement[0];
        }
    }

    private static String cap(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= MAX_MESSAGE_CHARS ? text : text.substring(0, MAX_MESSAGE_CHARS) + "...";
    }
}
