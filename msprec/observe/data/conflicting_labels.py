"""Identical inputs with different labels, in one pass and from pass to pass, told by a checksum of the whole sample."""

from typing import Optional

import numpy as np

_MOST_SAMPLES = 200_000
_MOST_EXAMPLES = 10
_WORDS = 1 << 18


class Contradictions:
    """Checksums of the inputs of the first pass, beside their labels; and of later ones, as far as there is room."""

    def __init__(self) -> None:
        self.sums, self.labels, self.samples, self.elements = [], [], 0, 0
        self.later: list = []
        self.weights = None

    def add(self, named: dict, label_column: str, labels: np.ndarray, number: int = 1) -> None:
        """A delivered batch of pass ``number``: column name → array with one row a sample, and the labels of its rows."""
        if self.samples >= _MOST_SAMPLES:
            return
        sums, elements = np.zeros(len(labels), np.uint64), 0
        for name, rows in named.items():
            if name == label_column or rows.ndim == 0 or len(rows) != len(labels) or rows.dtype.kind not in "fiub":
                continue
            elements += rows[0].size if len(rows) else 0
            with np.errstate(over="ignore"):
                sums = sums * np.uint64(1099511628211) + self._checksums(rows)
        if not elements:
            return
        self.elements = max(self.elements, elements)
        self.samples += len(labels)
        if number > 1:
            self.later.append((sums, np.array(labels)))
            return
        self.sums.append(sums)
        self.labels.append(np.array(labels))

    def _checksums(self, rows: np.ndarray) -> np.ndarray:
        """(samples,) uint64 over every element of each row."""
        flat = np.ascontiguousarray(rows).reshape(len(rows), -1)
        data = flat.view(np.uint8).reshape(len(rows), -1)
        if data.shape[1] % 8:
            data = np.pad(data, ((0, 0), (0, 8 - data.shape[1] % 8)))
        words = np.ascontiguousarray(data).view(np.uint64)
        if self.weights is None:
            # a generator of its own: the script's random state is untouched
            self.weights = np.random.Generator(np.random.PCG64(7)).integers(1, 2**63, _WORDS, np.uint64) * 2 + 1
        total = np.zeros(len(rows), np.uint64)
        with np.errstate(over="ignore"):
            for start in range(0, words.shape[1], _WORDS):
                part = words[:, start : start + _WORDS]
                mixed = (part ^ (part >> np.uint64(29))) * self.weights[: part.shape[1]]
                total = total * np.uint64(31) + (mixed ^ (mixed >> np.uint64(32))).sum(1, dtype=np.uint64)
        return total

    def facts(self) -> Optional[dict]:
        """The entry ``contradictions`` of a data set; None where no labels came with inputs."""
        if not self.sums:
            return None
        sums, labels = np.concatenate(self.sums), np.concatenate(self.labels)
        order = np.argsort(sums, kind="stable")
        values, starts, counts = np.unique(sums[order], return_index=True, return_counts=True)
        groups = samples = 0
        examples = []
        one_label = np.maximum.reduceat(labels[order], starts) == np.minimum.reduceat(labels[order], starts)
        for start, count in zip(starts[counts > 1], counts[counts > 1]):
            places = order[start : start + count]
            found = labels[places]
            if (found != found[0]).any():
                groups, samples = groups + 1, samples + int(count)
                if len(examples) < _MOST_EXAMPLES:
                    examples.append({"positions": places[:8].tolist(), "labels": found[:8].tolist()})
        return {
            "samples": len(sums),
            "distinct": len(values),
            "elements": int(self.elements),
            "groups": groups,
            "contradicting": samples,
            "examples": examples,
            "again": self._again(values[one_label], labels[order][starts][one_label]),
        }

    def _again(self, inputs: np.ndarray, labels: np.ndarray) -> Optional[dict]:
        """``{"samples", "relabelled"}``: samples of later passes whose inputs came in the first, and how many of them had
        another label there; None: no such samples.

        Args:
            inputs: Checksums of the first pass, sorted, of inputs that had one label there.
            labels: These labels.
        """
        if not self.later or not len(inputs):
            return None
        sums, later = (np.concatenate(one) for one in zip(*self.later))
        places = np.minimum(np.searchsorted(inputs, sums), len(inputs) - 1)
        known = inputs[places] == sums
        relabelled = later[known] != labels[places[known]]
        return {"samples": int(known.sum()), "relabelled": int(relabelled.sum())} if known.any() else None
