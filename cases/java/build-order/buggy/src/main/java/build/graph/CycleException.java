package build.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Says that things depend on each other in a circle. */
public class CycleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Object> nodes;

    CycleException(Collection<?> nodes) {
        super("cycle: " + nodes);
        this.nodes = new ArrayList<>(nodes);
    }

    /**
     * The nodes of the circle: each depends on the next one, and the last one on the first. The first
     * is the one that was met twice.
     */
    public List<Object> nodes() {
        return Collections.unmodifiableList(nodes);
    }
}
