package expr;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class ExpressionTest {
    private static long value(String text) {
        return Expression.parse(text).value();
    }

    @Test
    public void number() {
        assertEquals(42, value(" 42 "));
        assertEquals(0, value("0"));
    }

    @Test
    public void twoOperands() {
        assertEquals(7, value("3 + 4"));
        assertEquals(-1, value("3 - 4"));
        assertEquals(12, value("3*4"));
        assertEquals(3, value("7 / 2"));
    }

    @Test
    public void productsBindMore() {
        assertEquals(14, value("2 + 3 * 4"));
        assertEquals(2, value("14 - 3 * 4"));
    }

    @Test
    public void chainOfAdditions() {
        assertEquals(10, value("1 + 2 + 3 + 4"));
    }

    @Test
    public void chainOfSubtractions() {
        assertEquals(5, value("10 - 3 - 2"));
    }

    @Test
    public void chainOfDivisions() {
        assertEquals(5, value("100 / 10 / 2"));
        assertEquals(20, value("100 / 10 * 2"));
    }

    @Test
    public void parentheses() {
        assertEquals(14, value("2 * (3 + 4)"));
        assertEquals(3, value("(8 - 3) - 2"));
    }

    @Test
    public void minusSign() {
        assertEquals(-5, value("-5"));
        assertEquals(5, value("--5"));
        assertEquals(7, value("2 - -5"));
    }

    @Test
    public void variables() {
        Map<String, Long> variables = new HashMap<>();
        variables.put("x", 6L);
        variables.put("rate", 7L);
        assertEquals(42, Expression.parse("x * rate").value(variables));
    }

    @Test(expected = IllegalArgumentException.class)
    public void variableWithoutValue() {
        value("x + 1");
    }

    @Test(expected = ArithmeticException.class)
    public void divisionByZero() {
        value("1 / (2 - 2)");
    }

    @Test
    public void textShowsTheStructure() {
        assertEquals("(1 + (2 * x))", Expression.parse("1+2*x").toString());
        assertEquals("((1 * 2) / 3)", Expression.parse("1*2/3").toString());
    }

    @Test
    public void errorsNameThePosition() {
        String[] wrong = {"", "1 +", "(1", "1 2", "a + * b", "99999999999999999999"};
        int[] positions = {0, 3, 2, 2, 4, 0};
        for (int i = 0; i < wrong.length; i++) {
            try {
                Expression.parse(wrong[i]);
                fail(wrong[i]);
            } catch (SyntaxException e) {
                assertEquals(wrong[i], positions[i], e.position());
            }
        }
    }
}
