package bank;

/** An account with a balance in cents, which is never negative. */
class Account {
    private final String number;
    private long balance;
    private boolean frozen;

    Account(String number) {
        this.number = number;
    }

    String getNumber() {
        return number;
    }

    long getBalance() {
        return balance;
    }

    boolean isFrozen() {
        return frozen;
    }

    void setFrozen(boolean frozen) {
        this.frozen = frozen;
    }

    /** Checks the amount first, then that the account is not frozen. */
    void deposit(long cents) {
        checkUsable(cents);
        balance += cents;
    }

    /** Checks the amount first, then that the account is not frozen, then the balance. */
    void withdraw(long cents) throws InsufficientFundsException {
        checkUsable(cents);
        if (cents > balance) {
            throw new InsufficientFundsException(number, cents - balance);
        }
        balance -= cents;
    }

    private void checkUsable(long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("amount must be positive: " + cents);
        }
        if (frozen) {
            throw new IllegalStateException("account is frozen: " + number);
        }
    }
}
