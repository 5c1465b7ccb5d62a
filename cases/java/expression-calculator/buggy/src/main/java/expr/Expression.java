package expr;

import java.util.Collections;
import java.util.Map;

/**
 * An arithmetic expression of whole numbers, variables of lower case letters, {@code + - * /}, a minus
 * sign and parentheses. Multiplication and division bind more than addition and subtraction;
 * operators of the same rank are computed from left to right. Numbers are of type {@code long},
 * overflow wraps around, and division drops the fraction.
 */
public final class Expression {
    private final Node root;

    private Expression(Node root) {
        this.root = root;
    }

    /**
     * Reads an expression.
     *
     * @param text the text, not null
     * @throws SyntaxException if the text is not an expression
     */
    public static Expression parse(String text) {
        return new Expression(new Parser(text).parse());
    }

    /**
     * Computes an expression without variables.
     *
     * @throws ArithmeticException if it divides by zero
     * @throws IllegalArgumentException if it has a variable
     */
    public long value() {
        return value(Collections.<String, Long>emptyMap());
    }

    /**
     * Computes the expression.
     *
     * @param variables values by name, not null
     * @throws ArithmeticException if it divides by zero
     * @throws IllegalArgumentException if it has a variable without value
     */
    public long value(Map<String, Long> variables) {
        return root.value(variables);
    }

    /** Returns the expression with parentheses around every operation, such as "((1 + 2) - x)". */
    @Override
    public String toString() {
        return root.toString();
    }
}
