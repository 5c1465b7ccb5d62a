package bonafix.runtime;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.lang.model.SourceVersion;
import javax.tools.JavaCompiler;
import javax.tools.JavaCompiler.CompilationTask;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * A javac that stays warm: reads compile requests from stdin, answers on stdout, ends when stdin does.
 *
 * <p>A cold javac takes a second to compile one file, a warm one some ten milliseconds; a run compiles one small
 * overlay for each patch. The protocol is described in {@code docs/runtime-java.md}.
 */
public final class CompilerDaemon {
    /** javac recurses over expressions; generated sources nest deeper than a default stack allows. */
    private static final long COMPILER_STACK_BYTES = 64L << 20;

    /** What the first JDK with {@code --release} went back to. */
    private static final int OLDEST_RELEASE_EVER = 6;

    private final JavaCompiler compiler;
    private final FileManagerCache fileManagers;
    private final InputStream requests;
    private final OutputStream answers;

    private CompilerDaemon(JavaCompiler compiler, InputStream requests, OutputStream answers) {
        this.compiler = compiler;
        this.fileManagers = new FileManagerCache(compiler);
        this.requests = requests;
        this.answers = answers;
    }

    public static void main(String[] arguments) throws InterruptedException {
        InputStream requests = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        // Annotation processors print and read where they like; the frames must not suffer from it.
        System.setOut(System.err);
        System.setIn(new ByteArrayInputStream(new byte[0]));

        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            System.err.println("no compiler in " + System.getProperty("java.home") + ": this is a JRE, a JDK is needed");
            Runtime.getRuntime().halt(Protocol.EXIT_INTERNAL);
        }
        CompilerDaemon daemon = new CompilerDaemon(compiler, requests, answers);
        Thread thread = new Thread(null, daemon::serveAndExit, "compiler", COMPILER_STACK_BYTES);
        thread.start();
        thread.join();
    }

    private void serveAndExit() {
        int exitCode = Protocol.EXIT_INTERNAL;
        try {
            exitCode = serve();
        } catch (IOException broken) {
            System.err.println("compiler daemon: " + broken);
            exitCode = Protocol.EXIT_BAD_REQUEST;
        } catch (OutOfMemoryError exhausted) {
            exitCode = Protocol.EXIT_OUT_OF_MEMORY;
        } finally {
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private int serve() throws IOException {
        hello().writeFrame(answers);
        for (;;) {
            PayloadReader frame = PayloadReader.readFrame(requests);
            if (frame == null) {
                return Protocol.EXIT_OK;
            }
            CompileRequest request = CompileRequest.read(frame);
            CompileResult result = new CompileResult();
            long start = System.nanoTime();
            compile(request, result);
            long millis = (System.nanoTime() - start) / 1_000_000;
            result.toPayload(request.id, millis).writeFrame(answers);
            if (result.isOutOfMemory()) {
                return Protocol.EXIT_OUT_OF_MEMORY;
            }
        }
    }

    private PayloadWriter hello() {
        PayloadWriter out = new PayloadWriter().u8(Protocol.COMPILER_HELLO).u32(Protocol.VERSION);
        out.string(System.getProperty("java.version")).string(System.getProperty("java.home"));
        List<Integer> levels = supportedReleases();
        out.u32(levels.size());
        for (int level : levels) {
            out.u32(level);
        }
        return out;
    }

    /** The levels {@code --release} accepts; none on JDK 8, which has no such option. */
    private List<Integer> supportedReleases() {
        List<Integer> levels = new ArrayList<>();
        if (compiler.isSupportedOption("--release") < 0) {
            return levels;
        }
        int latest = SourceVersion.latest().ordinal();
        for (int level = OLDEST_RELEASE_EVER; level <= latest; level++) {
            // Only the oldest level has to be found: from there on they are all supported, and asking takes time.
            if (!levels.isEmpty() || accepts(level)) {
                levels.add(level);
            }
        }
        return levels;
    }

    private boolean accepts(int release) {
        try {
            compiler.getTask(new StringWriter(), null, null, Arrays.asList("--release", "" + release),
                    Collections.singleton("java.lang.Object"), null);
            return true;
        } catch (IllegalArgumentException unsupported) {
            return false;
        }
    }

    private void compile(CompileRequest request, CompileResult result) {
        if (!request.outputDirectory.isDirectory() && !request.outputDirectory.mkdirs()) {
            result.refuse("cannot create the output folder " + request.outputDirectory);
            return;
        }
        try {
            runTask(request, result);
        } catch (IllegalArgumentException | IllegalStateException refused) {
            result.refuse(String.valueOf(refused.getMessage()));
            fileManagers.clear();
        } catch (Throwable crashed) {
            result.crash(crashed);
            fileManagers.clear();
        }
    }

    private void runTask(CompileRequest request, CompileResult result) throws Exception {
        StandardJavaFileManager files = fileManagers.get(request, result);
        files.setLocation(StandardLocation.CLASS_PATH, request.classPath);
        // Set even when empty: without a source path javac would look for sources on the class path.
        files.setLocation(StandardLocation.SOURCE_PATH, request.sourcePath);
        files.setLocation(StandardLocation.CLASS_OUTPUT, Collections.singleton(request.outputDirectory));

        StringWriter log = new StringWriter();
        CompilationTask task = compiler.getTask(log, files, result, request.options, null,
                files.getJavaFileObjectsFromFiles(request.sources));
        GeneratedClasses.listen(task, request.outputDirectory, result);
        boolean success = task.call() && !result.hasError();
        result.setSuccess(success);
        if (!success && (!result.hasError() || tellsOfExhaustion(log.toString()))) {
            result.crash(log.toString());
            fileManagers.clear();
        }
    }

    /** javac catches its own crashes and running out of memory or stack, and tells only its log. */
    private static boolean tellsOfExhaustion(String log) {
        return log.contains("java.lang.OutOfMemoryError") || log.contains("java.lang.StackOverflowError");
    }
}
