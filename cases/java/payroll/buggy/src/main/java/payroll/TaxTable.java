package payroll;

import java.math.BigDecimal;

/** How much of a pay is withheld. */
public interface TaxTable {
    /** Returns the rate for a gross pay, from 0 to 1. */
    BigDecimal rate(BigDecimal gross);
}
