"""A sample of the training data class by class, for a person to compare with its labels."""

from pathlib import Path

import numpy as np

_SAMPLES, _LABELS, _EACH = 50, 20, 10
_LARGEST = 1 << 20
_SHOWN_VALUES = 8


class LabelSheet:
    """Keeps the first samples of each of the first labels of a pass."""

    def __init__(self) -> None:
        self.kept, self.full = {}, False

    def add(self, named: dict, label_column: str, labels: np.ndarray, position: int) -> None:
        """A delivered batch; ``position``: samples of the pass before it."""
        if self.full:
            return
        inputs = [(n, a) for n, a in named.items() if n != label_column and a.ndim and len(a) == len(labels)]
        if not inputs:
            return
        name, rows = next(((n, a) for n, a in inputs if a.ndim >= 3 or a.dtype.kind in "US"), inputs[0])
        if len(rows) and rows[0].size > _LARGEST:
            return
        for row, label in enumerate(labels.tolist()):
            if label not in self.kept and len(self.kept) >= _LABELS:
                continue
            own = self.kept.setdefault(label, [])
            if len(own) < _EACH:
                own.append((position + row, name, np.array(rows[row])))
        self.full = len(self.kept) >= _LABELS and all(len(own) >= _EACH for own in self.kept.values())

    def write(self, folder: Path) -> list:
        """Writes pictures into ``folder`` and gives the rows of the sheet, as many of each label as there is room for."""
        each = max(1, _SAMPLES // max(1, len(self.kept)))
        rows = []
        for label, own in sorted(self.kept.items()):
            for position, column, value in own[:each]:
                rows.append(
                    {"position": position, "label": label, "column": column, **_shown(value, folder, len(rows), label)}
                )
        return rows[:_SAMPLES]


def _shown(value: np.ndarray, folder: Path, number: int, label: int) -> dict:
    if value.dtype.kind in "US":
        texts = [t.decode("utf-8", "replace") if isinstance(t, bytes) else str(t) for t in value.reshape(-1).tolist()]
        return {"text": " ".join(texts)[:500]}
    picture = _as_picture(value)
    if picture is not None:
        name = f"{number:02d}_label_{label}.png"
        folder.mkdir(parents=True, exist_ok=True)
        from PIL import Image

        Image.fromarray(picture).save(folder / name)
        return {"file": f"{folder.name}/{name}"}
    return {"values": [float(v) for v in value.reshape(-1)[:_SHOWN_VALUES]], "elements": int(value.size)}


def _as_picture(value: np.ndarray):
    """(H, W) or (H, W, 3) uint8, stretched between its smallest and largest value; None where it is no picture."""
    if value.ndim == 3 and value.shape[0] in (1, 3, 4) and value.shape[0] < value.shape[2]:
        value = value.transpose(1, 2, 0)
    if value.ndim == 3 and value.shape[2] in (1, 3, 4):
        value = value[..., 0] if value.shape[2] == 1 else value[..., :3]
    square = value.ndim in (2, 3) and min(value.shape[:2]) >= 6 and max(value.shape[:2]) <= 8 * min(value.shape[:2])
    if not square or (value.ndim == 3 and value.shape[2] != 3) or value.dtype.kind not in "fiub":
        return None
    if value.dtype == np.uint8:
        return np.ascontiguousarray(value)
    numbers = np.nan_to_num(value.astype(np.float64))
    low, high = numbers.min(), numbers.max()
    return np.ascontiguousarray(((numbers - low) / ((high - low) or 1.0) * 255).astype(np.uint8))
