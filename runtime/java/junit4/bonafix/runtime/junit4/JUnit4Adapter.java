package bonafix.runtime.junit4;

import bonafix.runtime.ClassListing;
import bonafix.runtime.FrameworkAdapter;
import bonafix.runtime.GroupFilter;
import bonafix.runtime.TestClasses;
import bonafix.runtime.TestReporter;
import bonafix.runtime.TestSelection;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.Ignore;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/**
 * Runs JUnit 4 tests, and JUnit 3 ones through JUnit 4, exactly as {@code JUnitCore} would. Compiles against JUnit 4.4 and
 * all later ones.
 */
public final class JUnit4Adapter implements FrameworkAdapter {
    private static final String JUNIT_4_TEST = "org.junit.Test";
    /** Lets JUnit 4 run JUnit 5 tests; the JUnit 5 adapter does that better. */
    private static final String PLATFORM_RUNNER = "org.junit.platform.runner.JUnitPlatform";

    @Override
    public String describe() {
        return "junit4 " + junit.runner.Version.id();
    }

    @Override
    public boolean handles(String engine) {
        return engine.equals("junit4") || engine.equals("junit3");
    }

    @Override
    public boolean claims(Class<?> testClass) {
        RunWith runWith = testClass.getAnnotation(RunWith.class);
        if (runWith != null) {
            return !runWith.value().getName().equals(PLATFORM_RUNNER);
        }
        return TestClasses.suiteMethod(testClass) != null
                || TestClasses.hasJUnit3Tests(testClass)
                || !TestClasses.methodsAnnotated(testClass, JUNIT_4_TEST).isEmpty();
    }

    @Override
    public ClassListing list(Class<?> testClass, GroupFilter groups) {
        ClassListing listing = new ClassListing(testClass.getName(), engineOf(testClass));
        List<Description> leaves = leavesOf(Request.aClass(testClass).getRunner().getDescription());
        if (isBroken(leaves)) {
            for (String id : blamedForBroken(testClass)) {
                listing.add(id, false, null, new ArrayList<String>());
            }
            return listing;
        }
        Ids ids = new Ids(testClass);
        for (Description leaf : leaves) {
            if (ids.isTest(leaf) && accepts(groups, leaf, testClass)) {
                listing.add(ids.of(leaf), false, ignoreReason(leaf), categoryNames(leaf, testClass));
            }
        }
        Ignore ignored = testClass.getAnnotation(Ignore.class);
        if (listing.isEmpty() && ignored != null) {
            for (String id : TestClasses.writtenTestIds(testClass)) {
                listing.add(id, false, ignored.value(), new ArrayList<String>());
            }
        }
        return listing;
    }

    @Override
    public void run(Class<?> testClass, TestSelection selection, GroupFilter groups, TestReporter reporter) {
        Ids ids = new Ids(testClass);
        Request request = Request.aClass(testClass);
        Description all = request.getRunner().getDescription();
        List<Description> leaves = leavesOf(all);
        if (isBroken(leaves)) {
            runBroken(testClass, request.getRunner(), selection, reporter);
            return;
        }
        if (isIgnored(testClass, leaves, ids)) {
            skipIgnored(testClass, selection, reporter);
            return;
        }
        SelectedTests filter = new SelectedTests(testClass, ids, selection, groups);
        Set<String> expected = new LinkedHashSet<>();
        for (Description leaf : leaves) {
            if (ids.isTest(leaf) && filter.shouldRun(leaf)) {
                expected.add(ids.of(leaf));
            }
        }
        if (expected.isEmpty()) {
            return;
        }
        reporter.expect(expected);
        boolean filtered = !selection.isWholeClass() || !groups.isEmpty();
        Runner runner = filtered ? request.filterWith(filter).getRunner() : request.getRunner();
        RunNotifier notifier = new RunNotifier();
        ReportingListener listener = new ReportingListener(ids, expected, reporter);
        notifier.addListener(listener);
        runner.run(notifier);
        listener.blameStrayFailure();
    }

    /** A class JUnit cannot run: its cause is told of each test written in it, as far as these are wanted. */
    private static void runBroken(Class<?> testClass, Runner runner, TestSelection selection, TestReporter reporter) {
        final List<Throwable> causes = new ArrayList<>();
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(new RunListener() {
            @Override
            public void testFailure(Failure failure) {
                causes.add(failure.getException());
            }
        });
        runner.run(notifier);
        Set<String> blamed = selection.isWholeClass() ? blamedForBroken(testClass) : allWanted(selection);
        reporter.surroundingFailed(blamed, causes.isEmpty() ? null : causes.get(0));
    }

    private static void skipIgnored(Class<?> testClass, TestSelection selection, TestReporter reporter) {
        String reason = testClass.getAnnotation(Ignore.class).value();
        Set<String> skipped = selection.isWholeClass() ? TestClasses.writtenTestIds(testClass) : allWanted(selection);
        for (String id : skipped) {
            reporter.testSkipped(id, reason);
        }
    }

    private static Set<String> blamedForBroken(Class<?> testClass) {
        Set<String> ids = TestClasses.writtenTestIds(testClass);
        if (ids.isEmpty()) {
            ids.add(testClass.getName() + "#initializationError");
        }
        return ids;
    }

    /** The wanted ids as they are: what parameterized ones there would be, a class that does not run cannot tell. */
    private static Set<String> allWanted(TestSelection selection) {
        Set<String> ids = new LinkedHashSet<>(selection.wanted());
        for (String id : ids) {
            selection.markMatched(id);
        }
        return ids;
    }

