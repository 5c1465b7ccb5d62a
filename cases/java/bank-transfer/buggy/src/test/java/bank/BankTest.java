package bank;

import junit.framework.TestCase;

public class BankTest extends TestCase {
    private Bank bank;

    public BankTest(String name) {
        super(name);
    }

    protected void setUp() throws Exception {
        super.setUp();
        bank = new Bank();
        bank.open("1001");
        bank.open("1002");
        bank.deposit("1001", 500);
    }

    public void testOpenWithZero() {
        assertEquals(0, bank.balance("1002"));
        assertEquals("open 1001", bank.journal().get(0));
    }

    public void testNumberIsTaken() {
        try {
            bank.open("1001");
            fail("should throw");
        } catch (IllegalArgumentException e) {
            assertEquals(500, bank.balance("1001"));
        }
    }

    public void testDeposit() {
        bank.deposit("1001", 20);
        assertEquals(520, bank.balance("1001"));
        assertEquals("deposit 20 to 1001", bank.journal().get(3));
    }

    public void testDepositOfNothing() {
        try {
            bank.deposit("1001", 0);
            fail("should throw");
        } catch (IllegalArgumentException e) {
            assertEquals(3, bank.journal().size());
        }
    }

    public void testWithdraw() throws InsufficientFundsException {
        bank.withdraw("1001", 500);
        assertEquals(0, bank.balance("1001"));
    }

    public void testWithdrawTooMuch() {
        try {
            bank.withdraw("1001", 501);
            fail("should throw");
        } catch (InsufficientFundsException e) {
            assertEquals(1, e.getMissing());
            assertEquals(500, bank.balance("1001"));
        }
    }

    public void testWithdrawFromFrozen() throws InsufficientFundsException {
        bank.setFrozen("1001", true);
        try {
            bank.withdraw("1001", 1);
            fail("should throw");
        } catch (IllegalStateException e) {
            assertEquals(500, bank.balance("1001"));
        }
        bank.setFrozen("1001", false);
        bank.withdraw("1001", 1);
        assertEquals(499, bank.balance("1001"));
    }

    public void testTransfer() throws InsufficientFundsException {
        bank.transfer("1001", "1002", 300);
        assertEquals(200, bank.balance("1001"));
        assertEquals(300, bank.balance("1002"));
        assertEquals(500, bank.total());
        assertEquals("transfer 300 from 1001 to 1002", bank.journal().get(3));
    }

    public void testTransferTooMuch() {
        try {
            bank.transfer("1001", "1002", 600);
            fail("should throw");
        } catch (InsufficientFundsException e) {
            assertEquals(100, e.getMissing());
        }
        assertEquals(500, bank.balance("1001"));
        assertEquals(0, bank.balance("1002"));
    }

    public void testTransferToUnknownKeepsTheMoney() throws InsufficientFundsException {
        try {
            bank.transfer("1001", "9999", 300);
        } catch (NoSuchAccountException e) {
            // the operator mistyped the number
        }
        assertEquals(500, bank.balance("1001"));
        assertEquals(500, bank.total());
    }

    public void testUnknownAccount() {
        try {
            bank.balance("9999");
            fail("should throw");
        } catch (NoSuchAccountException e) {
            assertTrue(e.getMessage().indexOf("9999") >= 0);
        }
    }
}
