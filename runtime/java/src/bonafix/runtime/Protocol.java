package bonafix.runtime;

/**
 * The numbers both sides of the pipes must agree on. They are explained in {@code docs/runtime-java.md};
 * a change here that an older driver cannot read must raise {@link #VERSION}.
 */
public final class Protocol {
    public static final int VERSION = 1;

    /** Anything longer is taken for a corrupt stream rather than allocated. */
    public static final int MAX_FRAME_BYTES = 256 << 20;

    // Compiler daemon, daemon to driver.
    static final int COMPILER_HELLO = 1;
    static final int COMPILED = 2;
    // Compiler daemon, driver to daemon.
    static final int COMPILE = 1;

    // Test runner, request.
    static final int MODE_DISCOVER = 1;
    static final int MODE_RUN = 2;

    // Test runner, events.
    static final int EVENT_HELLO = 1;
    static final int EVENT_PROBLEM = 2;
    static final int EVENT_LISTING = 3;
    static final int EVENT_CLASS_START = 4;
    static final int EVENT_TEST_START = 5;
    static final int EVENT_TEST_END = 6;
    static final int EVENT_CLASS_END = 7;
    static final int EVENT_TEMPLATE_START = 8;
    static final int EVENT_TEMPLATE_END = 9;
    static final int EVENT_NOT_FOUND = 10;
    static final int EVENT_TAINTED = 11;
    static final int EVENT_DONE = 12;

    // Exit codes of both programs.
    static final int EXIT_OK = 0;
    static final int EXIT_BAD_REQUEST = 64;
    static final int EXIT_INTERNAL = 70;
    static final int EXIT_OUT_OF_MEMORY = 75;
    static final int EXIT_READER_GONE = 76;
    static final int EXIT_TEST_TIMED_OUT = 124;

    private Protocol() {
    }
}
