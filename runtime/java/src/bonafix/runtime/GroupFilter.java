package bonafix.runtime;

import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Which tests count by their groups, with the meaning Surefire gives to {@code groups} and {@code excludedGroups}:
 * JUnit 4 categories by class name (subtypes included), JUnit 5 tags by name or tag expression.
 */
public final class GroupFilter {
    private final List<String> included;
    private final List<String> excluded;

    GroupFilter(List<String> included, List<String> excluded) {
        this.included = Collections.unmodifiableList(included);
        this.excluded = Collections.unmodifiableList(excluded);
    }

    public List<String> included() {
        return included;
    }

    public List<String> excluded() {
        return excluded;
    }

    public boolean isEmpty() {
        return included.isEmpty() && excluded.isEmpty();
    }

    /** Whether a test of these JUnit 4 categories counts. */
    public boolean acceptsCategories(Collection<Class<?>> categories) {
        return (included.isEmpty() || anyMatches(categories, included)) && !anyMatches(categories, excluded);
    }

    private static boolean anyMatches(Collection<Class<?>> categories, List<String> names) {
        for (Class<?> category : categories) {
            for (String name : names) {
                if (isOrExtends(category, name)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isOrExtends(Class<?> type, String name) {
        if (type == null) {
            return false;
        }
        if (isNamed(type, name) || isOrExtends(type.getSuperclass(), name)) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isOrExtends(parent, name)) {
                return true;
            }
        }
        return false;
    }

    /** The name in full, with {@code $} or {@code .} before a nested name, or only the end of it. */
    private static boolean isNamed(Class<?> type, String name) {
        String dotted = type.getName().replace('$', '.');
        String wanted = name.replace('$', '.');
        return dotted.equals(wanted) || dotted.endsWith("." + wanted);
    }
}
