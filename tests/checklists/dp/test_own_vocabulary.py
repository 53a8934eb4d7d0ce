"""dp.05: words that each rank numbers by its own part of the data."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.sharding.own_vocabulary import numbered_apart

_BUILD = """def build_vocab(docs):
    counts = Counter(w for d in docs for w in d.split())
    return {w: i + 2 for i, (w, _) in enumerate(counts.most_common(90))}
"""


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        ("mine = docs[rank::world]\nvocab = build_vocab(mine)\n", "problem"),
        ("mine, y = docs[local_rank * n : (local_rank + 1) * n], labels\nvocab = build_vocab(mine)\n", "problem"),
        ("mine = docs[rank::world]\nencoder = LabelEncoder()\nencoder.fit(mine)\n", "undecided"),  # in sorted order
        ("mine = docs[rank::world]\nids = LabelEncoder().fit(mine)\n", "undecided"),
        ("mine = docs[rank::world]\nvocab = build_vocab(docs)\n", None),
        ("mine = docs[rank::world]\nmine = docs\nvocab = build_vocab(mine)\n", None),
        ("first = docs[:100]\nvocab = build_vocab(first)\n", None),
    ],
)
def test_numbered_by_each_rank(tmp_path, code, conclusion):
    found = numbered_apart(run_data(tmp_path, Run(source={"train.py": _BUILD + code})))
    assert (found and found.conclusion) == conclusion
    assert found is None or found.locations[0]["line"] in (5, 6)
