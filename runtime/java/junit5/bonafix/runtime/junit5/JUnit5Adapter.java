package bonafix.runtime.junit5;

import bonafix.runtime.ClassListing;
import bonafix.runtime.FrameworkAdapter;
import bonafix.runtime.GroupFilter;
import bonafix.runtime.TestReporter;
import bonafix.runtime.TestSelection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs JUnit 5 and 6 tests, and those of any other engine on the class path, through the JUnit platform's launcher. */
public final class JUnit5Adapter implements FrameworkAdapter {
    private static final String VINTAGE_ENGINE = "junit-vintage";
    private static final String SUITE_ENGINE = "[engine:junit-platform-suite]";

    private final Launcher launcher = LauncherFactory.create();
    /** With JUnit 4 on the class path its own adapter runs its tests; the vintage engine would run them again. */
    private final boolean hasJUnit4Adapter = isPresent("bonafix.runtime.junit4.JUnit4Adapter");

    @Override
    public String describe() {
        String version = Launcher.class.getPackage().getImplementationVersion();
        return "junit5 platform " + (version == null ? "of unknown version" : version);
    }

    @Override
    public boolean handles(String engine) {
        return engine.equals("junit5");
    }

    /** Tests may be marked by annotations of annotations, so that only the engines can tell. */
    @Override
    public boolean claims(Class<?> testClass) {
        return true;
    }

    @Override
    public ClassListing list(Class<?> testClass, GroupFilter groups) {
        ClassListing listing = new ClassListing(testClass.getName(), "junit5");
        TestPlan plan = discover(testClass, groups);
        PlanIds ids = new PlanIds(plan, testClass);
        for (TestIdentifier test : ids.testsAndTemplates()) {
            if (test.getUniqueId().startsWith(SUITE_ENGINE)) {
                listing.markSuite();
            }
            List<String> tags = new ArrayList<>();
            for (TestTag tag : test.getTags()) {
                tags.add(tag.getName());
            }
            listing.add(ids.of(test), ids.isTemplate(test), DisabledTests.reason(test), tags);
        }
        return listing;
    }

    @Override
    public void run(Class<?> testClass, TestSelection selection, GroupFilter groups, TestReporter reporter) {
        TestPlan plan = discover(testClass, groups);
        PlanIds ids = new PlanIds(plan, testClass);
        List<DiscoverySelector> selectors = new ArrayList<>();
        Set<String> expected = new LinkedHashSet<>();
        for (TestIdentifier test : ids.testsAndTemplates()) {
            String id = ids.of(test);
            if (selection.selects(id) || ids.isClassTemplate(test) && wantsPartOf(ids.classNameOf(test), selection)) {
                selectors.add(DiscoverySelectors.selectUniqueId(test.getUniqueId()));
                expected.add(id);
            } else if (ids.isTemplate(test)) {
                addInvocations(test, id, selection, selectors);
            }
        }
        if (selectors.isEmpty() && expected.isEmpty()) {
            return;
        }
        if (selection.isWholeClass()) {
            selectors.clear();
            selectors.add(DiscoverySelectors.selectClass(testClass));
        }
        reporter.expect(expected);
        launcher.execute(request(selectors, groups), new ReportingListener(testClass, selection, reporter));
    }

    /** A parameterized class runs whole when any of its tests is wanted: which it has, only the run tells. */
    private static boolean wantsPartOf(String className, TestSelection selection) {
        for (String wanted : selection.wanted()) {
            if (wanted.startsWith(className + "#") || wanted.startsWith(className + "[") || wanted.startsWith(className + "$")) {
                return true;
            }
        }
        return false;
    }

    /** Single invocations of a template cannot be listed, but they can be asked for by number. */
    private static void addInvocations(TestIdentifier template, String templateId, TestSelection selection,
            List<DiscoverySelector> selectors) {
        for (String wanted : selection.wanted()) {
            List<String> uniqueIds = InvocationIds.uniqueIds(template.getUniqueId(), templateId, wanted);
            for (String uniqueId : uniqueIds) {
                selectors.add(DiscoverySelectors.selectUniqueId(uniqueId));
            }
            if (uniqueIds.size() > 1) {
                // An open range may well be empty; a single invocation counts as found once it starts.
                selection.markMatched(wanted);
            }
        }
    }

    private TestPlan discover(Class<?> testClass, GroupFilter groups) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        selectors.add(DiscoverySelectors.selectClass(testClass));
        return launcher.discover(request(selectors, groups));
    }

    private LauncherDiscoveryRequest request(List<DiscoverySelector> selectors, GroupFilter groups) {
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request().selectors(selectors);
        // Outcomes, output and limits are told apart by test, which needs one test at a time.
        builder.configurationParameter("junit.jupiter.execution.parallel.enabled", "false");
        if (hasJUnit4Adapter) {
            builder.filters(EngineFilter.excludeEngines(VINTAGE_ENGINE));
        }
        if (!groups.included().isEmpty()) {
            builder.filters(TagFilter.includeTags(groups.included()));
        }
        if (!groups.excluded().isEmpty()) {
            builder.filters(TagFilter.excludeTags(groups.excluded()));
        }
        return builder.build();
    }

    private static boolean isPresent(String className) {
        try {
            Class.forName(className, false, ClassLoader.getSystemClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    /** Passes on what the platform tells; what befalls a container befalls the tests in it that have not run. */
    private static final class ReportingListener implements TestExecutionListener {
        private final Class<?> testClass;
        private final TestSelection selection;
        private final TestReporter reporter;
        private PlanIds ids;

        ReportingListener(Class<?> testClass, TestSelection selection, TestReporter reporter) {
            this.testClass = testClass;
            this.selection = selection;
            this.reporter = reporter;
        }

        @Override
        public void testPlanExecutionStarted(TestPlan plan) {
            ids = new PlanIds(plan, testClass);
        }

        @Override
        public void executionStarted(TestIdentifier identifier) {
            if (identifier.isTest()) {
                markFound(ids.of(identifier));
                reporter.testStarted(ids.of(identifier));
            } else if (ids.isTemplate(identifier)) {
                reporter.templateStarted(ids.of(identifier));
            }
        }

        /** Invocations are not in the plan, so that their ids, in full or shortened, are met only here. */
        private void markFound(String id) {
            selection.selects(id);
            selection.selects(id.replaceFirst("\\([^()]*\\)", ""));
            selection.selects(id.replaceFirst("(\\[\\d+])+#", "#"));
        }

        @Override
        public void executionSkipped(TestIdentifier identifier, String reason) {
            for (String id : ids.below(identifier)) {
                reporter.testSkipped(id, reason);
            }
        }

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            if (identifier.isTest()) {
                testFinished(ids.of(identifier), result);
            } else {
                containerFinished(identifier, result);
            }
            if (!identifier.isTest() && ids.isTemplate(identifier)) {
                reporter.templateFinished(ids.of(identifier));
            }
        }

        private void testFinished(String id, TestExecutionResult result) {
            Throwable cause = result.getThrowable().orElse(null);
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                reporter.testFailed(id, cause);
            } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                reporter.testAborted(id, cause);
            }
            reporter.testFinished(id);
        }

        private void containerFinished(TestIdentifier container, TestExecutionResult result) {
            Throwable cause = result.getThrowable().orElse(null);
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                reporter.surroundingFailed(ids.below(container), cause);
            } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                reporter.surroundingAborted(ids.below(container), cause);
            }
        }
    }
}
