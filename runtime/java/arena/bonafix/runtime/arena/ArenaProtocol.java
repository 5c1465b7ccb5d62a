package bonafix.runtime.arena;

/** The numbers that the arena and its driver must agree on; explained in {@code docs/runtime-java.md}. */
final class ArenaProtocol {
    static final int VERSION = 7;

    // Requests.
    static final int OPEN = 1;
    static final int RUN = 2;
    static final int CONFIRM = 3;
    static final int RESET = 4;
    static final int REOPEN = 5;
    static final int TRACE = 6;

    // Answers.
    static final int HELLO = 1;
    static final int OPENED = 2;
    static final int RESULTS = 3;
    static final int DONE = 4;
    static final int CONFIRMED = 5;
    static final int PROBLEM = 6;

    // Results of a sequence.
    static final int SAME = 1;
    static final int DIFFERS = 2;
    static final int FAILED = 3;
    static final int SAME_SHOWN = 4;

    // What repetition says.
    static final int STABLE = 1;
    static final int UNSTABLE = 2;
    static final int BROKE_DOWN = 3;

    static final int BREAKDOWN_OUT_OF_MEMORY = 1;
    static final int BREAKDOWN_TIMEOUT = 2;
    /** Said of a trace only: the sequence ended the VM. */
    static final int BREAKDOWN_EXIT = 3;
    /** Likewise: the version has not what is called. */
    static final int BREAKDOWN_UNAVAILABLE = 4;

    // Flags of a result.
    static final int FLAG_THREW = 1;
    static final int FLAG_UNFIT = 2;
    static final int FLAG_LEAKED_THREADS = 4;

    // Steps.
    static final int STEP_CONSTANT = 1;
    static final int STEP_CALL = 2;
    static final int STEP_ARRAY = 3;
    static final int STEP_STUB = 4;

    // Flags of a call.
    static final int CALL_HAS_RECEIVER = 1;
    static final int CALL_CAUGHT = 2;

    // Literals.
    static final int LITERAL_NULL = 0;
    static final int LITERAL_BOOLEAN = 1;
    static final int LITERAL_INTEGER = 2;
    static final int LITERAL_CHAR = 3;
    static final int LITERAL_FLOAT = 4;
    static final int LITERAL_DOUBLE = 5;
    static final int LITERAL_TEXT = 6;
    static final int LITERAL_CLASS = 7;

    // Exit codes.
    static final int EXIT_OK = 0;
    static final int EXIT_BAD_REQUEST = 64;
    static final int EXIT_INTERNAL = 70;
    static final int EXIT_OUT_OF_MEMORY = 75;
    static final int EXIT_READER_GONE = 76;
    /** The VM is worn out (threads left running); nothing is wrong with what was answered. */
    static final int EXIT_TAINTED = 77;
    static final int EXIT_TIMED_OUT = 124;

    private ArenaProtocol() {
    }
}
