package payroll;

import java.math.BigDecimal;

/** Works at night: a quarter of the rate is paid in addition for each hour, and there is no overtime. */
public class NightWorker extends HourlyEmployee {
    private static final BigDecimal BONUS = new BigDecimal("0.25");

    public NightWorker(String name, String rate) {
        super(name, rate);
    }

    /** Returns zero. */
    @Override
    public BigDecimal overtime() {
        return BigDecimal.ZERO;
    }

    @Override
    protected BigDecimal earned() {
        return super.earned().add(rate().multiply(BONUS).multiply(hours()));
    }
}
