package bonafix.runtime.arena;

import bonafix.runtime.PayloadReader;
import bonafix.runtime.PayloadWriter;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All versions of a program in one VM, each behind a class loader of its own: runs a sequence of calls in all of
 * them and says where they do not do the same.
 *
 * <p>Requests come on stdin, answers go to stdout; it ends when stdin does. What the subject prints is dropped. The
 * protocol is described in {@code docs/runtime-java.md}.
 */
public final class Arena {
    private final InputStream requests;
    private final OutputStream answers;
    private final Names names = new Names();
    private final Globals globals = new Globals();
    private Versions versions;
    private Runner runner;

    private Arena(InputStream requests, OutputStream answers) {
        this.requests = requests;
        this.answers = answers;
    }

    public static void main(String[] arguments) {
        InputStream requests = new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16);
        OutputStream answers = new Answers();
        java.io.PrintStream log = System.err;
        int exitCode = ArenaProtocol.EXIT_INTERNAL;
        try {
            exitCode = new Arena(requests, answers).serve();
        } catch (IOException broken) {
            log.println("arena: " + broken);
            exitCode = ArenaProtocol.EXIT_BAD_REQUEST;
        } catch (OutOfMemoryError full) {
            exitCode = ArenaProtocol.EXIT_OUT_OF_MEMORY;
        } catch (Throwable bug) {
            bug.printStackTrace(log);
        } finally {
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private int serve() throws Exception {
        new PayloadWriter().u8(ArenaProtocol.HELLO).u32(ArenaProtocol.VERSION).string(System.getProperty("java.version"))
                .writeFrame(answers);
        for (;;) {
            PayloadReader frame = PayloadReader.readFrame(requests);
            if (frame == null) {
                return ArenaProtocol.EXIT_OK;
            }
            int exitCode = answer(frame);
            if (exitCode != 0) {
                return exitCode;
            }
        }
    }

    private int answer(PayloadReader frame) throws Exception {
        int tag = frame.u8();
        if (tag == ArenaProtocol.OPEN) {
            open(frame);
            return 0;
        }
        if (tag == ArenaProtocol.REOPEN) {
            reopen(frame);
            return 0;
        }
        if (runner == null) {
            throw new IOException("nothing is open");
        }
        switch (tag) {
            case ArenaProtocol.RUN:
                return runner.run(Batch.read(frame, versions.catalog.size(), versions.count()));
            case ArenaProtocol.CONFIRM:
                return runner.confirm(Batch.read(frame, versions.catalog.size(), versions.count()));
            case ArenaProtocol.TRACE:
                String file = frame.string();
                int lines = frame.u32();
                return runner.trace(Batch.read(frame, versions.catalog.size(), versions.count()), file, lines);
            case ArenaProtocol.RESET:
                runner.reset();
                new PayloadWriter().u8(ArenaProtocol.DONE).u64(0).writeFrame(answers);
                return 0;
            default:
                throw new IOException("there is no request " + tag);
        }
    }

    private void open(PayloadReader frame) throws IOException {
        String markerPath = frame.string();
        List<String> libraries = frame.strings();
        List<List<String>> classPaths = classPaths(frame);
        List<String> roots = frame.strings();
        Map<String, List<String>> below = new HashMap<>();
        for (int count = frame.count(); count > 0; count--) {
            String name = frame.string();
            for (String parent : frame.strings()) {
                below.computeIfAbsent(parent, parentName -> new ArrayList<>()).add(name);
            }
        }
        Goals goals = Goals.read(frame);
        CatalogBuilder catalog;
        try {
            versions = new Versions(libraries, classPaths);
            catalog = new CatalogBuilder(versions.alone(0), versions.files(0), below);
            catalog.build(roots);
        } catch (IOException unreadable) {
            new PayloadWriter().u8(ArenaProtocol.PROBLEM).string(unreadable.getMessage()).writeFrame(answers);
            return;
        }
        begin(catalog.callables, markerPath, goals);
        PayloadWriter opened = new PayloadWriter().u8(ArenaProtocol.OPENED);
        catalog.put(opened);
        opened.writeFrame(answers);
    }

    /** In place of a VM that is gone: its catalog comes with the request. */
    private void reopen(PayloadReader frame) throws IOException {
        String markerPath = frame.string();
        List<String> libraries = frame.strings();
        List<List<String>> classPaths = classPaths(frame);
        Goals goals = Goals.read(frame);
        List<CallableSpec> catalog = new ArrayList<>();
        for (int count = frame.count(); count > 0; count--) {
            catalog.add(CallableSpec.read(frame));
        }
        try {
            versions = new Versions(libraries, classPaths);
        } catch (IOException unreadable) {
            new PayloadWriter().u8(ArenaProtocol.PROBLEM).string(unreadable.getMessage()).writeFrame(answers);
            return;
        }
        begin(catalog, markerPath, goals);
        new PayloadWriter().u8(ArenaProtocol.DONE).u64(0).writeFrame(answers);
    }

    private static List<List<String>> classPaths(PayloadReader frame) throws IOException {
        List<List<String>> classPaths = new ArrayList<>();
        for (int count = frame.count(); count > 0; count--) {
            classPaths.add(frame.strings());
        }
        return classPaths;
    }

    private void begin(List<CallableSpec> catalog, String markerPath, Goals goals) throws IOException {
        versions.catalog = catalog;
        Marker marker = new Marker(markerPath);
        SequenceWatchdog watchdog = new SequenceWatchdog(marker);
        watchdog.start();
        runner = new Runner(versions, names, marker, watchdog, globals, goals, answers);
    }

    /** Ends the VM when nobody reads the answers any more: that is no fault of a request. */
    private static final class Answers extends OutputStream {
        private final OutputStream pipe = new FileOutputStream(FileDescriptor.out);

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            try {
                pipe.write(bytes, offset, length);
            } catch (IOException readerIsGone) {
                Runtime.getRuntime().halt(ArenaProtocol.EXIT_READER_GONE);
            }
        }
    }
}
