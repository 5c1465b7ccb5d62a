package inventory.stock;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** What a customer has asked for. Made by {@link Warehouse#reserve}. */
public final class Reservation {
    /** What has become of a reservation. */
    public enum State {
        OPEN,
        SHIPPED,
        CANCELLED
    }

    private final Map<String, Integer> pieces = new HashMap<>();
    private State state = State.OPEN;

    Reservation() {
    }

    void add(Line line) {
        pieces.put(line.article(), line.pieces());
    }

    void close(State newState) {
        if (state != State.OPEN) {
            throw new IllegalStateException("reservation is " + state);
        }
        state = newState;
    }

    /** Returns how many pieces of which article are reserved, in no particular order; not modifiable. */
    public Map<String, Integer> pieces() {
        return Collections.unmodifiableMap(pieces);
    }

    public State state() {
        return state;
    }
}
