"""The probes in their order, within their budget, announced."""

import contextlib
import math
import sys
from typing import Callable, Optional

import numpy as np

from msprec.locate.trace import to_numpy
from msprec.probe.data.box_corners import box_corners
from msprec.probe.data.category_numbers import category_numbers
from msprec.probe.data.confident_learning import label_suspects
from msprec.probe.data.equal_inputs import equal_inputs
from msprec.probe.data.first_layers import first_layers
from msprec.probe.data.interleaved_channels import interleaved_channels
from msprec.probe.data.interleaved_series import interleaved_series
from msprec.probe.data.label_control import label_control
from msprec.probe.data.lookups import lookups
from msprec.probe.data.lost_inputs import lost_inputs
from msprec.probe.data.masked_targets import masked_targets
from msprec.probe.data.merged_ids import merged_ids
from msprec.probe.data.orientation import orientation
from msprec.probe.data.received_batches import received_facts
from msprec.probe.data.rough_angles import rough_angles
from msprec.probe.data.target_control import target_control
from msprec.probe.data.target_in_inputs import target_in_inputs
from msprec.probe.data.telling_column import telling_column
from msprec.probe.loss.class_numbers import class_numbers
from msprec.probe.loss.compared_inputs import compared_inputs
from msprec.probe.loss.loss_places import loss_places
from msprec.probe.loss.loss_recomputation import loss_facts
from msprec.probe.loss.loss_terms import loss_terms
from msprec.probe.network.attended_neighbours import attended_neighbours
from msprec.probe.network.attended_padding import attended_padding
from msprec.probe.network.attention_axes import attention_axes
from msprec.probe.network.function_class import function_class
from msprec.probe.network.inference_loss import inference_loss
from msprec.probe.network.made_and_real import made_and_real
from msprec.probe.network.mixed_samples import mixed_samples
from msprec.probe.network.pooled_places import pooled_places
from msprec.probe.network.predicted_tokens import predicted_tokens
from msprec.probe.network.reconstruction import reconstruction
from msprec.probe.network.reshaped_axes import reshaped_axes
from msprec.probe.network.seen_targets import seen_targets
from msprec.probe.network.token_targets import token_targets
from msprec.probe.network.token_use import token_use
from msprec.probe.network.units import unit_facts
from msprec.probe.network.unread_places import unread_places
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.collectives import on_one_rank, waits_for_ranks
from msprec.probe.steps.connectivity_trace import connections, trace_step
from msprec.probe.steps.inference_trace import InferenceTraces
from msprec.probe.steps.numpy_losses import BCE
from msprec.probe.training.further_training import further_training
from msprec.probe.training.gradient_target import differentiated
from msprec.probe.training.learning_rate_probe import Cannot, range_test
from msprec.probe.training.update_gradients import update_gradients
from msprec.record.nested import tensors_in
from msprec.record.reader import RunFolder
from msprec.record.schema import ACTIVATIONS
from msprec.runtime.busy_clock import busy_seconds
from msprec.runtime.quiet import quiet
from msprec.runtime.side_effects import side_effect

#: The range test is not begun with less than so many seconds left; the use of tokens may take as many in any case.
LEAST = 1.0
#: Operators whose results lie between 0 and 1.
_KEEPS_WITHIN = ("sigmoid", "softmax", "hsigmoid", "hardsigmoid", "hard_sigmoid", "clamp", "clip", "clip_by_value")
#: Most classes of labels that a batch is chosen by.
_MOST_CLASSES = 32
#: Batches whose targets are looked at; the trials of learning rates and the labels take all that are held.
FIRST = 16
#: Shares of what is left of the budget: what units give, the use of tokens, gradients of captured updates, terms of the loss,
#: labels, and training on from the end.
UNITS, TOKENS, GRADIENTS, TERMS, LABELS, FURTHER = 0.15, 0.15, 0.15, 0.15, 0.25, 0.4
#: Share of the budget after which none of the probes that make a few forward passes is begun, and seconds in which each is: with
#: a small network all of them take less than one.
PASSES, SOON = 0.4, 3.0


