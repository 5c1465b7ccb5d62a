package expr;

import java.util.Map;

/** A node of an expression tree. */
abstract class Node {
    /** Computes the value for the given values of the variables. */
    abstract long value(Map<String, Long> variables);

    static final class Constant extends Node {
        private final long value;

        Constant(long value) {
            this.value = value;
        }

        @Override
        long value(Map<String, Long> variables) {
            return value;
        }

        @Override
        public String toString() {
            return Long.toString(value);
        }
    }

    static final class Variable extends Node {
        private final String name;

        Variable(String name) {
            this.name = name;
        }

        @Override
        long value(Map<String, Long> variables) {
            Long value = variables.get(name);
            if (value == null) {
                throw new IllegalArgumentException("no value for " + name);
            }
            return value;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static final class Negation extends Node {
        private final Node operand;

        Negation(Node operand) {
            this.operand = operand;
        }

        @Override
        long value(Map<String, Long> variables) {
            return -operand.value(variables);
        }

        @Override
        public String toString() {
            return "-" + operand;
        }
    }

    static final class Binary extends Node {
        final char operator;
        final Node left;
        final Node right;

        Binary(char operator, Node left, Node right) {
            this.operator = operator;
            this.left = left;
            this.right = right;
        }

        @Override
        long value(Map<String, Long> variables) {
            long a = left.value(variables);
            long b = right.value(variables);
            switch (operator) {
                case '+':
                    return a + b;
                case '-':
                    return a - b;
                case '*':
                    return a * b;
                default:
                    return a / b;
            }
        }

        @Override
        public String toString() {
            return "(" + left + " " + operator + " " + right + ")";
        }
    }
}
