package shop.checkout;

import static org.junit.Assert.assertEquals;

import java.math.BigDecimal;
import java.util.NoSuchElementException;
import org.junit.Before;
import org.junit.Test;
import shop.pricing.PriceList;

public class CartTest {
    private Cart cart;

    @Before
    public void setUp() {
        cart = new Cart(new PriceList().with("bolt", "0.20").with("nut", "0.10").with("saw", "19.90"));
    }

    @Test
    public void emptyCartCostsNothing() {
        assertEquals(new BigDecimal("0.00"), cart.total());
        assertEquals(new BigDecimal("0.00"), cart.price("saw"));
    }

    @Test
    public void totalOfDifferentArticles() {
        cart.add("bolt", 4);
        cart.add("saw", 1);
        assertEquals(new BigDecimal("20.70"), cart.total());
    }

    @Test
    public void quantitiesOfOneArticleAddUp() {
        cart.add("nut", 8);
        cart.add("nut", 12);
        assertEquals(20, cart.quantity("nut"));
        assertEquals(new BigDecimal("1.90"), cart.total());
    }

    @Test
    public void tenPiecesAreBulk() {
        cart.add("bolt", 10);
        assertEquals(new BigDecimal("1.90"), cart.total());
    }

    @Test
    public void removedArticleIsFree() {
        cart.add("saw", 2);
        cart.remove("saw");
        assertEquals(0, cart.quantity("saw"));
        assertEquals(new BigDecimal("0.00"), cart.total());
    }

    @Test(expected = NoSuchElementException.class)
    public void unknownArticleIsRejected() {
        cart.add("glue", 1);
    }

    @Test(expected = IllegalArgumentException.class)
    public void zeroPiecesAreRejected() {
        cart.add("nut", 0);
    }

    @Test
    public void receiptMarksDiscounts() {
        cart.add("nut", 12);
        cart.add("bolt", 50);
        cart.add("saw", 1);
        assertEquals(
                "50 x bolt 9.20 P\n12 x nut 1.14 B\n1 x saw 19.90\ntotal 30.24\n",
                new Receipt(cart).text());
    }
}
