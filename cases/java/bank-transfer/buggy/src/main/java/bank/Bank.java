package bank;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A bank: accounts by number, and a journal of what was done.
 *
 * <p>Every operation either succeeds and is written to the journal, or throws and changes nothing at
 * all. An amount that is not positive gives an IllegalArgumentException, a number that the bank
 * does not know a NoSuchAccountException, and money can neither go to nor come from a frozen account:
 * IllegalStateException. Accounts are looked up before anything else is checked.
 */
public class Bank {
    private final Map accounts = new HashMap();
    private final List journal = new ArrayList();

    /**
     * Opens an account with a balance of zero.
     *
     * @throws IllegalArgumentException if the number is taken
     */
    public void open(String number) {
        if (accounts.containsKey(number)) {
            throw new IllegalArgumentException("number is taken: " + number);
        }
        accounts.put(number, new Account(number));
        journal.add("open " + number);
    }

    /** Puts money into an account. */
    public void deposit(String number, long cents) {
        find(number).deposit(cents);
        journal.add("deposit " + cents + " to " + number);
    }

    /**
     * Takes money from an account.
     *
     * @throws InsufficientFundsException if the account has less
     */
    public void withdraw(String number, long cents) throws InsufficientFundsException {
        find(number).withdraw(cents);
        journal.add("withdraw " + cents + " from " + number);
    }

    /**
     * Moves money from one account to another. The source is checked before the target, but for
     * their existence.
     *
     * @throws InsufficientFundsException if the first account has less
     */
    public void transfer(String from, String to, long cents) throws InsufficientFundsException {
        Account source = find(from);
        source.withdraw(cents);
        Account target = find(to);
        target.deposit(cents);
        journal.add("transfer " + cents + " from " + from + " to " + to);
    }

    /** Freezes an account, or makes it usable again. */
    public void setFrozen(String number, boolean frozen) {
        find(number).setFrozen(frozen);
        journal.add((frozen ? "freeze " : "thaw ") + number);
    }

    /** Returns the balance of an account in cents. */
    public long balance(String number) {
        return find(number).getBalance();
    }

    /** Returns the sum of all balances in cents. */
    public long total() {
        long total = 0;
        for (Iterator it = accounts.values().iterator(); it.hasNext();) {
            total += ((Account) it.next()).getBalance();
        }
        return total;
    }

    /** Returns what was done, a line for each operation, oldest first; not modifiable. */
    public List journal() {
        return Collections.unmodifiableList(journal);
    }

    private Account find(String number) {
        Account account = (Account) accounts.get(number);
        if (account == null) {
            throw new NoSuchAccountException(number);
        }
        return account;
    }
}
