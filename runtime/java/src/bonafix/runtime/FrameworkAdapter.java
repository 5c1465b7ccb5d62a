package bonafix.runtime;

/**
 * What the runner needs of a test framework. The implementations are compiled apart, against the jars of the subject,
 * and found by name, because the runner itself must start without any framework at all.
 */
public interface FrameworkAdapter {
    /** The framework and its version, for the report. */
    String describe();

    /** Whether this adapter answers for an engine name that a listing gave: junit3, junit4, junit5. */
    boolean handles(String engine);

    /** Whether the class may hold tests of this framework; cheap, and without initialising the class. */
    boolean claims(Class<?> testClass);

    /** The tests of a claimed class; empty if it turns out to have none. */
    ClassListing list(Class<?> testClass, GroupFilter groups) throws Exception;

    /** Runs the selected tests of a class by the framework's own means. */
    void run(Class<?> testClass, TestSelection selection, GroupFilter groups, TestReporter reporter) throws Exception;
}
