"""How many samples are computed side by side: by the program alone, so that sums over samples have the same bits in every call.

Wide groups hide how long a division takes, as their vectors do not wait for one another; LLVM takes longer for them.

>>> lanes_of(lines=200, saves=False, rooms=0), lanes_of(lines=200, saves=True, rooms=0), lanes_of(lines=9000, saves=False, rooms=0)
(32, 16, 8)
"""

from __future__ import annotations

#: Lines of a module up to which so many lanes are compiled in a short time.
LENGTHS = ((1000, 32), (4000, 16))
#: Lanes of longer ones, and of programs whose arrays lie in memory.
FEW = 8
#: What is saved for the way back should stay in the cache.
SAVING = 16
#: Bytes of arrays in memory that do.
CACHE = 1 << 18


def lanes_of(lines: int, saves: bool, rooms: int) -> int:
    """The lanes for a module of so many lines, that saves numbers for the way back, and has so many rooms for arrays."""
    lanes = next((count for most, count in LENGTHS if lines <= most), FEW)
    if saves:
        lanes = min(lanes, SAVING)
    while lanes > FEW and 8 * lanes * rooms > CACHE:
        lanes //= 2
    return lanes
