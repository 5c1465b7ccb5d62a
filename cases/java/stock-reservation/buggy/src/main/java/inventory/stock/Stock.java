package inventory.stock;

/** The stock of one article. */
final class Stock {
    private final String article;
    private int onHand;
    private int reserved;

    Stock(String article) {
        this.article = article;
    }

    int onHand() {
        return onHand;
    }

    int available() {
        return onHand - reserved;
    }

    void receive(int pieces) {
        onHand += pieces;
    }

    void reserve(int pieces) {
        if (pieces > available()) {
            throw new OutOfStockException(article);
        }
        reserved += pieces;
    }

    void release(int pieces) {
        reserved -= pieces;
    }

    void ship(int pieces) {
        reserved -= pieces;
        onHand -= pieces;
    }
}
