package bonafix.runtime;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Lists or runs the JUnit 3, 4 and 5 tests of one version of the subject, in its own VM, in the main thread.
 *
 * <p>{@code TestRunner REQUEST EVENTS}: REQUEST is a file with one frame, or {@code -} for stdin; EVENTS is a pipe or file to
 * which the events go. The protocol is described in {@code docs/runtime-java.md}.
 */
public final class TestRunner {
    private final TestRequest request;
    private final TestReporter reporter;
    private final List<FrameworkAdapter> adapters;
    private final ClassLoader loader = ClassLoader.getSystemClassLoader();

    private TestRunner(TestRequest request, TestReporter reporter, List<FrameworkAdapter> adapters) {
        this.request = request;
        this.reporter = reporter;
        this.adapters = adapters;
    }

    public static void main(String[] arguments) {
        if (arguments.length != 2) {
            System.err.println("usage: TestRunner REQUEST EVENTS");
            Exit.halt(Protocol.EXIT_BAD_REQUEST);
        }
        try {
            start(readRequest(arguments[0]), arguments[1]);
        } catch (IOException unusable) {
            System.err.println("test runner: " + unusable);
            Exit.halt(Protocol.EXIT_BAD_REQUEST);
        }
    }

    private static TestRequest readRequest(String path) throws IOException {
        // stdin is left open: its other end belongs to the driver, and tests may read from it.
        InputStream in = path.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(path);
        PayloadReader frame = PayloadReader.readFrame(in);
        if (frame == null) {
            throw new IOException("the request is empty");
        }
        return new TestRequest(frame);
    }

    private static void start(TestRequest request, String eventsPath) throws IOException {
        EventChannel channel = new EventChannel(eventsPath, request.nonce);
        OutputCapture capture = new OutputCapture(request.outputCap);
        TestReporter reporter = new TestReporter(channel, capture, request, Thread.currentThread());
        int exitCode = Protocol.EXIT_INTERNAL;
        try {
            capture.install();
            CallRecorder.installIfAsked();
            TestTracer.installIfAsked();
            Adapters adapters = Adapters.load();
            channel.send(adapters.hello(channel.event(Protocol.EVENT_HELLO).u32(Protocol.VERSION)));
            adapters.reportMissing(reporter);
            new Watchdog(reporter).start();
            new TestRunner(request, reporter, adapters.available()).perform();
            reporter.done(false);
            exitCode = Protocol.EXIT_OK;
        } catch (Throwable broken) {
            reporter.problem("internal", "", FailureReport.of(broken));
        } finally {
            // Threads that tests left behind would keep the VM alive.
            Exit.halt(exitCode);
        }
    }

    private void perform() {
        List<TestRequest.Item> items = new ArrayList<>();
        for (String name : ClassFinder.topLevelClasses(request.classDirectories)) {
            items.add(new TestRequest.Item("", name, Collections.<String>emptyList()));
        }
        items.addAll(request.items);
        for (TestRequest.Item item : items) {
            reporter.classStarted(item.className);
            try {
                performItem(item);
            } catch (Throwable unusable) {
                reporter.classFailed(kindOf(unusable), item.className, item.ids, unusable);
            }
            reporter.classFinished();
        }
    }

    private static String kindOf(Throwable unusable) {
        boolean load = unusable instanceof LinkageError || unusable instanceof ClassNotFoundException;
        return load ? "class-load" : "framework";
    }

    private void performItem(TestRequest.Item item) throws Exception {
        Class<?> testClass = Class.forName(item.className, false, loader);
        if (testClass.isInterface() || Modifier.isAbstract(testClass.getModifiers())) {
            notFound(item.ids);
            return;
        }
        TestSelection selection = new TestSelection(item.ids);
        for (FrameworkAdapter adapter : adapters) {
            if ((item.engine.isEmpty() || adapter.handles(item.engine)) && adapter.claims(testClass)) {
                perform(adapter, testClass, selection);
            }
        }
        if (request.mode == Protocol.MODE_RUN) {
            notFound(selection.unmatched());
        }
    }

    private void perform(FrameworkAdapter adapter, Class<?> testClass, TestSelection selection) throws Exception {
        if (request.mode == Protocol.MODE_RUN) {
            adapter.run(testClass, selection, request.groups, reporter);
            return;
        }
        ClassListing listing = adapter.list(testClass, request.groups);
        if (!listing.isEmpty()) {
            reporter.listed(listing);
        }
    }

    private void notFound(Collection<String> ids) {
        for (String id : ids) {
            reporter.notFound(id);
        }
    }
}
