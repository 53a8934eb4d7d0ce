"""wi.01 on facts, with the near misses."""

import pytest
from building import ONE, STILL, ZERO, Run, parameter

MOVING = parameter("conv.weight", [8, 1, 3, 3])


def weights(*parameters, **changes):
    return Run(parameters=list(parameters), **changes)


# wi.01


def test_varying_weights_and_zero_biases_are_ok(verdict):
    assert verdict("wi.01", Run())["conclusion"] == "ok"


@pytest.mark.parametrize(
    "bad",
    [
        parameter("fc.weight", [10, 8], initial=ZERO, final=ZERO, moved=STILL),
        parameter("fc.weight", [1, 8], initial=ZERO, final=None),
        parameter("conv2.weight", [8, 8, 3, 3], initial=ZERO, final=ONE),
        parameter("conv2.weight", [8, 8, 3, 3], initial=ONE),
        parameter("fc.weight", [10, 8], initial={**ZERO, "min": 0.5, "max": 0.5, "mean": 0.5, "zeros": 0.0}),
        parameter("emb.embedding_table", [100, 16], cell_class="Embedding", initial=ZERO),
        parameter("user.embedding_table", [943, 1], cell_class="Embedding", initial=ZERO, final=ZERO, moved=STILL),
        parameter("w", [16, 16], kind="other", cell_class="MyDense", initial=ZERO),
        parameter("fc.weight", [10, 8], requires_grad=False, initial=ZERO),
        parameter("att.wq", [16, 16], cell_class="Attention", initial=ZERO, final=None),
        parameter("mean_head.w", [16, 16], cell_class="MyDense", initial=ZERO, requires_grad=False),
    ],
)
def test_constant_weights_are_a_problem(verdict, bad):
    entry = verdict("wi.01", weights(MOVING, bad))
    assert entry["conclusion"] == "problem" and bad["name"] in entry["summary"] and "1 of 2" in entry["summary"]


@pytest.mark.parametrize(
    "fine",
    [
        parameter("bn.gamma", [8], kind="norm", initial=ONE),
        parameter("ln.gamma", [8, 8], kind="norm", initial=ONE),
        parameter("fc.bias", [10], kind="bias", initial=ZERO),
        parameter("pos_embed", [1, 65, 32], kind="other", cell_class="ViT", initial=ZERO),
        parameter("cls_token", [1, 1, 32], kind="other", cell_class="ViT", initial=ZERO),
        parameter("attn.relative_position_bias_table", [169, 3], kind="other", cell_class="Attention", initial=ZERO),
        parameter("user_bias.embedding_table", [943, 1], cell_class="Embedding", initial=ZERO),
        parameter("layer_scale", [32, 1, 1], kind="other", initial=ONE),
        parameter("mask", [16, 16], kind="other", requires_grad=False, initial=ONE),
        parameter("pos_embed", [1, 65, 32], cell_class="ViT", initial=ZERO),  # as a run records them
        parameter("cls_token", [1, 1, 32], cell_class="ViT", initial=ZERO),
        parameter("attn.relative_position_bias_table", [169, 3], cell_class="Attention", initial=ZERO),
        parameter("rnn.state", [1, 8, 16], cell_class="Net", requires_grad=False, in_optimizer=False, initial=ZERO),
        parameter("queue", [64, 128], cell_class="MoCo", requires_grad=False, in_optimizer=False, initial=ZERO),
        parameter("blur.weight", [8, 1, 3, 3], requires_grad=False, initial=ONE),
        parameter("zero_conv.weight", [8, 8, 1, 1], initial=ZERO),
    ],
)
def test_constants_that_are_right(verdict, fine):
    entry = verdict("wi.01", weights(MOVING, fine))
    assert entry["conclusion"] == "ok", entry["summary"]


def test_lora_starts_with_a_zero_last_layer(verdict):
    base = parameter("layer.q.weight", [64, 64], requires_grad=False)
    a, b = (
        parameter("layer.q.lora_a", [4, 64], kind="other"),
        parameter("layer.q.lora_b", [64, 4], kind="other", initial=ZERO),
    )
    entry = verdict("wi.01", weights(base, a, b))
    assert entry["conclusion"] == "ok" and "adapter" in entry["summary"]
    assert verdict("wi.01", weights(base, {**a, "initial": ZERO}, b))["conclusion"] == "problem"


def test_lora_by_another_name_is_known_by_its_shape(verdict):
    base = parameter("q.dense.weight", [64, 48], requires_grad=False)
    down, up = parameter("q.down.weight", [4, 48]), parameter("q.up.weight", [64, 4], initial=ZERO)
    assert verdict("wi.01", weights(base, down, up))["conclusion"] == "ok"


def test_a_bottleneck_with_a_zero_decoder_is_no_adapter(verdict):
    encoder, decoder = parameter("enc.weight", [8, 64]), parameter("dec.weight", [64, 8], initial=ZERO, final=None)
    assert verdict("wi.01", weights(encoder, decoder))["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("final", "moved", "conclusion"),
    [
        ({"alike": False}, {}, "ok"),
        ({"alike": True}, {}, "problem"),
        ({"alike": None}, {}, "problem"),
        ({"alike": False, "zeros": 0.4}, {}, "ok"),  # dead inputs
        ({"alike": False, "zeros": 0.8}, {}, "problem"),
        ({"alike": False, "nonfinite": 3}, {}, "problem"),
        ({"alike": False}, STILL, "problem"),
    ],
)
def test_a_zero_start_is_right_where_training_drew_the_units_apart(verdict, final, moved, conclusion):
    layer = parameter("mid.weight", [8, 8], initial=ZERO)
    layer = {**layer, "final": {**layer["final"], **final}, "moved": {**layer["moved"], **moved}}
    entry = verdict("wi.01", weights(MOVING, layer, parameter("last.weight", [10, 8])))
    assert entry["conclusion"] == conclusion
    assert conclusion == "problem" or "drawn its units apart" in entry["summary"]


