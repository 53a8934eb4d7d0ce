"""cg.03 on facts of the watched step."""

import pytest
from building import STILL, Run, parameter
from network_facts import PLACE, graph, network, ran


def test_a_step_that_calls_no_cell_decides_nothing(verdict):
    entry = verdict("cg.03", graph(ran("a", calls=0, used=None, gradient=False), ran("b", calls=0, used=None)))
    assert entry["conclusion"] == "undecided" and "calls no cell" in entry["summary"]


def test_cells_that_do_not_take_part(verdict):
    assert verdict("cg.03", graph(ran("a"), ran("b")))["conclusion"] == "ok"
    lost = verdict("cg.03", graph(ran("a"), ran("drop", used=False, gradient=None, cls="Dropout")))
    assert lost["conclusion"] == "problem" and "drop" in lost["summary"]
    still = parameter("b.weight", [4, 4], moved=STILL)
    never = graph(ran("a"), ran("b", calls=0, gradient=False), weights=[parameter("a.weight", [4, 4]), still])
    assert verdict("cg.03", never)["conclusion"] == "problem"
    stays = parameter("b.weight", [4, 4], requires_grad=False, in_optimizer=False, moved=STILL)
    frozen = graph(ran("a"), ran("b", calls=0, gradient=None), weights=[parameter("a.weight", [4, 4]), stays])
    assert verdict("cg.03", frozen)["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("cls", "source", "conclusion"),
    [
        ("Dropout", "", "problem"),  # built and forgotten
        ("Softmax", "", "ok"),  # the loss does its work
        ("ReLU", "\nx = ops.relu(self.a(x))\n", "ok"),  # a function does its work
        ("Dropout", "\nif self.late:\n    x = self.b(x)\n", "ok"),  # in a branch that this step did not take
    ],
)
def test_layers_without_weights_that_never_run(verdict, cls, source, conclusion):
    entry = verdict("cg.03", graph(ran("a"), ran("b", calls=0, used=None, gradient=None, cls=cls), source=source))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_layers_in_a_plain_list(verdict):
    hidden = {
        "holder": "layers",
        "kind": "list",
        "length": 3,
        "class": "Dense",
        "parameters": ["weight"],
        "in_optimizer": False,
        "created": PLACE,
    }
    assert verdict("cg.03", graph(ran("a"), unregistered=[hidden] * 3))["conclusion"] == "problem"
    assert verdict("cg.03", graph(ran("a"), unregistered=[{**hidden, "in_optimizer": True}] * 3))["conclusion"] == "ok"
    # one cell in a list is how a teacher is kept out of a network's parameters
    assert verdict("cg.03", graph(ran("a"), unregistered=[{**hidden, "length": 1}]))["conclusion"] == "ok"


_RATINGS = """
class Ratings(nn.Cell):
    def construct(self, user, item{more}):
        return self.users(user) * self.items({looked})
"""


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        (_RATINGS.format(more="", looked="user"), "problem"),
        (_RATINGS.format(more="", looked="item"), "ok"),
        (_RATINGS.format(more=", when", looked="item"), "ok"),  # learnt well without it
        (_RATINGS.format(more=", when=None", looked="item"), "ok"),
    ],
)
def test_an_input_that_is_never_read(verdict, code, conclusion):
    tables = [
        {"path": path, "class": "Embedding", "builtin": True, "args": "", "parameters": []}
        for path in ("users", "items")
    ]
    own = {"path": "", "class": "Ratings", "builtin": False, "args": "", "parameters": []}
    entry = verdict("cg.03", graph(ran("users"), ran("items"), source=code, cells=[own, *tables]))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("item" in entry["summary"]) == (conclusion == "problem")


def test_layers_that_ran_and_no_network_holds(verdict):
    seen = {"class": "Dense", "inside": "", "parameters": ["weight", "bias"], "created": PLACE}

    def judged(*ones):
        made = graph(ran("a"))
        made.facts["probes"]["graph"]["unregistered"] = list(ones)
        return verdict("cg.03", made)

    found = judged(seen, seen)
    assert found["conclusion"] == "problem" and "2 cells" in found["summary"] and found["locations"] == [PLACE]
    # a network kept beside another, as a teacher is, is made once
    assert judged({**seen, "class": "Teacher"})["conclusion"] == "ok"
    assert judged(seen, {**seen, "inside": None, "class": "Teacher"})["conclusion"] == "ok"


_HEAD = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(2, 8)
        {before}

    def construct(self, x):
        return {head}(self.body(x))
"""


@pytest.mark.parametrize(
    ("before", "head", "parameters", "conclusion"),
    [
        ("", "nn.Dense(8, 1)", ["weight", "bias"], "problem"),
        ("self.head = nn.Dense(8, 1)", "self.head", ["weight", "bias"], "ok"),  # some other one ran
        ("", "nn.ReLU()", [], "ok"),
    ],
)
def test_a_layer_made_in_construct(verdict, before, head, parameters, conclusion):
    made = graph(ran("a"))
    made.source = {"train.py": _HEAD.format(before=before, head=head)}
    one = {"class": head[3:].split("(")[0] or "Dense", "inside": "", "parameters": parameters, "created": None}
    made.facts["probes"]["graph"]["unregistered"] = [one]
    found = verdict("cg.03", made)
    assert found["conclusion"] == conclusion
    if conclusion == "problem":
        assert found["locations"][0]["line"] == 9


@pytest.mark.parametrize(
    ("made", "taken", "conclusion"),
    [
        ("nn.LSTM(3, 4)", "h[:, -1]", "problem"),
        ("nn.LSTM(3, 4, batch_first=True)", "h[-1]", "problem"),
        ("nn.LSTM(3, 4, 1, True, True)", "h[:, -1, :]", "ok"),
        ("nn.LSTM(3, 4, batch_first=True)", "h[:, -1]", "ok"),
        ("nn.LSTM(3, 4)", "h[-1]", "ok"),
        ("nn.LSTM(3, 4, batch_first=first)", "h[:, -1]", "ok"),  # not known
        ("nn.LSTM(3, 4)", "h[:, :, -1]", "ok"),
    ],
)
def test_the_last_sample_for_the_last_step(verdict, made, taken, conclusion):
    code = f"\n\nclass Net(nn.Cell):\n    def __init__(self):\n        self.rnn = {made}\n\n"
    code += f"    def construct(self, x):\n        h, _ = self.rnn(x)\n        return {taken}\n"
    entry = verdict("cg.03", graph(ran("a"), source=code, cells=[{"path": "", "class": "Net"}]))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_without_a_watched_step_it_says_why(verdict):
    made = Run(network=[network()])
    made.facts["probes"] = {"skipped": {"graph": "side_effect: open in Net.construct"}}
    entry = verdict("cg.03", made)
    assert entry["conclusion"] == "undecided" and "open in Net.construct" in entry["summary"]
