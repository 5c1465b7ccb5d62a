package text.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * Breaks text into lines of limited width.
 *
 * <p>A line takes as many words as fit. Words are separated by one or more spaces; spaces within a
 * line are kept, spaces at a line break are dropped, and so are spaces at the beginning and at the
 * end of the text. A word that is longer than the width begins on a line of its own and is cut
 * after every {@code width} characters; the words that follow may share the line of its last piece.
 * So no line is ever empty or longer than the width. Tabs and line feeds are characters like
 * any other.
 */
public final class WordWrap {
    private static final int GREATEST_WIDTH = 1000;

    private final int width;

    /**
     * @param width the greatest length of a line, from 1 to 1000
     * @throws IllegalArgumentException if the width is out of range
     */
    public WordWrap(int width) {
        if (width < 1 || width > GREATEST_WIDTH) {
            throw new IllegalArgumentException("width out of range: " + width);
        }
        this.width = width;
    }

    /** Returns the greatest length of a line. */
    public int width() {
        return width;
    }

    /**
     * Returns the lines of a text, from top to bottom; none if the text has no words.
     *
     * @param text the text, not null
     */
    public List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int start = skipSpaces(text, 0);
        while (start < text.length()) {
            int end = lineEnd(text, start);
            lines.add(withoutTrailingSpaces(text.substring(start, end)));
            start = skipSpaces(text, end);
        }
        return lines;
    }

    /**
     * Returns the text as a block: its lines, aligned within the width and joined by line feeds. No
     * spaces are added at the right.
     *
     * @param text the text, not null
     * @param alignment where to put each line, not null
     */
    public String block(String text, Alignment alignment) {
        StringBuilder block = new StringBuilder();
        for (String line : lines(text)) {
            if (block.length() > 0) {
                block.append('\n');
            }
            int indent = alignment.indent(width - line.length());
            for (int i = 0; i < indent; i++) {
                block.append(' ');
            }
            block.append(line);
        }
        return block.toString();
    }

    /** Index after the last character of the line that begins at {@code start}. */
    private int lineEnd(String text, int start) {
        int limit = start + width;
        if (limit >= text.length()) {
            return text.length();
        }
        int end = limit;
        while (end > start && text.charAt(end) != ' ') {
            end--;
        }
        if (end == start) {
            end = text.indexOf(' ', start);
        }
        return end < 0 ? text.length() : end;
    }

    private static int skipSpaces(String text, int from) {
        int index = from;
        while (index < text.length() && text.charAt(index) == ' ') {
            index++;
        }
        return index;
    }

    private static String withoutTrailingSpaces(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == ' ') {
            end--;
        }
        return line.substring(0, end);
    }
}
