package expr;

/**
 * Recursive descent over the text of an expression.
 *
 * <pre>
 * sum     = product { ("+" | "-") product }
 * product = factor { ("*" | "/") factor }
 * factor  = "-" factor | number | name | "(" sum ")"
 * </pre>
 */
final class Parser {
    private final String text;
    private int position;

    Parser(String text) {
        this.text = text;
    }

    Node parse() {
        Node result = sum();
        if (peek() != '\0') {
            throw unexpected();
        }
        return result;
    }

    private Node sum() {
        Node left = product();
        char operator = peek();
        if (operator == '+' || operator == '-') {
            position++;
            return new Node.Binary(operator, left, sum());
        }
        return left;
    }

    private Node product() {
        Node result = factor();
        char operator = peek();
        while (operator == '*' || operator == '/') {
            position++;
            result = new Node.Binary(operator, result, factor());
            operator = peek();
        }
        return result;
    }

    private Node factor() {
        char next = peek();
        if (next == '-') {
            position++;
            return new Node.Negation(factor());
        }
        if (next == '(') {
            position++;
            Node inner = sum();
            if (peek() != ')') {
                throw unexpected();
            }
            position++;
            return inner;
        }
        if (isDigit(next)) {
            return number();
        }
        if (isLetter(next)) {
            return new Node.Variable(name());
        }
        throw unexpected();
    }

    private Node number() {
        int start = position;
        while (position < text.length() && isDigit(text.charAt(position))) {
            position++;
        }
        try {
            return new Node.Constant(Long.parseLong(text.substring(start, position)));
        } catch (NumberFormatException e) {
            throw new SyntaxException("number too large", start);
        }
    }

    private String name() {
        int start = position;
        while (position < text.length() && isLetter(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    /** The next character that is not a space, or NUL at the end. */
    private char peek() {
        while (position < text.length() && text.charAt(position) == ' ') {
            position++;
        }
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private SyntaxException unexpected() {
        return new SyntaxException("unexpected " + (position < text.length() ? "character" : "end"), position);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z';
    }
}