def run_probes(steps, writer, seconds: float, ranks: int = 1, crashed: bool = False) -> dict:
    """Runs the probes and writes ``facts/probes.json`` and ``facts/range_test.json``.

    Args:
        steps: The run's `StepObserver`.
        writer: The run's writer.
        seconds: The budget.
        ranks: Processes of the run. Of several the first alone is probed, where its step can be run without the others, and with
            no probe that needs the gradients which all gave, or a whole batch.
        crashed: The script ended with an exception that no loss announced: its first step is watched again, and no more.

    Returns:
        dict: The facts ``probes``.
    """
    material = steps.material.last()
    why = _why_not(material, ranks, writer.rank)
    with _announced() if why is None else contextlib.nullcontext() as tell:
        probes = _Probes(seconds, tell)
        if why is not None:
            probes.skip(why, "graph", "units", "gradients", "labels", "further", "range_test")
        else:
            with quiet(), material.as_bound(), on_one_rank() if ranks > 1 else contextlib.nullcontext():
                probes.run("graph", lambda: probes.facts.update(_watched_step(material, ranks == 1)))
                if crashed:
                    probes.skip("crashed", "labels", "further", "range_test")
                else:
                    _on_the_weights_of_the_end(probes, material, steps.evaluations, ranks)
                    _trainings(probes, material, steps.accumulation, writer, ranks)
    probes.facts["seconds"] = round(probes.elapsed(), 3)
    writer.facts("probes", probes.facts)
    return probes.facts


class _Probes:
    """Runs one probe after the other, keeps what each finds under its name, and says why one could not be made.

    Attributes:
        facts: The facts ``probes``.
    """

    def __init__(self, seconds: float, tell: Optional[Callable]) -> None:
        self.seconds, self._tell, self._began = seconds, tell, busy_seconds()
        self.facts: dict = {"budget": seconds, "seconds": 0.0, "took": {}, "skipped": {}}

    def elapsed(self) -> float:
        return busy_seconds() - self._began

    def left(self, share: float = 1.0) -> float:
        """Seconds: a share of what is left of the budget."""
        return share * (self.seconds - self.elapsed())

    def skip(self, why: str, *names: str) -> None:
        self.facts["skipped"].update(dict.fromkeys(names, why))

    def keep(self, name: str, probe: Callable, *given) -> None:
        """Runs ``probe(*given)`` and keeps what it finds, if that is anything."""
        self.run(name, lambda: self.facts.update({name: found} if (found := probe(*given)) is not None else {}))

    def keep_cheap(self, name: str, probe: Callable, *given) -> None:
        """As `keep`, of a probe without a limit of its own, which makes a few forward passes: while there is time for them."""
        if self.elapsed() > max(SOON, PASSES * self.seconds):
            self.skip("slow", name)
        else:
            self.keep(name, probe, *given)

    def run(self, name: str, probe: Callable) -> None:
        """Calls ``probe()``."""
        self._tell(name)
        began = busy_seconds()
        try:
            probe()
        except Cannot as why:
            self.skip(str(why), name)
        except Exception as error:
            self.skip(f"failed: {type(error).__name__}: {error}".splitlines()[0][:300], name)
        finally:
            self.facts["took"][name] = round(busy_seconds() - began, 3)


