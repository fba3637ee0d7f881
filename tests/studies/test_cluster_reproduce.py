"""`deepalgo reproduce cluster` on small generated data: what it prints, and that it goes on where it was."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from deepalgo import datasets
from deepalgo.cli import app
from deepalgo.datasets import ImageData
from deepalgo.studies.cluster import Settings, reproduce
from deepalgo.studies.cluster.reproduce import STUDIES, Rival


def digits():
    data = load_digits()
    images = (data.images * 15).astype(np.uint8)
    return ImageData(images[:1000], data.target[:1000], images[1000:1200], data.target[1000:1200])


@pytest.fixture
def small(monkeypatch):
    study = replace(
        STUDIES["mnist"],
        load=digits,
        before=(Rival("2x10 random", 2, reach=1, temperature=0.05),),
        after=Rival("2x10", 2, "k-medoids", reach=1, temperature=0.05),
        settings=Settings(epochs=2),
    )
    monkeypatch.setitem(STUDIES, "mnist", study)


def test_before_and_after_stand_beside_the_paper(small, tmp_path):
    text = "\n".join(reproduce.reproduce(tmp_path, ("mnist",), quick=False))
    assert "before training, 2x10 random" in text and "after training, 2x10" in text
    assert "the network decides unlike the plain function on 0 of 200 test images" in text
    assert "(paper: 77.4 %)" in text and "(paper: 97.1 %)" in text
    assert "   85.3   0.0   0.5" in text
    before, after = (float(line.split(": ")[1].split()[0]) for line in text.splitlines() if "training, 2x10" in line)
    assert after > before
    assert {path.name for path in (tmp_path / "full").glob("*.png")} == {"mnist centres.png", "mnist confusion.png"}


def test_a_second_run_takes_what_the_first_one_found(small, tmp_path, monkeypatch):
    first = list(reproduce.reproduce(tmp_path, ("mnist",), quick=True))
    assert first[0].startswith("QUICK: 3000 training and 1500 test images, 2 epochs.")
    for name in ("_examine", "_decide", "_epoch"):
        owner = reproduce if hasattr(reproduce, name) else __import__("deepalgo.studies.cluster.training", fromlist=["_epoch"])
        monkeypatch.setattr(owner, name, lambda *args: pytest.fail("computed again"))
    again = list(reproduce.reproduce(tmp_path, ("mnist",), quick=True))
    assert first == again


def test_stl10_is_classified_from_files_of_its_format(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    folder = tmp_path / "stl10"
    folder.mkdir()
    for part, count in (("train", 40), ("test", 10)):
        labels = np.arange(count) % 10
        images = rng.integers(0, 40, (count, 96, 96, 3)) + 20 * labels[:, None, None, None]
        (folder / f"{part}_X.bin").write_bytes(images.astype(np.uint8).transpose(0, 3, 2, 1).tobytes())
        (folder / f"{part}_y.bin").write_bytes((labels + 1).astype(np.uint8).tobytes())
    study = replace(STUDIES["stl10"], load=lambda: datasets.stl10(folder, check=False), before=(Rival("1x10 random", 1, reach=1),))
    monkeypatch.setitem(STUDIES, "stl10", study)
    result = CliRunner().invoke(app, ["reproduce", "cluster", "--data", "stl10", "--folder", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "before training, 1x10 random: 100.00 % (paper: 26.1 %)" in result.output
    assert "unlike the plain function on 0 of 10 test images" in result.output


def test_an_unknown_data_set_is_named(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "cluster", "--data", "cifar", "--folder", str(tmp_path)])
    assert result.exit_code == 2
