package bonafix.runtime.junit4;

import org.junit.runner.Description;

/**
 * Turns JUnit's display names, {@code method(package.Class)}, into ids, {@code package.Class#method}.
 *
 * <p>Parsed here rather than by {@code Description}, which cannot before 4.6 and fails on line breaks before 4.12.
 */
final class Ids {
    private final Class<?> root;

    Ids(Class<?> root) {
        this.root = root;
    }

    /** A leaf that is a test, not a class without any. */
    boolean isTest(Description description) {
        return description.isTest() && classNamed(description.getDisplayName()) == null;
    }

    String of(Description description) {
        String name = description.getDisplayName();
        String className = classPart(name);
        // JUnit 3 describes what is wrong with a class by a test of a class of its own.
        if (className == null || className.startsWith("junit.framework.TestSuite$")) {
            return root.getName() + "#" + (className == null ? name : methodPart(name));
        }
        return className + "#" + methodPart(name);
    }

    /** The class a test belongs to; the one being run if that cannot be told. */
    static Class<?> classOf(Description description, Class<?> otherwise) {
        String className = classPart(description.getDisplayName());
        Class<?> found = className == null ? null : classNamed(className);
        return found == null ? otherwise : found;
    }

    static Class<?> classNamed(String name) {
        if (name.endsWith(")") || name.endsWith("]")) {
            // A test, not a class; looking through all jars for it would take its time.
            return null;
        }
        try {
            return Class.forName(name, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }

    private static String classPart(String displayName) {
        int open = displayName.lastIndexOf('(');
        return open > 0 && displayName.endsWith(")") ? displayName.substring(open + 1, displayName.length() - 1) : null;
    }

    private static String methodPart(String displayName) {
        return displayName.substring(0, displayName.lastIndexOf('('));
    }
}
