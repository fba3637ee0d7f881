"""The two formats of the image data: IDX (MNIST and its kin) and the raw bytes of STL-10.

>>> read_idx(bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6]), "sample")
array([[1, 2, 3],
       [4, 5, 6]], dtype=uint8)
>>> read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 9, 1, 2]), "sample")
Traceback (most recent call last):
deepalgo.datasets.formats.DataError: sample is truncated: its header announces 9 bytes of data, it has 2
Remove the file, so that it is fetched again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deepalgo.errors import DeepalgoError

Bytes = npt.NDArray[np.uint8]
#: The types of number an IDX file may hold, by its third byte.
IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
STL_SHAPE = (3, 96, 96)
AGAIN = "Remove the file, so that it is fetched again."


class DataError(DeepalgoError):
    """Data that is missing, truncated or altered, and what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}\n{remedy}")


@dataclass(frozen=True, slots=True)
class ImageData:
    """Images with labels 0, 1, ..., for training and for the one test at the end."""

    train_images: Bytes
    train_labels: Bytes
    test_images: Bytes
    test_labels: Bytes

    def __post_init__(self) -> None:
        for images, labels in ((self.train_images, self.train_labels), (self.test_images, self.test_labels)):
            if len(images) != len(labels):
                raise DataError(f"there are {len(images)} images and {len(labels)} labels", "Take both files from one source.")


def read_idx(content: bytes, name: str) -> npt.NDArray[Any]:
    """The array in an IDX file: two zeros, the type of number, the number of axes, the sizes, the numbers."""
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        raise DataError(f"{name} is not an IDX file: it begins with {content[:4].hex(' ')}", AGAIN)
    axes = content[3]
    if len(content) < 4 + 4 * axes:
        raise DataError(f"{name} is truncated within its header", AGAIN)
    shape = np.frombuffer(content, ">u4", axes, offset=4).tolist()
    kind = np.dtype(IDX_TYPES[content[2]])
    wanted, found = math.prod(shape) * kind.itemsize, len(content) - 4 - 4 * axes
    if found != wanted:
        state = "is truncated" if found < wanted else "is too long"
        raise DataError(f"{name} {state}: its header announces {wanted} bytes of data, it has {found}", AGAIN)
    return np.frombuffer(content, kind, offset=4 + 4 * axes).reshape(shape).astype(kind.newbyteorder("="))


def read_stl_images(content: bytes, name: str) -> Bytes:
    """Images as rows, columns and channels; the file holds channels, columns and rows."""
    size = math.prod(STL_SHAPE)
    if not content or len(content) % size:
        raise DataError(f"{name} is truncated: {len(content)} bytes are no multiple of an image's {size}", AGAIN)
    return np.ascontiguousarray(np.frombuffer(content, np.uint8).reshape(-1, *STL_SHAPE).transpose(0, 3, 2, 1))


def read_stl_labels(content: bytes, name: str) -> Bytes:
    """Labels from 0 on; the file counts from 1."""
    labels = np.frombuffer(content, np.uint8)
    if not labels.size or labels.min() < 1 or labels.max() > 10:
        raise DataError(f"{name} does not hold labels from 1 to 10", AGAIN)
    return labels - np.uint8(1)
