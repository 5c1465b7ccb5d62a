package bonafix.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes down which lines each test runs. Switched on by the system property {@code bonafix.lines}, the file to write to;
 * {@code bonafix.lines.limit} is how many lines of a test are kept, and {@code bonafix.lines.always}, if it is there, a file
 * that lists tests whose lines are wanted even if they come to no changed method.
 */
final class TestTracer {
    private static final String PROPERTY = "bonafix.lines";

    private static TestTracer active;

    private final TraceFile file;
    private final Set<String> always;
    private final Set<String> open = new HashSet<>();
    /** More than one test was under way since this one began. */
    private boolean mixed;

    private TestTracer(TraceFile file, Set<String> always) {
        this.file = file;
        this.always = always;
    }

    /** Begins to trace if somebody asked for it. */
    static void installIfAsked() throws IOException {
        String path = System.getProperty(PROPERTY);
        if (path != null) {
            String list = System.getProperty(PROPERTY + ".always");
            Set<String> always = list == null ? Collections.<String>emptySet()
                    : new HashSet<>(Files.readAllLines(Paths.get(list), StandardCharsets.UTF_8));
            active = new TestTracer(new TraceFile(path), always);
            LineTrace.install(Integer.getInteger(PROPERTY + ".limit", 1 << 20));
        }
    }

    static void testStarted(String id) {
        if (active != null) {
            active.started(id);
        }
    }

    /** Nothing more belongs to the test. */
    static void testEnds() {
        if (active != null) {
            LineTrace.end();
        }
    }

    static void testFinished(String id) {
        if (active != null) {
            active.finished(id);
        }
    }

    private void started(String id) {
        mixed = !open.isEmpty();
        open.add(id);
        LineTrace.begin();
    }

    private void finished(String id) {
        open.remove(id);
        mixed |= !open.isEmpty();
        try {
            if (mixed) {
                file.bare(TraceFile.MIXED, id);
            } else {
                file.write(id, always.contains(id));
            }
        } catch (IOException full) {
            // What has no record has no trace.
        }
    }
}
