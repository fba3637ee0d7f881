"""The examples run, and the numbers that the README quotes are the numbers that they print."""

import re
from pathlib import Path

import pytest

from examples import attitude, controller, demo, geodesic, implied_volatility, income_tax, wet_bulb

README = Path(__file__).parents[2] / "README.md"


def test_the_demo_improves_the_formula_on_pipes_it_has_not_seen(capsys, tmp_path):
    fit = demo.main(count=300, steps=20, folder=str(tmp_path))
    before, after = (fit.held_out[name].centre for name in ("heuristic", "tuned constants"))
    assert after < 0.6 * before
    text = printed(capsys, "friction_factor")
    assert f"rms error {100 * before:.3g} % -> {100 * after:.3g} % on 60 held-out samples" in text
    assert "-    falloff = 1.62 * roughness**0.134" in text
    assert {path.name for path in tmp_path.iterdir()} == {"fit.png", "network.svg"}


def printed(capsys, example):
    """What an example printed, which begins with its certificate."""
    text = capsys.readouterr().out
    assert f"{example}: the network gives the answers of the function" in text
    return text


def test_attitude_finds_the_magnet_beside_the_sensor(capsys):
    found, magnet = attitude.main(count=200)
    assert abs(found - magnet).max() < 1e-3
    assert "if trace > 0.0:" in printed(capsys, "attitude")


def test_the_geodesic_has_the_length_that_surveyors_know(capsys):
    metres, flattening = geodesic.main(count=60)
    assert f"{metres:.3f} m, of which the flattening makes {flattening:.1f} m" in printed(capsys, "distance")
    changed = geodesic.FLATTENING * 1e-4
    flatter, rounder = (length_at(geodesic.FLATTENING + sign * changed) for sign in (1, -1))
    assert flattening == pytest.approx((flatter - rounder) / 2e-4, rel=1e-5)


def length_at(flattening):
    """The baseline of the example on an earth of another shape."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geodesic, "FLATTENING", flattening)
        return geodesic.distance(-37.95103341666667, 144.42486788888888, -37.65282113888889, 143.92649552777777)


def test_a_newton_step_gives_bisection_its_derivative_back(capsys):
    wet, found, true = wet_bulb.main(count=60)
    text = printed(capsys, "wet_bulb")
    assert f"wet bulb {wet:.2f} degrees" in text and f"+0.000 says bisection, {found / 100:+.3f} is true." in text
    assert found == pytest.approx(true, rel=1e-3)


def test_gains_are_tuned_through_the_closed_loop(capsys):
    before, after = controller.main(count=20, steps=15, horizon=40)
    assert after < 0.9 * before
    assert f"{before:.3f} by rule of thumb, {after:.3f} tuned" in printed(capsys, "cost")


def test_the_gradient_of_a_tax_is_the_marginal_rate(capsys):
    due, marginal = income_tax.main(count=200)
    assert (due, marginal) == (13841.0, 0.22)
    assert "On 100,000: 13,841, and of the next dollar 22 cents." in printed(capsys, "tax")


def test_the_derivative_of_a_volatility_is_the_inverse_of_vega(capsys):
    error, ratio = implied_volatility.main(count=60)
    assert error < 1e-8 and ratio == pytest.approx(1, abs=1e-6)
    assert f"within {error:.0e}; d volatility / d price is {ratio:.6f} / vega" in printed(capsys, "implied_volatility")


NUMBER = r"-?\d+(?:\.\d+)?"


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(capsys, tmp_path):
    demo.main(folder=str(tmp_path))
    text = capsys.readouterr().out
    shown = re.search(r"`make demo` prints:\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)[1]
    for part in shown.split("...\n"):
        begin = text.index(re.split(r"\d", part)[0])
        printed = text[begin : begin + len(part) + 40]
        wanted, found = ([float(number) for number in re.findall(NUMBER, piece)] for piece in (part, printed))
        assert found[: len(wanted)] == pytest.approx(wanted, rel=5e-3)
        words = re.sub(NUMBER, "", part).split()
        assert re.sub(NUMBER, "", printed).split()[: len(words)] == words
