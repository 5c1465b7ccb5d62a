package tabular.csv;

import java.util.List;

/** Writes records so that {@link CsvReader} reads the same fields. */
public final class CsvWriter {
    private final StringBuilder text = new StringBuilder();

    /**
     * Writes a record.
     *
     * @param fields the fields, at least one, none of them null
     * @return this writer
     * @throws IllegalArgumentException if there are no fields
     */
    public CsvWriter write(String... fields) {
        if (fields.length == 0) {
            throw new IllegalArgumentException("no fields");
        }
        for (int i = 0; i < fields.length; i++) {
            if (i > 0) {
                text.append(',');
            }
            append(fields[i]);
        }
        text.append('\n');
        return this;
    }

    /** Writes a record. */
    public CsvWriter write(List<String> fields) {
        return write(fields.toArray(new String[0]));
    }

    private void append(String field) {
        if (field.indexOf('"') < 0 && field.indexOf(',') < 0 && field.indexOf('\n') < 0) {
            text.append(field);
        } else {
            text.append('"').append(field.replace("\"", "\"\"")).append('"');
        }
    }

    /** Returns the text so far. */
    @Override
    public String toString() {
        return text.toString();
    }
}
