"""What a loss that the script writes out in its forward function is, and how it behaves: as one of its own functions is told."""

import re
from typing import Callable, Optional

from msprec.locate.replay import ReplayedStep, undisturbed
from msprec.probe.loss.custom_losses import is_bounded, is_variant_text, values_beside
from msprec.probe.loss.inline_loss import NotFound, Written, written_loss, written_pair
from msprec.probe.loss.loss_properties import behaviour, direction, pair_behaviour
from msprec.probe.loss.loss_reach import ends
from msprec.probe.loss.loss_shapes import kind_of
from msprec.probe.loss.loss_targets import Sources, target_facts
from msprec.probe.steps.attainable_range import output_facts
from msprec.probe.steps.loss_input_statistics import features
from msprec.probe.steps.producing_operator import source_of

#: Words in a loss that drives predictions away from the labels on purpose, or needs no labels.
_ON_PURPOSE = re.compile(
    r"adv|confus|revers|unlearn|attack|fool|critic|discr|wasser|mmd|moment|distrib|coral|sinkhorn|emd|histogram"
    r"|proportion|prior|gan(_|\b)|(?<!cross.)(?<!cross)entropy|cluster|unsup|self_?sup|pseudo|divers|maxim|unlikel|complement"
    r"|negative_|reward|policy|advantage|return_|spars|energy|hazard|surviv|risk|regret|utility",
    re.IGNORECASE,
)


def written_facts(step: ReplayedStep, again: Callable, weights: Optional[dict], sources: Sources) -> dict:
    """``{"own_losses": [entry]}``, or ``{"written_loss": {"why"}}`` where what the step computes cannot be tried.

    Args:
        step: The step.
        again: ``again(inputs)`` makes the step of other inputs.
        weights: ``{id(parameter): array}`` to run it with.
        sources: The inputs of the step.
    """
    with undisturbed(step.parameters, None, weights, step.host_random):
        try:
            return {"own_losses": [_entry(written_loss(step, again), sources)]}
        except NotFound as why:
            pair = _pair(step) if str(why) == "outputs" else None
            if pair is not None:
                return {"own_losses": [pair]}
            purpose = bool(_ON_PURPOSE.search(why.code))
            return {"written_loss": {"why": str(why), "purpose": purpose, "place": why.place}}
        except Exception:  # what the user's code does not do twice
            return {"written_loss": {"why": "unseen", "purpose": False, "place": None}}


def _pair(step: ReplayedStep) -> Optional[dict]:
    """The entry of a loss of two outputs that is one of the known formulas; None where it is none of them."""
    try:
        one = written_pair(step)
        tried = [pair_behaviour(one.call, one.left, one.right, kind) for kind in ("contrastive", "distillation")]
        # a teacher may well run first
        tried.append(pair_behaviour(lambda a, b: one.call(b, a), one.right, one.left, "distillation"))
    except Exception:
        return None
    did = next((found for found in tried if found is not None and found.get("family")), None)
    if did is None:
        return None
    given = {"probabilities": None, "log_probabilities": None, "unit": None, "source": None}
    return {
        "name": one.name,
        "place": one.place,
        "promise": None,
        "value": one.value,
        "equals": None,
        "candidates": {},
        "variant": True,
        "predicted": list(one.left.shape),
        "labels": list(one.right.shape),
        "final": True,
        "written": True,
        "computed": False,
        "weighed": False,
        "purpose": False,
        "shape": [],
        "features": given,
        "behaviour": did,
    }


def _entry(one: Written, sources: Sources) -> dict:
    flat = one.predicted
    if kind_of(flat, one.labels) != "classes" and flat.size == one.labels.size:
        flat = flat.reshape(one.labels.shape)
    equals, candidates = values_beside(flat, one.labels, one.value, None)
    given = features(one.predicted)
    output = output_facts(one.trace, one.prediction)
    did = behaviour(one.call, one.predicted, one.labels, one.value, given, is_bounded(one.trace), ends(output))
    return {
        "name": one.name,
        "place": one.place,
        "promise": None,
        "value": one.value,
        "equals": equals,
        "candidates": candidates,
        "variant": is_variant_text(one.code),
        "predicted": list(one.predicted.shape),
        "labels": list(one.labels.shape),
        "final": True,
        "written": True,
        "computed": one.computed,
        "weighed": one.weighed,
        "direction": direction(one.even, did, one.predicted, one.labels),
        "purpose": bool(_ON_PURPOSE.search(one.code)),
        "shape": one.shape,
        "features": {**given, "source": source_of(one.trace, one.prediction)},
        "output": output,
        "targets": target_facts(one.trace, None, output, sources, one.labels),
        "behaviour": did,
    }
