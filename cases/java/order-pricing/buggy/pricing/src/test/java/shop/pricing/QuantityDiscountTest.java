package shop.pricing;

import static org.junit.Assert.assertEquals;

import java.math.BigDecimal;
import java.util.NoSuchElementException;
import org.junit.Test;

public class QuantityDiscountTest {
    @Test
    public void singlePiecesHaveNoDiscount() {
        assertEquals(0, QuantityDiscount.percent(0));
        assertEquals(0, QuantityDiscount.percent(1));
        assertEquals(0, QuantityDiscount.percent(5));
    }

    @Test
    public void dozenIsBulk() {
        assertEquals(5, QuantityDiscount.percent(12));
        assertEquals(5, QuantityDiscount.percent(49));
    }

    @Test
    public void fiftyIsPallet() {
        assertEquals(8, QuantityDiscount.percent(50));
        assertEquals(8, QuantityDiscount.percent(1000));
    }

    @Test(expected = IllegalArgumentException.class)
    public void negativeQuantityIsRejected() {
        QuantityDiscount.percent(-1);
    }

    @Test
    public void priceIsRoundedHalfUp() {
        assertEquals(new BigDecimal("13.79"), QuantityDiscount.price(new BigDecimal("1.21"), 12));
        assertEquals(new BigDecimal("0.02"), QuantityDiscount.price(new BigDecimal("0.015"), 1));
    }

    @Test(expected = NoSuchElementException.class)
    public void unknownArticleHasNoPrice() {
        new PriceList().with("A1", "1").unitPrice("A2");
    }

    @Test(expected = IllegalArgumentException.class)
    public void negativePriceIsRejected() {
        new PriceList().with("A1", "-0.01");
    }
}
