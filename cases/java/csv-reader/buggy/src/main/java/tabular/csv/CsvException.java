package tabular.csv;

import java.io.IOException;

/** Says that a text is not well-formed, and in which line. */
public class CsvException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int line;

    public CsvException(String message, int line) {
        super("line " + line + ": " + message);
        this.line = line;
    }

    /** Number of the line at fault, from 1. */
    public int line() {
        return line;
    }
}
