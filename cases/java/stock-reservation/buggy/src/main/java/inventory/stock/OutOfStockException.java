package inventory.stock;

/** Says that there is less of an article than someone asked for. */
public class OutOfStockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String article;

    public OutOfStockException(String article) {
        super("out of stock: " + article);
        this.article = article;
    }

    public String article() {
        return article;
    }
}
