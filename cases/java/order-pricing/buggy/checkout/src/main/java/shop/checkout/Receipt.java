package shop.checkout;

import java.util.Map;
import shop.pricing.QuantityDiscount;

/** The printed form of a cart. */
public final class Receipt {
    private final Cart cart;

    /** Creates the receipt of a cart, not null. */
    public Receipt(Cart cart) {
        this.cart = cart;
    }

    /**
     * Returns the mark that is printed behind a line: "P" for a pallet, "B" for a bulk order, and
     * nothing for a quantity without discount.
     */
    public static String mark(int quantity) {
        if (quantity >= QuantityDiscount.PALLET_FROM) {
            return "P";
        }
        return quantity >= QuantityDiscount.BULK_FROM ? "B" : "";
    }

    /**
     * Returns the text of the receipt: a line "quantity x article price mark" for each article, in
     * the order of the article numbers, and a line with the total. Lines end with a line feed.
     */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Integer> line : cart.quantities().entrySet()) {
            String mark = mark(line.getValue());
            text.append(line.getValue()).append(" x ").append(line.getKey());
            text.append(' ').append(cart.price(line.getKey()));
            if (!mark.isEmpty()) {
                text.append(' ').append(mark);
            }
            text.append('\n');
        }
        return text.append("total ").append(cart.total()).append('\n').toString();
    }
}
