package bonafix.runtime.arena;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The class files of one version, read once however often its classes are loaded anew. */
final class VersionFiles {
    private static final byte[] ABSENT = new byte[0];

    final URL[] urls;
    private final File[] entries;
    private final JarFile[] jars;
    private final Map<String, byte[]> classes = new HashMap<>();

    VersionFiles(List<String> classPath) throws IOException {
        entries = new File[classPath.size()];
        jars = new JarFile[classPath.size()];
        urls = urls(classPath);
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new File(classPath.get(i));
            if (!entries[i].exists()) {
                throw new IOException("there is no " + entries[i]);
            }
            if (entries[i].isFile()) {
                jars[i] = new JarFile(entries[i]);
            }
        }
    }

    static URL[] urls(List<String> classPath) throws MalformedURLException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath.get(i)).toURI().toURL();
        }
        return urls;
    }

    /** The class file of a binary name, or {@code null} if this version has none. */
    synchronized byte[] classFile(String name) {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            bytes = read(name.replace('.', '/') + ".class");
            classes.put(name, bytes);
        }
        return bytes == ABSENT ? null : bytes;
    }

    boolean has(String className) {
        return classFile(className) != null;
    }

    /** Whether there is such a file. Nothing is kept of the answer: any text may be asked for. */
    boolean hasFile(String path) {
        for (int i = 0; i < entries.length; i++) {
            if (jars[i] == null ? new File(entries[i], path).isFile() : jars[i].getEntry(path) != null) {
                return true;
            }
        }
        return false;
    }

    /** Names of the classes that lie directly in these packages, sorted. */
    List<String> classesIn(Set<String> packages) {
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < entries.length; i++) {
            if (jars[i] == null) {
                for (String name : packages) {
                    addFolder(name, names, new File(entries[i], name.replace('.', '/')).list());
                }
            } else {
                addJar(jars[i], packages, names);
            }
        }
        return new ArrayList<>(names);
    }

    private static void addFolder(String packageName, Set<String> names, String[] files) {
        for (String file : files == null ? new String[0] : files) {
            if (file.endsWith(".class")) {
                String simple = file.substring(0, file.length() - ".class".length());
                names.add(packageName.isEmpty() ? simple : packageName + "." + simple);
            }
        }
    }

    private static void addJar(JarFile jar, Set<String> packages, Set<String> names) {
        for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements();) {
            String path = all.nextElement().getName();
            int slash = path.lastIndexOf('/');
            String packageName = slash < 0 ? "" : path.substring(0, slash).replace('/', '.');
            if (packages.contains(packageName)) {
                addFolder(packageName, names, new String[] {path.substring(slash + 1)});
            }
        }
    }

    private byte[] read(String path) {
        for (int i = 0; i < entries.length; i++) {
            try {
                byte[] bytes = jars[i] == null ? fromFolder(entries[i], path) : fromJar(jars[i], path);
                if (bytes != null) {
                    return bytes;
                }
            } catch (IOException unreadable) {
                // As if it were not there: the class is then missing, which is seen where it is needed.
            }
        }
        return ABSENT;
    }

    private static byte[] fromFolder(File folder, String path) throws IOException {
        File file = new File(folder, path);
        return file.isFile() ? Files.readAllBytes(file.toPath()) : null;
    }

    private static byte[] fromJar(JarFile jar, String path) throws IOException {
        ZipEntry entry = jar.getEntry(path);
        if (entry == null) {
            return null;
        }
        byte[] bytes = new byte[(int) entry.getSize()];
        try (java.io.DataInputStream in = new java.io.DataInputStream(jar.getInputStream(entry))) {
            in.readFully(bytes);
        }
        return bytes;
    }
}