def _on_the_weights_of_the_end(probes: _Probes, material: Material, evaluations, ranks: int) -> None:
    """The probes that train nothing."""
    facts = probes.facts
    probes.keep("units", unit_facts, material, probes.left(UNITS))
    losses, own = facts.get("losses") or [], facts.get("own_losses") or []
    kinds = {one["kind"] for m in (facts.get("units") or {}).get("moments", ()) for one in m["entries"]}
    softmaxes, activated = "softmax" in kinds, not kinds.isdisjoint(ACTIVATIONS)
    known = losses or _equal_to_known(own)
    traces = InferenceTraces(material)
    probes.keep_cheap("travelled", material.travelled)
    probes.keep_cheap("received", received_facts, material)
    probes.keep_cheap("orientation", orientation, material)
    probes.keep_cheap("box_corners", box_corners, material)
    mixes = softmaxes or facts.get("own_losses")
    probes.keep_cheap("attention_axes", lambda: attention_axes(traces) if mixes else [])
    probes.keep_cheap("label_control", label_control, material, known)
    probes.keep_cheap("target_control", target_control, material, known)
    probes.keep_cheap("class_numbers", class_numbers, material, losses, own)
    probes.keep_cheap("target_in_inputs", target_in_inputs, material, known)
    probes.keep_cheap("telling_column", telling_column, material, known)
    probes.keep_cheap("category_numbers", category_numbers, material, known)
    probes.keep_cheap("seen_targets", seen_targets, material)
    probes.keep_cheap("token_targets", token_targets, material)
    probes.keep_cheap("predicted_tokens", predicted_tokens, traces)
    probes.keep_cheap("attended_padding", attended_padding, traces)
    probes.keep_cheap("attended_neighbours", lambda: attended_neighbours(traces) if softmaxes else None)
    probes.keep_cheap("compared_inputs", compared_inputs, material, own)
    probes.keep_cheap("loss_places", loss_places, material)
    probes.keep_cheap("interleaved_channels", interleaved_channels, material)
    probes.keep_cheap("interleaved_series", interleaved_series, material)
    probes.keep_cheap("equal_inputs", equal_inputs, traces)
    probes.keep_cheap("masked_targets", masked_targets, traces)
    probes.keep_cheap("first_layers", first_layers, traces)
    probes.keep_cheap("lost_inputs", lost_inputs, traces)
    probes.keep_cheap("merged_ids", merged_ids, traces)
    probes.keep_cheap("lookups", lookups, traces)
    probes.keep_cheap("pooled_places", pooled_places, traces, material)
    probes.keep_cheap("function_class", function_class, traces, material, known, activated)
    probes.keep_cheap("rough_angles", rough_angles, traces)
    probes.keep_cheap("inference_loss", inference_loss, material)
    probes.keep_cheap("reconstruction", reconstruction, material, losses)
    probes.keep_cheap("token_use", token_use, material, max(LEAST, probes.left(TOKENS)))
    probes.keep_cheap("mixed_samples", mixed_samples, material)
    probes.keep_cheap("unread_places", unread_places, material, max(LEAST, probes.left(TOKENS)))
    if ranks > 1:
        probes.skip("ranks", "gradients")
    else:
        probes.keep("gradients", update_gradients, material, probes.left(GRADIENTS))
    probes.keep("terms", loss_terms, material, probes.left(TERMS))
    probes.run("evaluation", lambda: facts.update(evaluations=evaluations.facts()))
    probes.keep("labels", label_suspects, material, probes.left(LABELS))


def _equal_to_known(own: list) -> list:
    """The one loss of the script's own that gives the value of a known one, as an entry ``losses`` for what asks its kind and its
    targets alone; empty where there is none, or several are part of the whole."""
    final = [one for one in own if one.get("final")]
    told = [
        {"kind": one["equals"][0], "targets": one["targets"]}
        for one in final
        if one.get("equals") and one.get("targets")
    ]
    return told if len(final) == 1 else []


def _trainings(probes: _Probes, material: Material, accumulation: int, writer, ranks: int) -> None:
    """The probes that train: on from the end, and with one learning rate after the other."""
    why = (
        "accumulation"
        if accumulation > 1
        else "bounded"
        if may_leave_bounds(probes.facts.get("losses") or [])
        else None
    )
    if why is not None:
        probes.skip(why, "further", "range_test")
        return
    so_far = reached(writer, material.before)
    with material.as_in_training():
        probes.keep("further", further_training, material, probes.left(FURTHER), so_far, probes.seconds)
        if ranks > 1:
            probes.skip("share", "range_test")  # of a batch, whose bounds are not those of the whole
        elif probes.left() < LEAST:
            probes.skip("slow", "range_test")
        else:
            probes.run("range_test", lambda: writer.facts("range_test", range_test(material, probes.left(), so_far)))


def may_leave_bounds(losses: list) -> bool:
    """Whether a binary cross entropy is given what nothing keeps between 0 and 1: beyond them its kernel on a CPU ends the
    process, and larger rates take it there.

    Args:
        losses: As in ``probes.json``.
    """
    sources = [(one["predicted"].get("source") or {}).get("operator") or "" for one in losses if one["kind"] == BCE]
    return any(name.lower() not in _KEEPS_WITHIN for name in sources)


