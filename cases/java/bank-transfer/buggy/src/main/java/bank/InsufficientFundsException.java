package bank;

/** Says that an account has less than what should be taken from it. */
public class InsufficientFundsException extends Exception {
    private static final long serialVersionUID = 1L;

    private final long missing;

    public InsufficientFundsException(String account, long missing) {
        super("account " + account + " lacks " + missing);
        this.missing = missing;
    }

    /** The amount that is missing, in cents. */
    public long getMissing() {
        return missing;
    }
}
