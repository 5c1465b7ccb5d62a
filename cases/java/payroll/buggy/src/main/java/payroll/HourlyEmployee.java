package payroll;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Is paid by the hour. The hours of a week beyond 40 are overtime, for which half of the rate is
 * paid in addition. A week with less than 40 hours does not make up for a longer one.
 */
public class HourlyEmployee extends Employee {
    private static final BigDecimal FULL_WEEK = BigDecimal.valueOf(40);
    private static final BigDecimal MOST_HOURS = BigDecimal.valueOf(168);
    private static final BigDecimal HALF = new BigDecimal("0.5");

    private final BigDecimal rate;
    private final List<BigDecimal> weeks = new ArrayList<>();

    /**
     * @param rate the pay of an hour, such as "18.50"
     * @throws IllegalArgumentException if the rate is negative
     */
    public HourlyEmployee(String name, String rate) {
        super(name);
        this.rate = new BigDecimal(rate);
        if (this.rate.signum() < 0) {
            throw new IllegalArgumentException("negative rate: " + rate);
        }
    }

    /**
     * Adds a week.
     *
     * @param hours how many hours were worked, such as "38.25"; from 0 to 168
     * @return this employee
     * @throws IllegalArgumentException if the hours are out of range
     */
    public HourlyEmployee week(String hours) {
        BigDecimal value = new BigDecimal(hours);
        if (value.signum() < 0 || value.compareTo(MOST_HOURS) > 0) {
            throw new IllegalArgumentException("hours of a week: " + hours);
        }
        weeks.add(value);
        return this;
    }

    /** Returns the sum of all hours. */
    public BigDecimal hours() {
        BigDecimal hours = BigDecimal.ZERO;
        for (BigDecimal week : weeks) {
            hours = hours.add(week);
        }
        return hours;
    }

    /** Returns how many of the hours are paid as overtime; a number of any scale. */
    public BigDecimal overtime() {
        BigDecimal regular = FULL_WEEK.multiply(BigDecimal.valueOf(weeks.size()));
        return hours().subtract(regular).max(BigDecimal.ZERO);
    }

    protected final BigDecimal rate() {
        return rate;
    }

    @Override
    protected BigDecimal earned() {
        return rate.multiply(hours().add(overtime().multiply(HALF)));
    }
}
