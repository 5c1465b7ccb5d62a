package bonafix.runtime;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Names the classes in folders of class files that may be test classes. */
final class ClassFinder {
    private static final String SUFFIX = ".class";

    private ClassFinder() {
    }

    /**
     * All top-level classes, sorted. Nested ones are left out as Surefire leaves them out: those that hold tests are run by
     * their outer class.
     */
    static List<String> topLevelClasses(List<String> directories) {
        List<String> names = new ArrayList<>();
        for (String directory : directories) {
            addClasses(new File(directory), "", names);
        }
        return names;
    }

    private static void addClasses(File directory, String prefix, List<String> names) {
        File[] files = directory.listFiles();
        if (files == null) {
            return;
        }
        Arrays.sort(files);
        for (File file : files) {
            String name = file.getName();
            if (file.isDirectory()) {
                addClasses(file, prefix + name + ".", names);
            } else if (name.endsWith(SUFFIX) && name.indexOf('$') < 0 && name.indexOf('-') < 0) {
                names.add(prefix + name.substring(0, name.length() - SUFFIX.length()));
            }
        }
    }
}
