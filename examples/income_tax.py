"""Income tax by brackets: public finance, and every tariff with steps.

The brackets of the United States for 2024 and a single person, Internal Revenue Service, Rev. Proc. 2023-34, section 3.01. Both
tables are weights, and the bracket is an index chosen by data: each sample gathers from its own place. The gradient by the
income is the marginal rate; the gradient by the table of rates is the income that lies in each bracket, so one
backward pass says what the treasury gains when a rate moves.
"""

import numpy as np
import torch

import deepalgo as da

FLOORS = np.array([0.0, 11600.0, 47150.0, 100525.0, 191950.0, 243725.0, 609350.0])
RATES = np.array([0.10, 0.12, 0.22, 0.24, 0.32, 0.35, 0.37])
DEDUCTION = 14600.0


def tax(income):
    """What is due on a year's income."""
    taxable = max(income - DEDUCTION, 0.0)
    bracket = np.searchsorted(FLOORS, taxable, side="right") - 1
    due = RATES[bracket] * (taxable - FLOORS[bracket])
    for lower in range(len(RATES)):
        if lower >= bracket:
            break
        due += RATES[lower] * (FLOORS[lower + 1] - FLOORS[lower])
    return due


def incomes(count, seed):
    """Incomes as they are: log-normal around 50,000."""
    random = torch.Generator().manual_seed(seed)
    return 50_000 * torch.exp(0.9 * torch.randn(count, generator=random, dtype=torch.float64))


def main(count=1000):
    """Certify; one income; and what one point on each rate would bring."""
    network = da.compile(tax)
    print(network.verify(incomes(count, seed=1)))

    income = torch.tensor(100_000.0, dtype=torch.float64, requires_grad=True)
    due = network(income)
    (marginal,) = torch.autograd.grad(due, income)
    print(f"\nOn 100,000: {due.item():,.0f}, and of the next dollar {100 * marginal.item():.0f} cents.")
    assert round(due.item()) == 13841
    assert marginal.item() == 0.22

    earned = incomes(count, seed=2)
    network(earned).mean().backward()
    held = network.weights["RATES"].grad
    print("One point more on each rate brings, a head: " + ", ".join(f"{0.01 * part:.0f}" for part in held.tolist()))
    assert torch.allclose(held.sum(), (earned - DEDUCTION).clamp(min=0).mean())
    return due.item(), marginal.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
