package billing.schedule;

import java.time.LocalDate;
import java.time.Period;

/** How often a payment is due. */
public enum Recurrence {
    WEEKLY(Period.ofWeeks(1)),
    MONTHLY(Period.ofMonths(1)),
    QUARTERLY(Period.ofMonths(3)),
    YEARLY(Period.ofYears(1));

    private final Period period;

    Recurrence(Period period) {
        this.period = period;
    }

    /**
     * The date some periods after another one. If its month has no such day, it is the last day of
     * the month.
     */
    LocalDate after(LocalDate date, int periods) {
        return date.plus(period.multipliedBy(periods));
    }
}
