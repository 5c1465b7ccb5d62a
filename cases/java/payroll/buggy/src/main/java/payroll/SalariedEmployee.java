package payroll;

import java.math.BigDecimal;

/** Gets the same pay every month. */
public final class SalariedEmployee extends Employee {
    private final BigDecimal salary;

    /**
     * @param salary the pay of a month, such as "4150.00"
     * @throws IllegalArgumentException if the salary is negative
     */
    public SalariedEmployee(String name, String salary) {
        super(name);
        this.salary = new BigDecimal(salary);
        if (this.salary.signum() < 0) {
            throw new IllegalArgumentException("negative salary: " + salary);
        }
    }

    @Override
    protected BigDecimal earned() {
        return salary;
    }
}
