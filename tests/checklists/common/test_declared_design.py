"""What a declared design changes."""

from building import STILL, Run, parameter
from network_facts import cell, graph, network, ran


def designed(made, **design):
    made.facts["design"] = {"file": "msprec.toml", **design}
    return made


def test_design(verdict):
    tied = network(shared_parameters=[{"name": "e.t", "paths": ["e.t", "h.w"], "classes": ["Embedding", "Dense"]}])
    shared = [["e.t", "h.w"]]
    assert verdict("cg.01", designed(Run(network=[tied]), shared_parameters=shared))["conclusion"] == "ok"
    assert verdict("cg.01", designed(Run(network=[network()]), shared_parameters=shared))["conclusion"] == "problem"
    assert verdict("cg.01", designed(Run(network=[tied]), shared_parameters=[]))["conclusion"] == "problem"
    frozen = parameter("backbone.weight", [8, 8], requires_grad=False, in_optimizer=False, moved=STILL)
    both = [parameter("fc.weight", [10, 8]), frozen]
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=["backbone.*"]))["conclusion"] == "ok"
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=["fc.*"]))["conclusion"] == "problem"
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=[]))["conclusion"] == "problem"
    assert verdict("cg.03", designed(Run(), layers=["Conv2d", "Conv2d"]))["conclusion"] == "problem"
    assert verdict("cg.03", designed(graph(ran("a", cls="Conv2d")), layers=["Conv2d"]))["conclusion"] == "ok"
    assert verdict("cg.04", designed(Run(), loss="MSELoss"))["conclusion"] == "problem"
    assert verdict("hp.03", designed(Run(), batch_size=64))["conclusion"] == "problem"
    assert verdict("hp.03", designed(Run(), batch_size=32))["conclusion"] == "ok"
    assert verdict("dp.03", designed(Run(), shuffle=False))["conclusion"] == "ok"


def test_patterns_of_one_cell_that_stands_several_times_in_a_list(verdict):
    """All ways lead to one weight, which has the name of one of them."""
    again = cell("blocks.0", "blocks.1", repeated_in="blocks", parameters=["blocks.1.0.weight"])
    held = [parameter("blocks.1.0.weight", [4, 4], path="blocks.0.weight")]
    shared = [["blocks.0.*", "blocks.1.*"]]
    made = Run(network=[network(shared_cells=[again])], parameters=held)
    assert verdict("cg.01", designed(made, shared_parameters=shared))["conclusion"] == "ok"
    # two blocks that are separate, and a third that the declared design shares with them
    apart = [parameter(f"blocks.{n}.weight", [4, 4]) for n in (0, 1)]
    entry = verdict("cg.01", designed(Run(network=[network()], parameters=apart), shared_parameters=shared))
    assert entry["conclusion"] == "problem"
    third = Run(network=[network(shared_cells=[again])], parameters=[*held, parameter("blocks.2.weight", [4, 4])])
    three = [["blocks.0.*", "blocks.1.*", "blocks.2.*"]]
    assert verdict("cg.01", designed(third, shared_parameters=three))["conclusion"] == "problem"
