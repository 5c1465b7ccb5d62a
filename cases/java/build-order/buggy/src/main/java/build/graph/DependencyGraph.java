package build.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;

/**
 * What depends on what, and in which order things can be built.
 *
 * <p>Nodes and dependencies are visited in the order in which they were added, so all results are
 * well defined. Nodes are never null.
 *
 * @param <N> type of the nodes, with equals and hashCode
 */
public final class DependencyGraph<N> {
    private final Map<N, Set<N>> dependencies = new LinkedHashMap<>();

    /**
     * Adds a node and what it depends on, to what was added for it before. What is named as a dependency
     * is a node as well.
     *
     * @return this graph
     */
    @SafeVarargs
    public final DependencyGraph<N> add(N node, N... dependsOn) {
        Set<N> known = dependencies.computeIfAbsent(Objects.requireNonNull(node), n -> new LinkedHashSet<>());
        for (N dependency : dependsOn) {
            known.add(Objects.requireNonNull(dependency));
        }
        for (N dependency : dependsOn) {
            dependencies.computeIfAbsent(dependency, n -> new LinkedHashSet<>());
        }
        return this;
    }

    /** Returns all nodes. */
    public Set<N> nodes() {
        return Collections.unmodifiableSet(dependencies.keySet());
    }

    /**
     * Returns what a node depends on directly.
     *
     * @throws NoSuchElementException if there is no such node
     */
    public Set<N> dependenciesOf(N node) {
        Set<N> known = dependencies.get(node);
        if (known == null) {
            throw new NoSuchElementException("no such node: " + node);
        }
        return Collections.unmodifiableSet(known);
    }

    /**
     * Returns some nodes and all that they depend on, directly or not, in an order in which they can be
     * built: each node once, behind all that it depends on, and as early as the order of the
     * dependencies allows.
     *
     * @throws NoSuchElementException if there is no such node
     * @throws CycleException if one of them depends on itself, directly or not
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final List<N> order(N... targets) {
        return order(Arrays.asList(targets));
    }

    /** As {@link #order(Object[])}, for all nodes. */
    public List<N> orderAll() {
        return order(dependencies.keySet());
    }

    /** Tells whether a node depends on itself, directly or not. */
    public boolean hasCycle() {
        try {
            orderAll();
            return false;
        } catch (CycleException e) {
            return true;
        }
    }

    private List<N> order(Collection<N> targets) {
        Set<N> done = new LinkedHashSet<>();
        for (N target : targets) {
            visit(target, new LinkedHashSet<>(), done);
        }
        return new ArrayList<>(done);
    }

    private void visit(N node, Set<N> path, Set<N> done) {
        if (!path.add(node)) {
            throw new CycleException(from(node, path));
        }
        for (N dependency : dependenciesOf(node)) {
            visit(dependency, path, done);
        }
        done.add(node);
    }

    /** The part of a path that begins with a node. */
    private static <T> List<T> from(T node, Set<T> path) {
        List<T> nodes = new ArrayList<>(path);
        return nodes.subList(nodes.indexOf(node), nodes.size());
    }
}