def _why_not(material: Material, ranks: int, rank: int) -> Optional[str]:
    if rank > 0:
        return "other_rank"
    if material.build is None or not material.batches:
        return "batch"
    functions = (material.function,) if material.function is not None else ()
    roots = [root for root in material.roots if hasattr(root, "_cells")]
    found = side_effect(roots, functions, lasting=True)
    if found:
        return f"side_effect: {found}"
    waits = waits_for_ranks([*roots, *material.optimizers], functions) if ranks > 1 else None
    return f"waits: {waits}" if waits else None


def _watched_step(material: Material, own_gradients: bool) -> dict:
    batch = most_classes(material.batches[:FIRST])
    wanted = list(material.optimizers[0].parameters) if len(material.optimizers) == 1 else None
    with material.as_in_training():
        step = material.build(batch, wanted)
        trace = trace_step(step, material.initial)
        return {
            "graph": connections(trace, step),
            "reshaped_axes": reshaped_axes(trace, batch),
            "made_and_real": made_and_real(trace),
            **loss_facts(trace, batch, step, _again(material, wanted), material.initial, material.batches[:FIRST]),
            **(_differentiated(material, wanted) if own_gradients else {}),
        }


def most_classes(batches: list) -> tuple:
    """The first of the batches, of those shaped as the first one, in which most classes occur: a rare one is in few of them."""
    shapes = [[tuple(one.shape) for one in tensors_in(batch)] for batch in batches]
    alike = [batch for batch, shape in zip(batches, shapes) if shape == shapes[0]]
    return max(alike, key=lambda batch: sum(map(_classes_in, tensors_in(batch))))


def _classes_in(tensor) -> int:
    if tensor.ndim not in (1, 2) or not tensor.size or (tensor.ndim == 2 and tensor.shape[1] > 1):
        return 0
    values = np.unique(to_numpy(tensor))
    return len(values) if len(values) <= _MOST_CLASSES and np.isin(values, np.arange(_MOST_CLASSES)).all() else 0


def _differentiated(material: Material, wanted) -> dict:
    if material.style != "functional" or not wanted:
        return {}
    try:
        step = material.build(material.batches[0], wanted)  # of which `given` are the gradients
        found = differentiated(step, material.given, wanted, material.initial)
    except Exception:  # a function of the user's that cannot run once more
        return {}
    return {"differentiated": found} if found is not None else {}


def _again(material: Material, wanted) -> Callable:
    return lambda inputs: material.build(inputs, wanted)


def reached(writer, before: int = 0) -> Optional[tuple]:
    """``(number of losses, the first beyond noise, mean of their second tenth, of their last tenth)`` of the run; where the last
    loss is not finite the number of those up to the first that is not, and NaN for the last. The first: the mean of three
    less two of its standard errors, or of a tenth where that is more.

    Args:
        writer: The run's writer.
        before: Steps of earlier trainings, which do not count.
    """
    steps = RunFolder(writer.folder).steps()
    losses = steps.observed("loss")
    if before and len(losses):
        losses = steps["loss"][steps.seen("loss") & (steps["step"] > before)]
    if not len(losses):
        return None
    tenth = max(1, len(losses) // 10)
    end = float(losses[-tenth:].mean()) if math.isfinite(losses[-1]) else math.nan
    early = float(losses[tenth : 2 * tenth].mean()) if len(losses) > tenth else end
    first = max(
        float(losses[:tenth].mean()), float(losses[:3].mean() - 2 * losses[-max(3, tenth) :].std() / math.sqrt(3))
    )
    count = len(losses) if math.isfinite(end) else int(np.argmin(np.isfinite(losses))) + 1
    return count, first, early, end


@contextlib.contextmanager
def _announced():
    """A progress bar on a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    stream = sys.stderr
    with Progress(console=Console(file=stream), transient=True, disable=not stream.isatty()) as progress:
        task = progress.add_task("msprec: probes", total=None)
        yield lambda name: progress.update(task, description=f"msprec: probe {name}")
