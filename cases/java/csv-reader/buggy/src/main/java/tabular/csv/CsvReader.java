package tabular.csv;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads records of fields, separated by a character.
 *
 * <p>A record ends at a line feed, or at the end of the text; an empty line is a record of one empty
 * field. A field that begins with a quotation mark is quoted: it goes to the closing mark, may hold
 * separators and line feeds, and two marks within it stand for one. Behind the closing mark only a
 * separator or the end of the record may follow. In a field that is not quoted, quotation
 * marks are ordinary characters. What is wrong is reported by a {@link CsvException} with the line
 * in which the record at fault begins.
 */
public final class CsvReader {
    private static final int END = -1;

    private final Reader reader;
    private final char separator;
    private int next;
    private boolean started;
    private int line;
    private int recordLine;

    /** Reads fields that are separated by commas. */
    public CsvReader(Reader reader) {
        this(reader, ',');
    }

    /**
     * @param reader where the text comes from, not null
     * @param separator the character between two fields
     * @throws IllegalArgumentException if the separator is a quotation mark or a line feed
     */
    public CsvReader(Reader reader, char separator) {
        if (separator == '"' || separator == '\n') {
            throw new IllegalArgumentException("not a separator");
        }
        this.reader = reader;
        this.separator = separator;
    }

    /** Returns all records that are left. */
    public List<List<String>> readAll() throws IOException {
        List<List<String>> records = new ArrayList<>();
        List<String> record = read();
        while (record != null) {
            records.add(record);
            record = read();
        }
        return records;
    }

    /**
     * Returns the fields of the next record, or null at the end of the text.
     *
     * @throws CsvException if the text is not well-formed; the reader is of no use after that
     * @throws IOException if the text cannot be read
     */
    public List<String> read() throws IOException {
        if (!started) {
            started = true;
            line = 1;
            advance();
        }
        if (next == END) {
            return null;
        }
        recordLine = line;
        List<String> fields = new ArrayList<>();
        fields.add(field());
        while (next == separator) {
            advance();
            fields.add(field());
        }
        if (next == '\n') {
            advance();
        }
        return fields;
    }

    private String field() throws IOException {
        if (next == '"') {
            return quoted();
        }
        StringBuilder field = new StringBuilder();
        while (next != separator && next != '\n' && next != END) {
            field.append((char) next);
            advance();
        }
        return field.toString();
    }

    /** Reads from the opening mark to the separator or line feed behind the closing one. */
    private String quoted() throws IOException {
        StringBuilder field = new StringBuilder();
        advance();
        while (next != '"') {
            if (next == END) {
                throw new CsvException("missing quotation mark", recordLine);
            }
            field.append((char) next);
            advance();
        }
        advance();
        if (next != separator && next != '\n' && next != END) {
            throw new CsvException("text after the quotation mark", recordLine);
        }
        return field.toString();
    }

    private void advance() throws IOException {
        if (next == '\n') {
            line++;
        }
        next = reader.read();
    }
}
