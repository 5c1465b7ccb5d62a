package shop.checkout;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import shop.pricing.PriceList;
import shop.pricing.QuantityDiscount;

/** A cart: how many pieces of which article, priced by a price list with quantity discount. */
public final class Cart {
    private final PriceList prices;
    private final Map<String, Integer> quantities = new TreeMap<>();

    /** Creates an empty cart for a price list, not null. */
    public Cart(PriceList prices) {
        this.prices = prices;
    }

    /**
     * Adds pieces of an article.
     *
     * @throws IllegalArgumentException if the number of pieces is less than 1
     * @throws java.util.NoSuchElementException if the price list has no such article
     */
    public void add(String article, int pieces) {
        if (pieces < 1) {
            throw new IllegalArgumentException("pieces must be positive: " + pieces);
        }
        prices.unitPrice(article);
        quantities.merge(article, pieces, Integer::sum);
    }

    /** Removes all pieces of an article; does nothing if the cart has none. */
    public void remove(String article) {
        quantities.remove(article);
    }

    /** Returns how many pieces of an article are in the cart. */
    public int quantity(String article) {
        return quantities.getOrDefault(article, 0);
    }

    /** Returns the quantities by article number, in the order of the numbers; not modifiable. */
    public Map<String, Integer> quantities() {
        return Collections.unmodifiableMap(quantities);
    }

    /** Returns the price of all pieces of an article, after discount; zero if the cart has none. */
    public BigDecimal price(String article) {
        int quantity = quantity(article);
        if (quantity == 0) {
            return BigDecimal.ZERO.setScale(2);
        }
        return QuantityDiscount.price(prices.unitPrice(article), quantity);
    }

    /** Returns the price of everything in the cart, after discount. */
    public BigDecimal total() {
        BigDecimal total = BigDecimal.ZERO.setScale(2);
        for (String article : quantities.keySet()) {
            total = total.add(price(article));
        }
        return total;
    }
}
