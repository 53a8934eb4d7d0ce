"""Layers that are frozen as they were drawn, in a run that loads nothing (cg.02, hp.01, hp.02)."""

from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.weights.weight_updates import by_network, sort_parameters
from msprec.engine.run_data import RunData

#: Built-in layers whose weights are worth nothing as they were drawn.
_DRAWN = ("Dense", "Conv1d", "Conv2d", "Conv3d", "Conv2dTranspose")
#: Words of a script that gives weights their values by itself, or that means to keep random ones.
_FILLED = r"(?i)load_(check|param|state|weight)|\.load\(|from_pretrained|pretrained|set_data|assign|weight_init=\s*(ms\.)?Tensor"
_MEANT = (
    r"(?i)random.?(feature|projection|weights|waves?|fourier|basis)|\b(cos|sin|sign)\(\s*self\.\w+\(|reservoir|echo.?state|"
    r"extreme.?learning|lottery|lora|low.?rank|adapter"
)
FREEZES = r"requires_grad\s*=\s*False"


def frozen_as_drawn(run_data: RunData) -> tuple:
    """``(weights, where they are frozen)`` of the one network that is trained, of which other weights move; empty lists where
    something is loaded, weights are given values by the script, or random ones are meant."""
    groups = run_data.once(sort_parameters)
    alone = len(by_network(run_data)) <= 1 and sum(one.used is not False for one in run_data.optimizers) == 1
    # random vectors of tokens may serve as features, as long as something is learnt from them
    failed = learning_outcome(run_data).verdict in ("nothing", "hardly")
    kinds = (*_DRAWN, "Embedding") if failed else _DRAWN
    drawn = [
        one
        for one in groups.frozen
        if one.cell_class in kinds and not one.moved.any and len(one.shape) > 1 and not one.initial.constant
    ]
    places = run_data.find_lines(FREEZES, 4)
    if not alone or not drawn or not places or run_data.loads or not any(len(one.shape) > 1 for one in groups.moved):
        return [], []
    meant = run_data.find_lines(_FILLED, 1) or run_data.find_lines(_MEANT, 1)
    return ([], []) if meant else (drawn, places)
