package bonafix.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The tests of one class as a framework sees them, before any is run. */
public final class ClassListing {
    private final String className;
    private final String engine;
    private final List<Entry> entries = new ArrayList<>();
    private boolean declaredSuite;

    private static final class Entry {
        final String id;
        final boolean template;
        final String disabledReason;
        final Collection<String> groups;

        Entry(String id, boolean template, String disabledReason, Collection<String> groups) {
            this.id = id;
            this.template = template;
            this.disabledReason = disabledReason;
            this.groups = groups;
        }
    }

    public ClassListing(String className, String engine) {
        this.className = className;
        this.engine = engine;
    }

    /**
     * @param template the test's invocations are only known once it runs
     * @param disabledReason why it will be skipped as far as annotations tell, {@code null} if it will run
     */
    public void add(String id, boolean template, String disabledReason, Collection<String> groups) {
        for (Entry entry : entries) {
            if (entry.id.equals(id)) {
                return;
            }
        }
        entries.add(new Entry(id, template, disabledReason, groups));
    }

    public void markSuite() {
        declaredSuite = true;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** A class that only collects tests of others; running it beside them would count them twice. */
    private boolean isSuite() {
        if (declaredSuite) {
            return true;
        }
        for (Entry entry : entries) {
            String owner = entry.id.substring(0, Math.max(0, entry.id.indexOf('#')));
            if (owner.equals(className) || owner.startsWith(className + "$") || owner.startsWith(className + "[")) {
                return false;
            }
        }
        return true;
    }

    PayloadWriter put(PayloadWriter out) {
        out.string(className).string(engine).string(isSuite() ? "suite" : "tests");
        out.u32(entries.size());
        for (Entry entry : entries) {
            out.string(entry.id).flag(entry.template).flag(entry.disabledReason != null);
            out.string(entry.disabledReason).strings(entry.groups);
        }
        return out;
    }
}
