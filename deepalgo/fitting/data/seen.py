"""Which samples are training samples, too.

>>> training = Samples([torch.tensor([1.0, 2.0, 3.0])], torch.tensor([0.1, 0.2, 0.3]))
>>> count_seen(Samples([torch.tensor([3.0, 2.0])], torch.tensor([0.3, 0.0])), training)
1
"""

from __future__ import annotations

import numpy as np
import torch

from deepalgo.fitting.data.samples import Samples, tensors


def count_seen(samples: Samples, training: Samples) -> int:
    """How many samples occur, with all their numbers, among those of the training."""
    return int(np.isin(_rows(samples), _rows(training)).sum())


def _rows(samples: Samples) -> np.ndarray:
    """The bytes of each sample as one item."""
    columns = [*samples.leaves, *tensors(samples.targets)]
    plain = [torch.view_as_real(column) if column.is_complex() else column for column in columns]
    table = torch.cat([column.reshape(len(samples), -1).to(torch.float64) for column in plain], 1)
    rows = np.ascontiguousarray((table + 0.0).cpu().numpy())  # -0.0 becomes 0.0
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
