package billing.schedule;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;

/**
 * The dates on which the payments of a contract are due.
 *
 * <p>Weekly payments are due every seven days. The others are due on the same day of the month as the
 * first one, or on the last day of the month in months that are too short: the schedule from
 * 31 January goes on with 28 or 29 February, 31 March and 30 April. A yearly payment from 29 February is
 * due on 28 February of common years and on 29 February of leap years. Schedules are immutable.
 */
public final class PaymentSchedule implements Iterable<LocalDate> {
    private static final int LAST_YEAR = 9999;
    private static final int MOST_PAYMENTS = 1200;

    private final LocalDate first;
    private final Recurrence recurrence;
    private final int count;

    /**
     * @param first the first due date, not null, in the years 1 to 9999
     * @param recurrence how often a payment is due, not null
     * @param count the number of payments, from 1 to 1200
     * @throws IllegalArgumentException if the first date or the count is out of range
     */
    public PaymentSchedule(LocalDate first, Recurrence recurrence, int count) {
        if (count < 1 || count > MOST_PAYMENTS) {
            throw new IllegalArgumentException("number of payments: " + count);
        }
        if (first.getYear() < 1 || first.getYear() > LAST_YEAR) {
            throw new IllegalArgumentException("first date: " + first);
        }
        this.first = first;
        this.recurrence = Objects.requireNonNull(recurrence);
        this.count = count;
    }

    /** Returns the number of payments. */
    public int count() {
        return count;
    }

    /** Returns all due dates in their order. */
    public List<LocalDate> dates() {
        List<LocalDate> dates = new ArrayList<>();
        for (LocalDate date : this) {
            dates.add(date);
        }
        return dates;
    }

    /** Returns the date of the last payment. */
    public LocalDate last() {
        LocalDate last = first;
        for (LocalDate date : this) {
            last = date;
        }
        return last;
    }

    /** Returns the first due date after a day, not null; empty if there is none left. */
    public Optional<LocalDate> nextAfter(LocalDate day) {
        for (LocalDate date : this) {
            if (date.isAfter(day)) {
                return Optional.of(date);
            }
        }
        return Optional.empty();
    }

    /** Tells whether a payment is due on a day, not null. */
    public boolean isDue(LocalDate day) {
        return nextAfter(day.minusDays(1)).filter(day::equals).isPresent();
    }

    @Override
    public Iterator<LocalDate> iterator() {
        return new Dates();
    }

    /** Walks from due date to due date. */
    private final class Dates implements Iterator<LocalDate> {
        private LocalDate date = first;
        private int done;

        @Override
        public boolean hasNext() {
            return done < count;
        }

        @Override
        public LocalDate next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            LocalDate result = date;
            done++;
            date = recurrence.after(date, 1);
            return result;
        }
    }
}
