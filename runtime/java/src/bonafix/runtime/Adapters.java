package bonafix.runtime;

import java.util.ArrayList;
import java.util.List;

/** The test frameworks that this class path has, and those it would need. */
final class Adapters {
    private final List<FrameworkAdapter> available = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    private Adapters() {
    }

    static Adapters load() {
        Adapters adapters = new Adapters();
        // JUnit 4 runs JUnit 3 tests too, so the bare JUnit 3 adapter is only for where there is nothing newer.
        if (!adapters.add("bonafix.runtime.junit4.JUnit4Adapter", "org.junit.runner.Request")) {
            adapters.add("bonafix.runtime.junit3.JUnit3Adapter", "junit.framework.TestCase");
        }
        if (!adapters.add("bonafix.runtime.junit5.JUnit5Adapter", "org.junit.platform.launcher.Launcher")) {
            adapters.noteMissingPlatform();
        }
        return adapters;
    }

    List<FrameworkAdapter> available() {
        return available;
    }

    PayloadWriter hello(PayloadWriter out) {
        out.string(System.getProperty("java.version")).string(System.getProperty("java.home"));
        List<String> names = new ArrayList<>();
        for (FrameworkAdapter adapter : available) {
            names.add(adapter.describe());
        }
        return out.strings(names);
    }

    void reportMissing(TestReporter reporter) {
        for (String coordinates : missing) {
            reporter.problem("missing-artifact", coordinates, FailureReport.message(
                    "tests of this class path need " + coordinates + ", which is not on it"));
        }
    }

    private boolean add(String adapterClass, String frameworkClass) {
        if (find(frameworkClass) == null) {
            return false;
        }
        Class<?> adapter = find(adapterClass);
        if (adapter == null) {
            missing.add(adapterClass);
            return true;
        }
        try {
            available.add((FrameworkAdapter) adapter.getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException | LinkageError unusable) {
            throw new IllegalStateException(adapterClass + " does not fit the framework on the class path", unusable);
        }
        return true;
    }

    /** Names what JUnit 5 tests need to run, in the version that matches the rest of the class path. */
    private void noteMissingPlatform() {
        Class<?> engine = find("org.junit.platform.engine.TestEngine");
        Class<?> jupiter = find("org.junit.jupiter.api.Test");
        if (engine != null) {
            missing.add("org.junit.platform:junit-platform-launcher:" + versionOf(engine, "RELEASE"));
        } else if (jupiter != null) {
            String version = versionOf(jupiter, "RELEASE");
            missing.add("org.junit.jupiter:junit-jupiter-engine:" + version);
            // Jupiter 5.x belongs to platform 1.x; from 6 on they count together.
            missing.add("org.junit.platform:junit-platform-launcher:" + version.replaceFirst("^5\\.", "1."));
        }
    }

    static String versionOf(Class<?> type, String otherwise) {
        Package home = type.getPackage();
        String version = home == null ? null : home.getImplementationVersion();
        return version == null ? otherwise : version;
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}