    /** JUnit describes a class it cannot run by this one test. */
    private static boolean isBroken(List<Description> leaves) {
        for (Description leaf : leaves) {
            if (!leaf.getDisplayName().startsWith("initializationError")) {
                return false;
            }
        }
        return !leaves.isEmpty();
    }

    private static boolean isIgnored(Class<?> testClass, List<Description> leaves, Ids ids) {
        if (testClass.getAnnotation(Ignore.class) == null) {
            return false;
        }
        for (Description leaf : leaves) {
            if (ids.isTest(leaf)) {
                return false;
            }
        }
        return true;
    }

    private static String engineOf(Class<?> testClass) {
        boolean isJUnit3 = testClass.getAnnotation(RunWith.class) == null
                && (TestClasses.suiteMethod(testClass) != null || TestClasses.isJUnit3TestCase(testClass));
        return isJUnit3 ? "junit3" : "junit4";
    }

    private static boolean accepts(GroupFilter groups, Description leaf, Class<?> testClass) {
        return groups.isEmpty() || groups.acceptsCategories(categories(leaf, testClass));
    }

    private static Set<Class<?>> categories(Description leaf, Class<?> testClass) {
        return TestClasses.categories(leaf.getAnnotations(), Ids.classOf(leaf, testClass));
    }

    private static List<String> categoryNames(Description leaf, Class<?> testClass) {
        List<String> names = new ArrayList<>();
        for (Class<?> category : categories(leaf, testClass)) {
            names.add(category.getName());
        }
        return names;
    }

    static String ignoreReason(Description description) {
        for (Annotation annotation : description.getAnnotations()) {
            if (annotation instanceof Ignore) {
                return ((Ignore) annotation).value();
            }
        }
        return null;
    }

    static List<Description> leavesOf(Description description) {
        List<Description> leaves = new ArrayList<>();
        addLeaves(description, leaves);
        return leaves;
    }

    private static void addLeaves(Description description, List<Description> leaves) {
        if (description.isTest()) {
            leaves.add(description);
        }
        for (Description child : description.getChildren()) {
            addLeaves(child, leaves);
        }
    }

    /** Lets through what the request wants, by id and by category. */
    private static final class SelectedTests extends Filter {
        private final Class<?> testClass;
        private final Ids ids;
        private final TestSelection selection;
        private final GroupFilter groups;

        SelectedTests(Class<?> testClass, Ids ids, TestSelection selection, GroupFilter groups) {
            this.testClass = testClass;
            this.ids = ids;
            this.selection = selection;
            this.groups = groups;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                return selection.selects(ids.of(description)) && accepts(groups, description, testClass);
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "selected tests";
        }
    }

    /** Passes on what JUnit tells; events of a description with children are about the set-up or tear-down of these. */
    private static final class ReportingListener extends RunListener {
        private final Ids ids;
        private final Set<String> expected;
        private final TestReporter reporter;
        /** A failure of something that is neither one of the tests nor a class of them. */
        private Throwable strayFailure;

        ReportingListener(Ids ids, Set<String> expected, TestReporter reporter) {
            this.ids = ids;
            this.expected = expected;
            this.reporter = reporter;
        }

        @Override
        public void testStarted(Description description) {
            reporter.testStarted(ids.of(description));
        }

        @Override
        public void testFinished(Description description) {
            reporter.testFinished(ids.of(description));
        }

        @Override
        public void testFailure(Failure failure) {
            Description description = failure.getDescription();
            if (ids.isTest(description) && !isKnown(ids.of(description))) {
                strayFailure = failure.getException();
            } else if (ids.isTest(description)) {
                reporter.testFailed(ids.of(description), failure.getException());
            } else {
                reporter.surroundingFailed(idsBelow(description), failure.getException());
            }
        }

        // Not in JUnit 4.4, hence no @Override.
        public void testAssumptionFailure(Failure failure) {
            Description description = failure.getDescription();
            if (ids.isTest(description)) {
                reporter.testAborted(ids.of(description), failure.getException());
            } else {
                reporter.surroundingAborted(idsBelow(description), failure.getException());
            }
        }

        @Override
        public void testIgnored(Description description) {
            String reason = ignoreReason(description);
            if (ids.isTest(description)) {
                reporter.testSkipped(ids.of(description), reason);
                return;
            }
            for (String id : idsBelow(description)) {
                reporter.testSkipped(id, reason);
            }
        }

        /** JUnit 3 decorators fail under a name of their own; which tests that cost is known when the rest has run. */
        void blameStrayFailure() {
            if (strayFailure != null) {
                reporter.surroundingFailed(expected, strayFailure);
            }
        }

        private boolean isKnown(String id) {
            return expected.contains(id) || reporter.isRunning(id);
        }

        /** An ignored class inside a suite comes without children: then its methods are listed. */
        private Set<String> idsBelow(Description description) {
            Set<String> below = new LinkedHashSet<>();
            for (Description leaf : leavesOf(description)) {
                if (ids.isTest(leaf)) {
                    below.add(ids.of(leaf));
                }
            }
            Class<?> described = Ids.classNamed(description.getDisplayName());
            if (below.isEmpty() && described != null) {
                below.addAll(TestClasses.writtenTestIds(described));
            }
            return below;
        }
    }
}
