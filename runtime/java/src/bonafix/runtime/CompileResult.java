package bonafix.runtime;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileObject;

/** What became of one {@link CompileRequest}: diagnostics, and every class file with the source it came from. */
final class CompileResult implements DiagnosticListener<JavaFileObject> {
    private final List<Message> messages = new ArrayList<>();
    /** Class file to source file, sorted so that the same request gives the same bytes. */
    private final Map<String, String> classFiles = new TreeMap<>();
    private boolean success;
    private boolean outOfMemory;

    @Override
    public synchronized void report(Diagnostic<? extends JavaFileObject> diagnostic) {
        messages.add(new Message(diagnostic));
    }

    synchronized void addClassFile(File classFile, String sourceFile) {
        classFiles.put(classFile.getPath(), sourceFile);
    }

    void setSuccess(boolean success) {
        this.success = success;
    }

    /** A request that javac refuses to start on: an unknown option, an unsupported level, no output folder. */
    void refuse(String reason) {
        messages.add(new Message("internal", "bonafix.bad-request", reason));
    }

    /** The compiler broke; nothing it produced for this request is to be trusted. */
    void crash(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        crash(text.toString());
        outOfMemory |= thrown instanceof OutOfMemoryError;
    }

    /** As {@link #crash(Throwable)}, for a failure that javac caught itself and only wrote to its log. */
    void crash(String compilerLog) {
        success = false;
        outOfMemory |= compilerLog.contains("java.lang.OutOfMemoryError");
        messages.add(new Message("internal", "bonafix.compiler-crash", compilerLog));
    }

    boolean hasError() {
        for (Message message : messages) {
            if (message.severity.equals("error")) {
                return true;
            }
        }
        return false;
    }

    boolean isOutOfMemory() {
        return outOfMemory;
    }

    PayloadWriter toPayload(long id, long millis) {
        PayloadWriter out = new PayloadWriter().u8(Protocol.COMPILED).u64(id).flag(success).u64(millis);
        out.u32(messages.size());
        for (Message message : messages) {
            message.put(out);
        }
        out.u32(classFiles.size());
        for (Map.Entry<String, String> entry : classFiles.entrySet()) {
            out.string(entry.getKey()).string(entry.getValue());
        }
        return out;
    }

    /** The path of a file object if it has one, so that the driver can match it with what it asked for. */
    static String pathOf(JavaFileObject file) {
        if (file == null) {
            return "";
        }
        try {
            return new File(file.toUri()).getPath();
        } catch (IllegalArgumentException notOnDisk) {
            return file.getName();
        }
    }

    /** One diagnostic in the form it travels in: lines and columns count from 1, offsets from 0; see the protocol. */
    private static final class Message {
        final String severity;
        final String code;
        final String text;
        String file = "";
        long line;
        long column;
        long start = Diagnostic.NOPOS;
        long end = Diagnostic.NOPOS;

        Message(String severity, String code, String text) {
            this.severity = severity;
            this.code = code;
            this.text = text;
        }

        Message(Diagnostic<? extends JavaFileObject> diagnostic) {
            this(severityOf(diagnostic), diagnostic.getCode(), diagnostic.getMessage(Locale.ENGLISH));
            file = pathOf(diagnostic.getSource());
            line = Math.max(0, diagnostic.getLineNumber());
            column = Math.max(0, diagnostic.getColumnNumber());
            start = diagnostic.getStartPosition();
            end = diagnostic.getEndPosition();
        }

        void put(PayloadWriter out) {
            out.string(severity).string(file).u32((int) line).u32((int) column);
            out.u64(start).u64(end).string(code).string(text);
        }

        private static String severityOf(Diagnostic<?> diagnostic) {
            switch (diagnostic.getKind()) {
                case ERROR:
                    return "error";
                case WARNING:
                case MANDATORY_WARNING:
                    return "warning";
                default:
                    return "note";
            }
        }
    }
}
