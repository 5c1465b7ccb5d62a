package bonafix.runtime;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The tests wanted from one class. A wanted id selects the test of exactly that id and, where it leaves out parameter types
 * or invocation numbers, every test it is the beginning of: {@code C#m} selects {@code C#m[0]} and {@code C#m(int)[1]}.
 */
public final class TestSelection {
    private final List<String> wanted;
    private final Set<String> unmatched;

    TestSelection(List<String> wanted) {
        this.wanted = wanted;
        this.unmatched = new LinkedHashSet<>(wanted);
    }

    public boolean isWholeClass() {
        return wanted.isEmpty();
    }

    public List<String> wanted() {
        return wanted;
    }

    /** Whether this test is wanted; remembers the wanted ids that were met. */
    public boolean selects(String id) {
        if (wanted.isEmpty()) {
            return true;
        }
        boolean selected = false;
        for (String name : wanted) {
            if (covers(name, id)) {
                unmatched.remove(name);
                selected = true;
            }
        }
        return selected;
    }

    /** Wanted ids that selected nothing so far. */
    public Set<String> unmatched() {
        return unmatched;
    }

    public void markMatched(String wantedId) {
        unmatched.remove(wantedId);
    }

    private static boolean covers(String name, String id) {
        if (!id.startsWith(name)) {
            return false;
        }
        if (id.length() == name.length()) {
            return true;
        }
        char next = id.charAt(name.length());
        return name.indexOf('#') >= 0 && (next == '[' || next == '(');
    }
}
