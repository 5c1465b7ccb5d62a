package bonafix.runtime;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;

/**
 * Keeps a few file managers open, because opening and indexing the jars of a class path is most of what a small
 * compilation costs.
 *
 * <p>A file manager remembers which paths exist and what the jars hold, but lists class folders anew for each
 * compilation; so it is reused only while every entry is still there and every jar has its old size and time.
 * It also remembers options, which therefore belong to the key.
 */
final class FileManagerCache {
    private static final int CAPACITY = 6;

    private final JavaCompiler compiler;
    /** A file manager reports what it cannot decode to the listener it was made with, which must outlive one request. */
    private CompileResult currentResult;
    private final Map<List<String>, StandardJavaFileManager> managers = new LinkedHashMap<>(16, 0.75f, true);

    FileManagerCache(JavaCompiler compiler) {
        this.compiler = compiler;
    }

    StandardJavaFileManager get(CompileRequest request, CompileResult result) {
        currentResult = result;
        List<String> key = keyOf(request);
        StandardJavaFileManager manager = managers.get(key);
        if (manager == null) {
            manager = compiler.getStandardFileManager(diagnostic -> currentResult.report(diagnostic), null, null);
            managers.put(key, manager);
            evictEldest();
        }
        return manager;
    }

    /** Forgets everything, after a failure that may have left a file manager half-way. */
    void clear() {
        for (StandardJavaFileManager manager : managers.values()) {
            close(manager);
        }
        managers.clear();
    }

    private static List<String> keyOf(CompileRequest request) {
        List<String> key = new ArrayList<>(request.options);
        for (File entry : request.classPath) {
            key.add(stampOf(entry));
        }
        return key;
    }

    private static String stampOf(File entry) {
        if (entry.isDirectory()) {
            return "folder " + entry;
        }
        return entry.length() + " " + entry.lastModified() + " " + entry;
    }

    private void evictEldest() {
        if (managers.size() > CAPACITY) {
            List<String> eldest = managers.keySet().iterator().next();
            close(managers.remove(eldest));
        }
    }

    private static void close(StandardJavaFileManager manager) {
        try {
            manager.close();
        } catch (IOException | RuntimeException ignored) {
            // Nothing was written through it, so nothing is lost.
        }
    }
}
