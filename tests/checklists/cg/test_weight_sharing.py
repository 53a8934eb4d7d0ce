"""cg.01 on facts of the network."""

import pytest
from building import Run, parameter
from network_facts import PLACE, cell, network


def test_sharing(verdict):
    def of(**changes):
        return verdict("cg.01", Run(network=[network(**changes)]))

    assert of()["conclusion"] == "ok"
    repeated = of(shared_cells=[cell("blocks.0", "blocks.1", "blocks.2", repeated_in="blocks")])
    assert repeated["conclusion"] == "problem" and "3 layers of blocks" in repeated["summary"]
    tied = of(shared_parameters=[{"name": "w", "paths": ["emb.w", "head.w"], "classes": ["Embedding", "Dense"]}])
    assert tied["conclusion"] == "ok" and "emb.w = head.w" in tied["summary"]
    assert of(shared_cells=[cell("encoder.embed", "decoder.embed")])["conclusion"] == "ok"
    assert of(shared_cells=[cell("q", "k")])["conclusion"] == "undecided"
    assert (
        of(shared_cells=[cell("_backbone", "net")])["conclusion"] == "ok"
    )  # WithLossCell's name, and the subclass's own
    assert of(shared_cells=[cell("network", "teacher", "student")])["conclusion"] == "undecided"
    without = cell("act.0", "act.1", repeated_in="act", parameters=[])
    assert of(shared_cells=[without])["conclusion"] == "ok"


def spread(seed, shift=0.0):
    return {
        "min": -0.1 - seed + shift,
        "max": 0.1 + seed,
        "mean": 0.001 * seed,
        "std": 0.05 + seed,
        "zeros": 0.0,
        "constant": False,
        "nonfinite": 0,
    }


COPIED = "\n        self.head.weight.set_data(Tensor(self.emb.table.asnumpy()))\n"
LOCAL = (
    "\n        start = self.emb.table\n        values = start.asnumpy()\n        self.head.weight = Parameter(values)\n"
)
GIVEN = "\n        self.head = nn.Dense(16, 20, weight_init=self.emb.table)\n"
LOADED = "\nweights['head.weight'] = weights['emb.table']\n"
HELPER = "\ntie_weights(net.head.weight, net.emb.table)\n"
SEEDED = (
    "\nnet.emb = nn.Embedding(20, 16, table=Normal(seed=1))\nnet.head = nn.Dense(16, 20, weight_init=Normal(seed=1))\n"
)
USED = "\n    def construct(self, x):\n        y = self.head(self.emb(x)) + ops.abs(self.head.weight - self.emb.table).sum()\n"


@pytest.mark.parametrize(
    ("classes", "ends", "source", "conclusion"),
    [
        *((("Embedding", "Dense"), (1, 2), written, "problem") for written in (COPIED, LOCAL, GIVEN, LOADED, HELPER)),
        (("Embedding", "Dense"), (1, 2), SEEDED, "ok"),  # one seed and one shape: equal values are no intention
        (("Embedding", "Dense"), (1, 2), USED, "ok"),
        (("Embedding", "Dense"), (1, 1), "", "problem"),  # still equal: two parameters in one piece of memory
        (("Dense", "Dense"), (1, 2), COPIED, "ok"),  # deep copies of one layer
    ],
)
def test_a_tie_that_is_a_copy(verdict, classes, ends, source, conclusion):
    both = [
        parameter(name, [20, 16], cell_class=cls, initial=spread(0.3), final=spread(end), created=PLACE)
        for name, cls, end in zip(("emb.table", "head.weight"), classes, ends)
    ]
    made = Run(network=[network()], parameters=both)
    made.source["model.py"] = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n" + source
    entry = verdict("cg.01", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
