package payroll;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Objects;

/** Someone who is paid. */
public abstract class Employee {
    private final String name;

    protected Employee(String name) {
        this.name = Objects.requireNonNull(name);
    }

    public String name() {
        return name;
    }

    /** Returns the pay before taxes, rounded half up to cents. */
    public final BigDecimal gross() {
        return earned().setScale(2, RoundingMode.HALF_UP);
    }

    /**
     * Returns the pay after taxes, rounded half up to cents.
     *
     * @param taxes says how much of a gross pay is withheld, not null
     */
    public final BigDecimal net(TaxTable taxes) {
        BigDecimal gross = gross();
        return gross.subtract(gross.multiply(taxes.rate(gross))).setScale(2, RoundingMode.HALF_UP);
    }

    /** The exact pay before taxes. */
    protected abstract BigDecimal earned();
}
