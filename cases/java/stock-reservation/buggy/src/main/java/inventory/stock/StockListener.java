package inventory.stock;

/** Is told when an article runs low. */
public interface StockListener {
    /** Called after a shipment that left less on hand than the warehouse wants to have. */
    void low(String article, int onHand);
}
