package stats;

/**
 * Count, mean, variance and extremes of a series of numbers, without keeping the numbers.
 *
 * <p>Summaries of parts of a series can be merged into the summary of the whole. Numbers must be finite and
 * of a magnitude of at most 1e100; those below 1e-100 in magnitude count as zero. Results are exact but for
 * rounding errors.
 */
public final class Summary {
    private static final double GREATEST = 1e100;
    private static final double LEAST = 1e-100;

    private long count;
    private double mean;
    /** Sum of the squared differences from the mean. */
    private double squares;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    /**
     * Returns the summary of some numbers.
     *
     * @throws IllegalArgumentException if a number is not finite or too large
     */
    public static Summary of(double... numbers) {
        Summary summary = new Summary();
        for (double number : numbers) {
            summary.add(number);
        }
        return summary;
    }

    /**
     * Adds a number to the series.
     *
     * @throws IllegalArgumentException if the number is not finite or too large
     */
    public void add(double added) {
        if (!(Math.abs(added) <= GREATEST)) {
            throw new IllegalArgumentException("number out of range: " + added);
        }
        double number = Math.abs(added) < LEAST ? 0 : added;
        count++;
        double delta = number - mean;
        mean += delta / count;
        squares += delta * (number - mean);
        min = Math.min(min, number);
        max = Math.max(max, number);
    }

    /**
     * Adds all numbers of another series, which is not changed.
     *
     * @param other the summary of the other series, not null and not this one
     * @throws IllegalArgumentException if it is this one
     */
    public void merge(Summary other) {
        if (other == this) {
            throw new IllegalArgumentException("cannot merge a summary with itself");
        }
        if (other.count == 0) {
            return;
        }
        long total = count + other.count;
        double delta = other.mean - mean;
        mean += delta * other.count / total;
        squares += other.squares;
        count = total;
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
    }

    /** Returns how many numbers there are. */
    public long count() {
        return count;
    }

    /** Returns the mean, or NaN if there are no numbers. */
    public double mean() {
        return count == 0 ? Double.NaN : mean;
    }

    /** Returns the variance of the numbers as a sample, or NaN if there are less than two. */
    public double variance() {
        return count < 2 ? Double.NaN : squares / (count - 1);
    }

    /** Returns the standard deviation of the numbers as a sample, or NaN if there are less than two. */
    public double standardDeviation() {
        return Math.sqrt(variance());
    }

    /** Returns the least number, or positive infinity if there are none. */
    public double min() {
        return min;
    }

    /** Returns the greatest number, or negative infinity if there are none. */
    public double max() {
        return max;
    }
}
