"""Whether masks lie as their pictures do, or some lie as the mirrored or turned picture would.

A mask that belongs to its picture goes along with its values in one orientation. Where the picture is flipped at random and
its mask is not, the mask of some samples fits the flipped picture far better than the picture that it came with.
"""

from typing import Callable, Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.record.nested import tensors_in

#: Samples that are looked at, side to which they are sampled, smallest side, most classes of a mask that are told apart.
_MOST, _SIDE, _LEAST_SIDE, _CLASSES = 256, 48, 8, 8
#: An orientation is clear from such a squared correlation on, and so many times that of the next best.
_CLEAR, _TIMES = 0.1, 2.0
#: Two pictures are the same where their correlation lacks no more of 1.
_SAME = 0.1
#: Turns of the last two axes, by name; the last three are for squares alone.
_TURNS = {
    "as given": lambda a: a,
    "left to right": lambda a: a[..., ::-1],
    "top to bottom": lambda a: a[..., ::-1, :],
    "by 180 degrees": lambda a: a[..., ::-1, ::-1],
    "transposed": lambda a: a.swapaxes(-1, -2),
    "by 90 degrees": lambda a: a.swapaxes(-1, -2)[..., ::-1],
    "by 270 degrees": lambda a: a.swapaxes(-1, -2)[..., ::-1, :],
}


def orientation(material) -> Optional[dict]:
    """The entry ``orientation`` of ``probes.json``; None where no input is a map over the pixels of another, or that in another
    size.

    Args:
        material: What the run has left.
    """
    counts, samples, square = dict.fromkeys(_TURNS, 0), 0, False
    for batch in material.batches:
        maps = [to_numpy(one) for one in tensors_in(batch) if one.ndim in (3, 4) and one.size]
        sizes = _two_sizes(maps) if len(maps) > 1 else None
        pair = sizes or (_picture_and_target(maps) if len(maps) > 1 else None)
        if pair is None:
            return None
        square = pair[0].shape[2] == pair[0].shape[3]
        for picture, target in zip(*pair):
            samples += 1
            best = (_clear if sizes is None else _same_picture)(picture, target)
            if best is not None:
                counts[best] += 1
        if samples >= _MOST:
            break
    return {
        "samples": samples,
        "square": square,
        "fits": [{"turn": name, "samples": n} for name, n in counts.items() if n],
    }


def _picture_and_target(arrays: list) -> Optional[tuple]:
    """Of arrays of three or four dimensions two (samples, channels, height, width) of one height and width: a picture, and a mask
    of a few values.

    Two pictures are none: views of one sample are turned each by itself on purpose.
    """
    maps = [a for a in arrays if a.dtype.kind in "fiub"]
    if len(maps) != 2 or len(maps[0]) != len(maps[1]) or max(a.ndim for a in maps) < 4:
        return None
    forms = [_channels_first(a) for a in maps]
    if any(one is None or not np.isfinite(one).all() for one in forms) or forms[0].shape[2:] != forms[1].shape[2:]:
        return None
    first, second = (len(np.unique(one[:8])) for one in forms)
    picture, target = forms if first >= second else forms[::-1]
    values = np.unique(target)
    if len(values) > _CLASSES or max(first, second) <= 2 * _CLASSES:
        return None
    if target.shape[1] == 1:
        target = np.concatenate([target == value for value in values[1:]] or [target], 1)
    return picture, target.astype(np.float64)


def _two_sizes(arrays: list) -> Optional[tuple]:
    """Of two arrays (samples, channels, height, width) of which one is a whole number of times as large as the other: the
    smaller, and the larger brought to its size by means of blocks, as for super-resolution."""
    maps = [a for a in arrays if a.dtype.kind == "f" and a.ndim == 4]
    if len(arrays) != 2 or len(maps) != 2 or maps[0].shape[:2] != maps[1].shape[:2]:
        return None
    small, large = sorted(maps, key=lambda a: a.shape[2])
    (height, width), (high, wide) = small.shape[2:], large.shape[2:]
    times = high // height
    if times < 2 or (high, wide) != (times * height, times * width) or min(height, width) < _LEAST_SIDE // 2:
        return None
    if not np.isfinite(small).all() or not np.isfinite(large).all():
        return None
    blocks = large.reshape(*large.shape[:2], height, times, width, times)
    return small.astype(np.float64), blocks.mean((3, 5), dtype=np.float64)


def _same_picture(picture: np.ndarray, target: np.ndarray) -> Optional[str]:
    """The orientation in which two pictures are nearly the same and in any other far less so; None: none."""
    wanted = _scaled(target.reshape(1, -1))
    name, best, second = _ranked(picture, lambda turned: (_scaled(turned.reshape(1, -1)) @ wanted.T)[0, 0])
    return name if 1 - best <= _SAME and 1 - second >= _TIMES * (1 - best) + _SAME / 2 else None


def _channels_first(array: np.ndarray) -> Optional[np.ndarray]:
    """As float64, at most `_SIDE` high and wide, sampled alike from either end."""
    if array.ndim == 3:
        array = array[:, None]
    elif array.shape[-1] <= 4 < array.shape[1]:
        array = np.moveaxis(array, -1, 1)
    height, width = array.shape[2:]
    if min(height, width) < _LEAST_SIDE or array.shape[1] > min(height, width):
        return None
    rows, columns = (_places(n) for n in (height, width))
    return array[:, :, rows][..., columns].astype(np.float64)


def _places(size: int) -> np.ndarray:
    kept = min(size, _SIDE)
    half = np.floor(np.linspace(0, size - 1, kept)[: kept // 2]).astype(int)
    return np.concatenate([half, [size // 2] * (kept % 2), size - 1 - half[::-1]]).astype(int)


def _clear(picture: np.ndarray, target: np.ndarray) -> Optional[str]:
    """The orientation in which the target goes along with the picture's values far better than in any other; None: none."""
    picture = np.concatenate([picture, np.abs(picture - picture.mean((1, 2), keepdims=True))])
    wanted = _scaled(target)
    name, best, second = _ranked(picture, lambda turned: ((_scaled(turned) @ wanted.T) ** 2).max(initial=0.0))
    return name if best >= _CLEAR and best >= _TIMES * second else None


def _ranked(picture: np.ndarray, fit: Callable) -> tuple:
    """``(the turn of a picture that fits best, how well, how well the next best fits)``."""
    square = picture.shape[1] == picture.shape[2]
    names = [name for at, name in enumerate(_TURNS) if square or at < 4]
    fits = [float(fit(_TURNS[name](picture))) for name in names]
    order = np.argsort(fits)[::-1]
    return names[order[0]], fits[order[0]], fits[order[1]]


def _scaled(maps: np.ndarray) -> np.ndarray:
    """Each map as a row of mean 0 and length 1; zeros where it is constant."""
    rows = maps.reshape(len(maps), -1)
    rows = rows - rows.mean(1, keepdims=True)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 1e-12 * max(1, rows.shape[1]), lengths, np.inf)
