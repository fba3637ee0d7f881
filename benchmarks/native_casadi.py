"""Two of the loops of `native_bench.py` for CasADi, by hand: a step as an `SX` graph, `mapaccum` over the rounds, `map` over the samples.

CasADi is LGPL and only measured: nothing of the package uses it. Its virtual machine runs the graphs, in one thread. The constants are one
column, in the order of the network's weights.
"""

import casadi as ca


def pid():
    """`native_loops.pid` of target and constants."""
    state, p = ca.SX.sym("state", 4), ca.SX.sym("p", 14)
    y, v, integral, last = ca.vertsplit(state)
    target, kp, ki, kd, dt, _, _, _, low, high, least, most, friction, spring = ca.vertsplit(p)
    e = target - y
    integral = ca.fmin(ca.fmax(integral + e * dt, low), high)
    u = ca.fmin(ca.fmax(kp * e + ki * integral + kd * (e - last) / dt, least), most)
    v = v + dt * (u - friction * v - spring * y)
    step = ca.Function("step", [state, p], [ca.vertcat(y + dt * v, v, integral, e)])
    x, w = ca.MX.sym("x"), ca.MX.sym("w", 13)
    end = _accumulated(step, ca.vertcat(w[4], w[5], w[6], x), ca.vertcat(x, w), 2000)
    return ca.Function("pid", [x, w], [end[0]])


def lotka_volterra():
    """`native_loops.lotka_volterra` of growth and constants."""
    state, p = ca.SX.sym("state", 2), ca.SX.sym("p", 7)
    x, y = ca.vertsplit(state)
    a, b, c, d, h, _, _ = ca.vertsplit(p)

    def slope(x, y):
        return a * x - b * x * y, c * x * y - d * y

    k1, l1 = slope(x, y)
    k2, l2 = slope(x + h / 2 * k1, y + h / 2 * l1)
    k3, l3 = slope(x + h / 2 * k2, y + h / 2 * l2)
    k4, l4 = slope(x + h * k3, y + h * l3)
    after = ca.vertcat(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4))
    step = ca.Function("step", [state, p], [after])
    growth, w = ca.MX.sym("growth"), ca.MX.sym("w", 6)
    end = _accumulated(step, w[4:6], ca.vertcat(growth, w), 1000)
    return ca.Function("lotka_volterra", [growth, w], [end[0] + end[1]])


def _accumulated(step, start, parameters, rounds):
    """The state after so many rounds."""
    return step.mapaccum("rounds", rounds)(start, ca.repmat(parameters, 1, rounds))[:, -1]


def with_gradient(function):
    """A function that gives the answer and its derivatives by the input and by each of the constants."""
    x, w = ca.MX.sym("x"), ca.MX.sym("w", function.size1_in(1))
    answer = function(x, w)
    return ca.Function("gradient", [x, w], [answer, ca.gradient(answer, x), ca.gradient(answer, w)])


def over_samples(function, x, w):
    """Answers of a function for a column of inputs, in one thread."""
    return function.map(len(x), "serial")(ca.DM(x).T, ca.repmat(ca.DM(w), 1, len(x)))


#: By the name of the job.
PEERS = {"pid": pid, "lotka_volterra": lotka_volterra}
