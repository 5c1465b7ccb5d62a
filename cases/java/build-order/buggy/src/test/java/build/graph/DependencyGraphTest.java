package build.graph;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.NoSuchElementException;
import org.junit.Test;

public class DependencyGraphTest {
    private final DependencyGraph<String> graph = new DependencyGraph<>();

    @Test
    public void emptyGraph() {
        assertEquals(Collections.emptyList(), graph.orderAll());
        assertFalse(graph.hasCycle());
    }

    @Test
    public void nodeWithoutDependencies() {
        assertEquals(Collections.singletonList("app"), graph.add("app").order("app"));
    }

    @Test
    public void chain() {
        graph.add("app", "lib").add("lib", "core");
        assertEquals(Arrays.asList("core", "lib", "app"), graph.order("app"));
    }

    @Test
    public void dependenciesAreVisitedInTheirOrder() {
        graph.add("app", "ui", "db");
        assertEquals(Arrays.asList("ui", "db", "app"), graph.order("app"));
    }

    @Test
    public void onlyWhatIsNeeded() {
        graph.add("app", "lib").add("tool", "lib");
        assertEquals(Arrays.asList("lib", "tool"), graph.order("tool"));
        assertEquals(Arrays.asList("lib", "app", "tool"), graph.orderAll());
    }

    @Test
    public void sharedDependencyIsNoCycle() {
        graph.add("app", "ui", "db").add("ui", "log").add("db", "log");
        assertEquals(Arrays.asList("log", "ui", "db", "app"), graph.order("app"));
    }

    @Test
    public void sharedDependencyOfAllNodes() {
        graph.add("app", "ui", "log").add("ui", "log");
        assertFalse(graph.hasCycle());
    }

    @Test
    public void selfDependencyIsACycle() {
        graph.add("app", "app");
        assertTrue(graph.hasCycle());
        try {
            graph.order("app");
            fail();
        } catch (CycleException e) {
            assertEquals(Collections.singletonList("app"), e.nodes());
        }
    }

    @Test
    public void mutualDependencyIsACycle() {
        graph.add("main", "app").add("app", "lib").add("lib", "app");
        try {
            graph.order("main");
            fail();
        } catch (CycleException e) {
            assertEquals(Arrays.asList("app", "lib"), e.nodes());
        }
    }

    @Test
    public void dependenciesAddUp() {
        graph.add("app", "ui").add("app", "db", "ui");
        assertEquals(new LinkedHashSet<>(Arrays.asList("ui", "db")), graph.dependenciesOf("app"));
        assertEquals(3, graph.nodes().size());
    }

    @Test(expected = NoSuchElementException.class)
    public void unknownTarget() {
        graph.add("app").order("lib");
    }

    @Test(expected = NullPointerException.class)
    public void nullIsNoNode() {
        graph.add("app", (String) null);
    }
}