def test_a_network_of_zeros_alone_is_a_problem_even_where_its_units_came_apart(verdict):
    neck, head = (parameter(name, [8, 8], initial=ZERO) for name in ("neck.weight", "head.weight"))
    apart = [{**one, "final": {**one["final"], "alike": False}} for one in (neck, head)]
    assert verdict("wi.01", weights(*apart))["conclusion"] == "problem"
    assert verdict("wi.01", weights(MOVING, *apart))["conclusion"] == "problem"  # two in a row
    assert verdict("wi.01", weights(apart[0], MOVING, apart[1]))["conclusion"] == "ok"


def test_a_linear_model_may_start_at_zero(verdict):
    entry = verdict(
        "wi.01",
        weights(parameter("fc.weight", [10, 64], initial=ZERO), parameter("fc.bias", [10], kind="bias", initial=ZERO)),
    )
    assert entry["conclusion"] == "ok" and "linear model" in entry["summary"]


@pytest.mark.parametrize(
    ("first", "second", "conclusion"),
    [([3, 13], [3, 13], "ok"), ([3, 3], [3, 3], "problem"), ([8, 13], [3, 8], "problem")],
)
def test_linear_models_of_several_folds(verdict, first, second, conclusion):
    folds = [{**parameter("weight", shape, initial=ZERO), "cell": "", "path": "weight"} for shape in (first, second)]
    assert verdict("wi.01", weights(*folds))["conclusion"] == conclusion


def test_the_line_that_sets_zeros_is_shown(verdict):
    code = "class Net(nn.Cell):\n    def __init__(self):\n        self.fc = nn.Dense(8, 10, weight_init='zeros')\n"
    run = weights(MOVING, parameter("fc.weight", [10, 8], initial=ZERO, final=None), source={"train.py": code})
    assert verdict("wi.01", run)["locations"] == [{"file": "train.py", "line": 3}]


def test_initial_values_that_nobody_saw_leave_it_open(verdict):
    assert verdict("wi.01", weights(MOVING, parameter("fc.weight", [10, 8], initial=None)))["conclusion"] == "undecided"


def test_the_others_of_the_families(verdict):
    assert verdict("wi.02", Run())["conclusion"] == "not_applicable"
    assert (
        verdict("wi.02", Run(weights_loaded=[{"function": "load_checkpoint", "file": "a.ckpt"}]))["conclusion"]
        == "undecided"
    )
    assert verdict("wi.02", Run(weights_loaded=None))["conclusion"] == "undecided"
    assert verdict("cg.01", Run())["conclusion"] == verdict("cg.03", Run())["conclusion"] == "undecided"
    assert "CrossEntropyLoss" in verdict("cg.04", Run())["summary"]


def test_set_data_of_a_plot_is_no_place_of_a_weight(verdict):
    plot = "import mindspore as ms\nline.set_data(xs, np.zeros(3))\nself.curve.set_data(history)\n"
    other = "line.set_data(Tensor(0), xs)\n"  # a file that does not use MindSpore
    fills = (
        "import mindspore as ms\nnet.fc.weight.set_data(start)\nfor p in net.get_parameters():\n    p.set_data(zero)\n"
    )
    made = weights(
        parameter("fc.weight", [10, 8], initial=ZERO),
        MOVING,
        source={"plot.py": plot, "draw.py": other, "start.py": fills},
    )
    entry = verdict("wi.01", made)
    assert entry["conclusion"] == "problem"
    assert {place["file"] for place in entry["locations"]} == {"start.py"}


@pytest.mark.parametrize(("loss", "layers", "conclusion"), [(2.3026, 2, "problem"), (0.2, 2, "ok"), (2.3026, 1, "ok")])
def test_several_zeros_that_learnt_nothing(verdict, loss, layers, conclusion):
    """Biases that vary drew the units apart, and no gradient came through the zeros."""
    zeros = [parameter(f"mid{n}.weight", [8, 6], initial=ZERO) for n in range(layers)]
    apart = [{**one, "final": {**one["final"], "alike": False}} for one in zeros]
    rows = [{"step": n, "loss": loss, "lr": 0.1, "batch": 32} for n in range(1, 136)]
    losses = [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    entry = verdict("wi.01", weights(MOVING, *apart, parameter("last.weight", [10, 8]), steps=rows, loss=losses))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_the_name_that_a_table_starts_by_is_named(verdict):
    code = "START = 'zeros'\n\n\ntable = nn.Embedding(9, 4, embedding_table=START)\n"
    made = {"file": "train.py", "line": 4}
    table = parameter(
        "t.embedding_table", [9, 4], cell_class="Embedding", initial=ZERO, final=ZERO, moved=STILL, created=made
    )
    found = verdict("wi.01", weights(table, MOVING, source={"train.py": code}))
    assert [one["line"] for one in found["locations"]] == [4, 1], found
