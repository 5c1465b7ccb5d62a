package bonafix.runtime.junit5;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Gives the tests of a plan their ids: {@code package.Class#method(parameter types)[invocation]}, where types and invocation
 * numbers are left out if there are none. A parameterized class is {@code package.Class#*} until it runs.
 */
final class PlanIds {
    private final TestPlan plan;
    private final Class<?> root;

    PlanIds(TestPlan plan, Class<?> root) {
        this.plan = plan;
        this.root = root;
    }

    /** Everything in the plan that an id can be asked for, in the order of the plan. */
    List<TestIdentifier> testsAndTemplates() {
        List<TestIdentifier> found = new ArrayList<>();
        for (TestIdentifier engine : plan.getRoots()) {
            addTests(engine, found);
        }
        return found;
    }

    /** What only a run can tell the tests of: a parameterized or repeated test, a factory, a parameterized class. */
    boolean isTemplate(TestIdentifier identifier) {
        if (identifier.isTest()) {
            return false;
        }
        return isClassTemplate(identifier) || methodOf(identifier) != null && topMethod(identifier) == identifier;
    }

    boolean isClassTemplate(TestIdentifier identifier) {
        List<UniqueId.Segment> segments = segmentsOf(identifier);
        return segments.get(segments.size() - 1).getType().endsWith("class-template");
    }

    /** Ids of the tests and templates in a part of the plan, itself included. */
    Set<String> below(TestIdentifier identifier) {
        List<TestIdentifier> found = new ArrayList<>();
        addTests(identifier, found);
        Set<String> ids = new LinkedHashSet<>();
        for (TestIdentifier test : found) {
            ids.add(of(test));
        }
        return ids;
    }

    String of(TestIdentifier identifier) {
        List<UniqueId.Segment> segments = segmentsOf(identifier);
        if (isClassTemplate(identifier)) {
            return classNameOf(identifier) + numbers(segments) + "#*";
        }
        TestIdentifier top = topMethod(identifier);
        if (top == null) {
            return root.getName() + "#" + namesAfterEngine(segments);
        }
        int depth = segmentsOf(top).size();
        MethodSource method = methodOf(top);
        String types = method.getMethodParameterTypes();
        String parameters = types == null || types.isEmpty() ? "" : "(" + types.replace(" ", "") + ")";
        return method.getClassName() + numbers(segments.subList(0, depth - 1)) + "#" + method.getMethodName()
                + parameters + numbers(segments.subList(depth, segments.size()));
    }

    private void addTests(TestIdentifier identifier, List<TestIdentifier> found) {
        if (identifier.isTest() || isTemplate(identifier)) {
            found.add(identifier);
            return;
        }
        for (TestIdentifier child : plan.getChildren(identifier)) {
            addTests(child, found);
        }
    }

    /** The outermost ancestor made from a method; invocations and dynamic tests may name a method as well. */
    private TestIdentifier topMethod(TestIdentifier identifier) {
        TestIdentifier top = null;
        Optional<TestIdentifier> current = Optional.of(identifier);
        while (current.isPresent()) {
            if (methodOf(current.get()) != null) {
                top = current.get();
            }
            current = plan.getParent(current.get());
        }
        return top;
    }

    private static List<UniqueId.Segment> segmentsOf(TestIdentifier identifier) {
        return UniqueId.parse(identifier.getUniqueId()).getSegments();
    }

    String classNameOf(TestIdentifier identifier) {
        TestSource source = identifier.getSource().orElse(null);
        return source instanceof ClassSource ? ((ClassSource) source).getClassName() : root.getName();
    }

    private static MethodSource methodOf(TestIdentifier identifier) {
        TestSource source = identifier.getSource().orElse(null);
        return source instanceof MethodSource ? (MethodSource) source : null;
    }

    /** Invocations are numbered {@code #1}, {@code #2} in unique ids. */
    private static String numbers(List<UniqueId.Segment> segments) {
        StringBuilder numbers = new StringBuilder();
        for (UniqueId.Segment segment : segments) {
            if (segment.getValue().startsWith("#")) {
                numbers.append('[').append(segment.getValue(), 1, segment.getValue().length()).append(']');
            }
        }
        return numbers.toString();
    }

    /** For engines whose tests are not methods: all that sets the test apart from others of its class. */
    private String namesAfterEngine(List<UniqueId.Segment> segments) {
        List<String> names = new ArrayList<>();
        for (UniqueId.Segment segment : segments.subList(1, segments.size())) {
            if (!segment.getValue().equals(root.getName())) {
                names.add(segment.getValue());
            }
        }
        return String.join("/", names);
    }
}
