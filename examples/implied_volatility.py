"""Implied volatility by safeguarded Newton steps: finance.

F. Black and M. Scholes, "The pricing of options and corporate liabilities", Journal of Political Economy 81(3), 1973, pages 637-654.
Newton steps are taken as long as they stay in a bracket; where the slope vanishes, the division raises and `except` halves the
bracket instead. Of the bound on the rounds the certificate says how many were needed, and the derivative of the answer by the
price comes through the iteration: it is the inverse of the option's vega.
"""

import math

import torch

import deepalgo as da


def normal(x):
    """The distribution function of the standard normal."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def call_price(spot, strike, years, rate, volatility):
    """The price of a European call and its derivative by the volatility."""
    deviation = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + rate * years) / deviation + deviation / 2
    price = spot * normal(d1) - strike * math.exp(-rate * years) * normal(d1 - deviation)
    return price, spot * math.sqrt(years / (2 * math.pi)) * math.exp(-(d1**2) / 2)


def implied_volatility(price, spot, strike, years, rate=0.02):
    """The volatility at which the option is worth its price."""
    if not max(spot - strike * math.exp(-rate * years), 0.0) < price < spot:
        raise ValueError("no volatility gives this price")
    low, high, volatility = 0.0, 4.0, 0.2
    for _ in range(60):
        value, vega = call_price(spot, strike, years, rate, volatility)
        try:
            step = (price - value) / vega
        except ZeroDivisionError:
            step = math.inf
        if abs(step) < 1e-9:
            return volatility + step
        if value > price:
            high = volatility
        else:
            low = volatility
        volatility = volatility + step if low < volatility + step < high else (low + high) / 2
    raise ArithmeticError("no convergence")


def options(count, seed):
    """Options around the money, priced at a known volatility."""
    random = torch.Generator().manual_seed(seed)
    u, v, w, volatility = torch.rand(4, count, generator=random, dtype=torch.float64)
    spot, strike, years, volatility = 80 + 40 * u, 80 + 40 * v, 0.1 + 2 * w, 0.15 + 0.4 * volatility
    price, vega = da.compile(call_price)(spot, strike, years, torch.full_like(spot, 0.02), volatility)
    return (price.detach(), spot, strike, years), volatility, vega.detach()


def main(count=300):
    """Certify; get the volatilities back; compare the derivative with the inverse of vega."""
    network = da.compile(implied_volatility)
    inputs, volatility, vega = options(count, seed=1)
    print(network.verify(*inputs))

    price = inputs[0].clone().requires_grad_()
    found = network(price, *inputs[1:])
    (slope,) = torch.autograd.grad(found.sum(), price)
    error = (found - volatility).abs().max().item()
    ratio = (slope * vega).mean().item()
    print(f"\n{count} volatilities came back within {error:.0e}; d volatility / d price is {ratio:.6f} / vega.")
    assert error < 1e-6
    assert abs(ratio - 1) < 1e-4
    return error, ratio


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
