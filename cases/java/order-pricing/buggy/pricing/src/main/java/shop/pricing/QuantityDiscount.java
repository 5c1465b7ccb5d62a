package shop.pricing;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The discount for buying many pieces of one article, by the tiers of {@link Tier}: 5 % from ten
 * pieces on, 8 % from fifty pieces on.
 */
public final class QuantityDiscount {
    /** The least quantity that counts as a bulk order. */
    public static final int BULK_FROM = 11;

    /** The least quantity that counts as a pallet. */
    public static final int PALLET_FROM = 50;

    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private QuantityDiscount() {
    }

    /**
     * Returns the discount for a quantity, in percent.
     *
     * @param quantity number of pieces of one article
     * @throws IllegalArgumentException if the quantity is negative
     */
    public static int percent(int quantity) {
        if (quantity < 0) {
            throw new IllegalArgumentException("negative quantity: " + quantity);
        }
        if (quantity >= PALLET_FROM) {
            return Tier.PALLET.percent();
        }
        if (quantity >= BULK_FROM) {
            return Tier.BULK.percent();
        }
        return Tier.SINGLE.percent();
    }

    /**
     * Returns the price of a quantity of one article after discount, rounded half up to cents.
     *
     * @param unitPrice price of one piece, not null
     * @param quantity number of pieces
     * @throws IllegalArgumentException if the quantity is negative
     */
    public static BigDecimal price(BigDecimal unitPrice, int quantity) {
        BigDecimal factor = HUNDRED.subtract(BigDecimal.valueOf(percent(quantity)));
        return unitPrice
                .multiply(BigDecimal.valueOf(quantity))
                .multiply(factor)
                .divide(HUNDRED, 2, RoundingMode.HALF_UP);
    }
}
