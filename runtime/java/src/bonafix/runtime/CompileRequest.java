package bonafix.runtime;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the driver asks of {@link CompilerDaemon}: these sources, with these paths and options, into this folder. */
final class CompileRequest {
    final long id;
    final List<File> sources;
    final File outputDirectory;
    final List<File> classPath;
    final List<File> sourcePath;
    final List<String> options;

    private CompileRequest(PayloadReader in) throws IOException {
        id = in.u64();
        sources = files(in.strings());
        outputDirectory = new File(in.string());
        classPath = files(in.strings());
        sourcePath = files(in.strings());
        options = in.strings();
    }

    static CompileRequest read(PayloadReader in) throws IOException {
        int tag = in.u8();
        if (tag != Protocol.COMPILE) {
            throw new IOException("unknown request tag " + tag);
        }
        return new CompileRequest(in);
    }

    private static List<File> files(List<String> paths) {
        List<File> files = new ArrayList<>(paths.size());
        for (String path : paths) {
            files.add(new File(path));
        }
        return files;
    }
}
