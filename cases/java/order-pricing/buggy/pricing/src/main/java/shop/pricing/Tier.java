package shop.pricing;

/** The quantity tiers of the price list: ten pieces make a bulk order, fifty make a pallet. */
public enum Tier {
    SINGLE(0, 0),
    BULK(10, 5),
    PALLET(50, 8);

    private final int from;
    private final int percent;

    Tier(int from, int percent) {
        this.from = from;
        this.percent = percent;
    }

    /** The least quantity of this tier. */
    public int from() {
        return from;
    }

    /** The discount of this tier, in percent. */
    public int percent() {
        return percent;
    }
}
