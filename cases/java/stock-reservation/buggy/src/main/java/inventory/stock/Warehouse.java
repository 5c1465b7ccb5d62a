package inventory.stock;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A warehouse: what is on hand of each article, and how much of that is reserved for customers.
 *
 * <p>Reserved pieces stay on hand until they are shipped but are no longer available. Every operation
 * either succeeds or throws and changes nothing.
 */
public final class Warehouse {
    private final Map<String, Stock> stocks = new HashMap<>();
    private final StockListener listener;
    private final int wanted;

    /**
     * @param wanted how many pieces of each article should be on hand
     * @param listener is told when a shipment leaves less of an article, not null
     */
    public Warehouse(int wanted, StockListener listener) {
        this.wanted = wanted;
        this.listener = Objects.requireNonNull(listener);
    }

    /** Takes in pieces of an article. */
    public void receive(Line line) {
        stocks.computeIfAbsent(line.article(), Stock::new).receive(line.pieces());
    }

    /** Returns how many pieces of an article are in the warehouse, reserved or not. */
    public int onHand(String article) {
        return stock(article).onHand();
    }

    /** Returns how many pieces of an article can still be reserved. */
    public int available(String article) {
        return stock(article).available();
    }

    /**
     * Reserves pieces of any number of articles. An article may be named in several lines; then their
     * pieces add up.
     *
     * @throws OutOfStockException if one of the lines asks for more than what is available by then;
     *     nothing is reserved in that case
     */
    public Reservation reserve(Line... lines) {
        Reservation reservation = new Reservation();
        int done = 0;
        try {
            for (Line line : lines) {
                stock(line.article()).reserve(line.pieces());
                done++;
                reservation.add(line);
            }
        } catch (OutOfStockException e) {
            for (int i = 0; i < done; i++) {
                stock(lines[i].article()).release(lines[i].pieces());
            }
            throw e;
        }
        return reservation;
    }

    /**
     * Gives up a reservation; its pieces are available again.
     *
     * @param reservation one of this warehouse, not null
     * @throws IllegalStateException if it is not open
     */
    public void cancel(Reservation reservation) {
        reservation.close(Reservation.State.CANCELLED);
        for (Map.Entry<String, Integer> entry : reservation.pieces().entrySet()) {
            stock(entry.getKey()).release(entry.getValue());
        }
    }

    /**
     * Ships what is reserved: it leaves the warehouse. Articles that then run low are reported to the
     * listener in the order of their names.
     *
     * @param reservation one of this warehouse, not null
     * @throws IllegalStateException if it is not open
     */
    public void ship(Reservation reservation) {
        reservation.close(Reservation.State.SHIPPED);
        for (Map.Entry<String, Integer> entry : new TreeMap<>(reservation.pieces()).entrySet()) {
            Stock stock = stock(entry.getKey());
            stock.ship(entry.getValue());
            if (stock.onHand() < wanted) {
                listener.low(entry.getKey(), stock.onHand());
            }
        }
    }

    private Stock stock(String article) {
        Stock stock = stocks.get(article);
        return stock == null ? new Stock(article) : stock;
    }
}
