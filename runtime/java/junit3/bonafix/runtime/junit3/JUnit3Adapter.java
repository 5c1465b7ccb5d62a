package bonafix.runtime.junit3;

import bonafix.runtime.ClassListing;
import bonafix.runtime.FrameworkAdapter;
import bonafix.runtime.GroupFilter;
import bonafix.runtime.TestClasses;
import bonafix.runtime.TestReporter;
import bonafix.runtime.TestSelection;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.Set;
import junit.extensions.TestDecorator;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs JUnit 3 tests where JUnit 3.8 is all there is. With JUnit 4 on the class path that one's adapter does it. */
public final class JUnit3Adapter implements FrameworkAdapter {
    @Override
    public String describe() {
        return "junit3 " + junit.runner.Version.id();
    }

    @Override
    public boolean handles(String engine) {
        return engine.equals("junit3");
    }

    @Override
    public boolean claims(Class<?> testClass) {
        return TestClasses.suiteMethod(testClass) != null || TestClasses.hasJUnit3Tests(testClass);
    }

    @Override
    public ClassListing list(Class<?> testClass, GroupFilter groups) throws Exception {
        ClassListing listing = new ClassListing(testClass.getName(), "junit3");
        if (acceptsUngrouped(groups)) {
            for (String id : idsIn(testsOf(testClass), testClass)) {
                listing.add(id, false, null, Collections.<String>emptyList());
            }
        }
        return listing;
    }

    @Override
    public void run(Class<?> testClass, TestSelection selection, GroupFilter groups, TestReporter reporter)
            throws Exception {
        if (!acceptsUngrouped(groups)) {
            return;
        }
        Test selected = selectFrom(testsOf(testClass), testClass, selection);
        if (selected == null) {
            return;
        }
        reporter.expect(idsIn(selected, testClass));
        TestResult result = new TestResult();
        result.addListener(new ReportingListener(testClass, reporter));
        selected.run(result);
    }

    /** JUnit 3 tests have no groups: they run unless some group is asked for. */
    private static boolean acceptsUngrouped(GroupFilter groups) {
        return groups.included().isEmpty();
    }

    private static Test testsOf(Class<?> testClass) throws Exception {
        Method suite = TestClasses.suiteMethod(testClass);
        return suite == null ? new TestSuite(testClass) : (Test) suite.invoke(null);
    }

    /** The part of a tree of tests that is wanted; suites with behaviour of their own are kept whole. */
    private static Test selectFrom(Test test, Class<?> root, TestSelection selection) {
        if (test.getClass() != TestSuite.class) {
            boolean wanted = false;
            for (String id : idsIn(test, root)) {
                wanted |= selection.selects(id);
            }
            return wanted ? test : null;
        }
        TestSuite kept = new TestSuite(((TestSuite) test).getName());
        for (Enumeration<?> children = ((TestSuite) test).tests(); children.hasMoreElements();) {
            Test child = selectFrom((Test) children.nextElement(), root, selection);
            if (child != null) {
                kept.addTest(child);
            }
        }
        return kept.testCount() == 0 ? null : kept;
    }

    private static Set<String> idsIn(Test test, Class<?> root) {
        Set<String> ids = new LinkedHashSet<>();
        addIds(test, root, ids);
        return ids;
    }

    private static void addIds(Test test, Class<?> root, Set<String> ids) {
        if (test instanceof TestSuite) {
            for (Enumeration<?> children = ((TestSuite) test).tests(); children.hasMoreElements();) {
                addIds((Test) children.nextElement(), root, ids);
            }
        } else if (test instanceof TestDecorator) {
            addIds(((TestDecorator) test).getTest(), root, ids);
        } else {
            ids.add(idOf(test, root));
        }
    }

    static String idOf(Test test, Class<?> root) {
        String className = test.getClass().getName();
        if (!(test instanceof TestCase)) {
            return root.getName() + "#" + test;
        }
        // JUnit describes what is wrong with a class by a test of a class of its own.
        String owner = className.startsWith("junit.framework.TestSuite$") ? root.getName() : className;
        return owner + "#" + ((TestCase) test).getName();
    }

    /** Passes on what JUnit tells; an error of a test that never started is one of the set-up around it. */
    private static final class ReportingListener implements TestListener {
        private final Class<?> root;
        private final TestReporter reporter;

        ReportingListener(Class<?> root, TestReporter reporter) {
            this.root = root;
            this.reporter = reporter;
        }

        @Override
        public void startTest(Test test) {
            reporter.testStarted(idOf(test, root));
        }

        @Override
        public void endTest(Test test) {
            reporter.testFinished(idOf(test, root));
        }

        @Override
        public void addError(Test test, Throwable cause) {
            fail(test, cause);
        }

        @Override
        public void addFailure(Test test, AssertionFailedError cause) {
            fail(test, cause);
        }

        private void fail(Test test, Throwable cause) {
            if (test instanceof TestSuite || test instanceof TestDecorator) {
                reporter.surroundingFailed(idsIn(test, root), cause);
            } else {
                reporter.testFailed(idOf(test, root), cause);
            }
        }
    }
}
