package bonafix.runtime.arena;

import java.util.HashSet;
import java.util.Set;

/** Which static fields are looked at, in all versions alike. */
final class StaticsWatch {
    /** Making classes anew costs more than many sequences; what differs each time would do so each time. */
    private static final int MAX_RESETS = 64;

    private final Set<String> leftOut = new HashSet<>();
    private int resets;

    boolean wants(Statics statics) {
        return resets < MAX_RESETS && !leftOut.contains(statics.owner);
    }

    void leaveOut(Statics statics) {
        leftOut.add(statics.owner);
    }

    /** Notes that versions left different things behind, for which their classes are made anew. */
    void differed() {
        resets++;
    }
}
