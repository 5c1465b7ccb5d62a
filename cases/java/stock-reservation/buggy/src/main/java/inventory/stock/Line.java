package inventory.stock;

import java.util.Objects;

/** So many pieces of an article. */
public final class Line {
    private final String article;
    private final int pieces;

    /**
     * @throws IllegalArgumentException if the number of pieces is less than 1
     */
    public Line(String article, int pieces) {
        if (pieces < 1) {
            throw new IllegalArgumentException("pieces must be positive: " + pieces);
        }
        this.article = Objects.requireNonNull(article);
        this.pieces = pieces;
    }

    public String article() {
        return article;
    }

    public int pieces() {
        return pieces;
    }
}
