package stats;

import java.util.Map;
import java.util.TreeMap;

/** Summaries of several groups of numbers, such as one for each sensor. */
public final class Grouped {
    private final Map<String, Summary> groups = new TreeMap<>();

    /** Adds numbers to a group. */
    public void add(String group, double... numbers) {
        groups.computeIfAbsent(group, name -> new Summary()).merge(Summary.of(numbers));
    }

    /** Returns the summary of a group; an empty one if nothing was added to it. */
    public Summary group(String group) {
        Summary copy = new Summary();
        if (groups.containsKey(group)) {
            copy.merge(groups.get(group));
        }
        return copy;
    }

    /** Returns the summary of all numbers of all groups. */
    public Summary total() {
        Summary total = new Summary();
        for (Summary group : groups.values()) {
            total.merge(group);
        }
        return total;
    }
}
