package bank;

/** Says that a bank has no account of some number. */
public class NoSuchAccountException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NoSuchAccountException(String number) {
        super("no such account: " + number);
    }
}
