package expr;

/** Says that a text is not an expression, and where. */
public class SyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int position;

    public SyntaxException(String message, int position) {
        super(message + " at " + position);
        this.position = position;
    }

    /** Index in the text of the first character that was not understood. */
    public int position() {
        return position;
    }
}
