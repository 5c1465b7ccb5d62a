package text.layout;

/** Where a line stands within the width of its paragraph. */
public enum Alignment {
    LEFT {
        @Override
        int indent(int free) {
            return 0;
        }
    },
    RIGHT {
        @Override
        int indent(int free) {
            return free;
        }
    },
    /** An odd space goes to the right of the text. */
    CENTER {
        @Override
        int indent(int free) {
            return free / 2;
        }
    };

    /** Number of spaces to put before a line that leaves {@code free} columns unused. */
    abstract int indent(int free);
}
