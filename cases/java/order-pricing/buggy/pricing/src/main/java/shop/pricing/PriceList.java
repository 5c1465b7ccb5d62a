package shop.pricing;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/** Unit prices by article number. */
public final class PriceList {
    private final Map<String, BigDecimal> prices = new HashMap<>();

    /**
     * Sets the price of an article.
     *
     * @param article the article number, not null
     * @param price the price of one piece in the notation of {@link BigDecimal}, such as "3.20"
     * @return this list
     * @throws NumberFormatException if the price is not a number
     * @throws IllegalArgumentException if the price is negative
     */
    public PriceList with(String article, String price) {
        BigDecimal value = new BigDecimal(price);
        if (value.signum() < 0) {
            throw new IllegalArgumentException("negative price: " + price);
        }
        prices.put(article, value);
        return this;
    }

    /**
     * Returns the price of one piece of an article.
     *
     * @throws NoSuchElementException if the list has no such article
     */
    public BigDecimal unitPrice(String article) {
        BigDecimal price = prices.get(article);
        if (price == null) {
            throw new NoSuchElementException("no such article: " + article);
        }
        return price;
    }
}
