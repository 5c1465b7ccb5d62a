package inventory.stock;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;

public class WarehouseTest {
    private final List<String> low = new ArrayList<>();
    private Warehouse warehouse;

    @Before
    public void fill() {
        warehouse = new Warehouse(3, (article, onHand) -> low.add(article + onHand));
        warehouse.receive(new Line("lamp", 10));
        warehouse.receive(new Line("desk", 4));
    }

    @Test
    public void deliveriesAddUp() {
        warehouse.receive(new Line("lamp", 5));
        assertEquals(15, warehouse.onHand("lamp"));
        assertEquals(15, warehouse.available("lamp"));
        assertEquals(0, warehouse.onHand("sofa"));
    }

    @Test
    public void reservedPiecesStayOnHand() {
        Reservation reservation = warehouse.reserve(new Line("lamp", 4));
        assertEquals(10, warehouse.onHand("lamp"));
        assertEquals(6, warehouse.available("lamp"));
        assertEquals(Reservation.State.OPEN, reservation.state());
    }

    @Test
    public void reservationNamesItsPieces() {
        Map<String, Integer> expected = new HashMap<>();
        expected.put("lamp", 1);
        expected.put("desk", 2);
        assertEquals(expected, warehouse.reserve(new Line("desk", 2), new Line("lamp", 1)).pieces());
    }

    @Test
    public void cancelReleases() {
        Reservation reservation = warehouse.reserve(new Line("lamp", 4), new Line("desk", 4));
        warehouse.cancel(reservation);
        assertEquals(10, warehouse.available("lamp"));
        assertEquals(4, warehouse.available("desk"));
        assertEquals(Reservation.State.CANCELLED, reservation.state());
    }

    @Test
    public void cancelReleasesSeveralLinesOfOneArticle() {
        Reservation reservation = warehouse.reserve(new Line("lamp", 2), new Line("lamp", 3));
        assertEquals(5, warehouse.available("lamp"));
        warehouse.cancel(reservation);
        assertEquals(10, warehouse.available("lamp"));
    }

    @Test
    public void shippedPiecesAreGone() {
        warehouse.ship(warehouse.reserve(new Line("lamp", 4)));
        assertEquals(6, warehouse.onHand("lamp"));
        assertEquals(6, warehouse.available("lamp"));
        assertEquals(new ArrayList<String>(), low);
    }

    @Test
    public void lowStockIsReportedInOrder() {
        warehouse.ship(warehouse.reserve(new Line("lamp", 8), new Line("desk", 3)));
        assertEquals(Arrays.asList("desk1", "lamp2"), low);
    }

    @Test
    public void closedReservationCannotBeCancelled() {
        Reservation reservation = warehouse.reserve(new Line("lamp", 4));
        warehouse.ship(reservation);
        try {
            warehouse.cancel(reservation);
            fail();
        } catch (IllegalStateException expected) {
            assertEquals(6, warehouse.available("lamp"));
        }
    }

    @Test
    public void outOfStock() {
        try {
            warehouse.reserve(new Line("lamp", 11));
            fail();
        } catch (OutOfStockException e) {
            assertEquals("lamp", e.article());
            assertEquals(10, warehouse.available("lamp"));
        }
    }

    @Test(expected = OutOfStockException.class)
    public void unknownArticleIsOutOfStock() {
        warehouse.reserve(new Line("sofa", 1));
    }

    @Test(expected = IllegalArgumentException.class)
    public void lineNeedsPieces() {
        new Line("lamp", 0);
    }
}
