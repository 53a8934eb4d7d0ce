"""The probes in their order, within their budget, announced."""

import contextlib
import math
import sys
import time
from typing import Callable, Optional

from msprec.probe.captured_steps import Material
from msprec.probe.numpy_losses import BCE
from msprec.record.reader import RunFolder
from msprec.runtime.quiet import quiet
from msprec.runtime.side_effects import side_effect

#: The range test is not begun with less than so many seconds left.
LEAST = 1.0
#: Operators whose results lie between 0 and 1.
_KEEPS_WITHIN = ("sigmoid", "softmax", "hsigmoid", "hardsigmoid", "hard_sigmoid", "clamp", "clip", "clip_by_value")
#: Batches whose targets are looked at; the trials of learning rates and the labels take all that are held.
FIRST = 16
#: Share of what is left of the budget that predictions may take.
LABELS = 0.25
#: The same for what units give, and for the gradients of captured updates.
UNITS, GRADIENTS = 0.15, 0.15
#: The same for the terms of a loss, and for training on from the end.
TERMS, FURTHER = 0.15, 0.4


def run_probes(steps, writer, seconds: float, ranks: int = 1, crashed: bool = False) -> dict:
    """Runs the probes and writes ``facts/probes.json`` and ``facts/range_test.json``.

    Args:
        steps: The run's `StepObserver`.
        writer: The run's writer.
        seconds: The budget.
        ranks: Processes of the run; several are not probed, as each would wait for the others.
        crashed: The script ended with an exception that no loss announced: its first step is watched again, and no more.

    Returns:
        dict: The facts ``probes``.
    """
    facts = {"budget": seconds, "seconds": 0.0, "took": {}, "skipped": {}}
    material = steps.material.last()
    why = _why_not(material, ranks, steps.accumulation)
    if why is not None:
        facts["skipped"] = dict.fromkeys(("graph", "units", "gradients", "labels", "further", "range_test"), why)
        writer.facts("probes", facts)
        return facts
    began = time.monotonic()
    with _announced() as tell, quiet(), material.as_bound():
        tell("graph")
        _try(facts, "graph", lambda: facts.update(_watched_step(material)))
        if crashed:
            facts["skipped"].update(labels="crashed", further="crashed", range_test="crashed")
            writer.facts("probes", facts)
            return facts
        tell("units")
        left = seconds - (time.monotonic() - began)
        _try(facts, "units", lambda: facts.update(units=_units(material, UNITS * left)))
        _try(facts, "received", lambda: facts.update(_received(material)))
        _try(facts, "orientation", lambda: facts.update(_orientation(material)))
        _try(
            facts,
            "attention_axes",
            lambda: facts.update(attention_axes=_attention_axes(material, facts.get("units") or {})),
        )
        _try(facts, "label_control", lambda: facts.update(_label_control(material, facts.get("losses") or [])))
        _try(
            facts,
            "target_in_inputs",
            lambda: facts.update(_target_in_inputs(material, facts.get("losses") or [])),
        )
        _try(facts, "mixed_samples", lambda: facts.update(_mixed_samples(material)))
        _try(facts, "seen_targets", lambda: facts.update(_seen_targets(material)))
        _try(facts, "attended_padding", lambda: facts.update(_attended_padding(material)))
        _try(facts, "token_use", lambda: facts.update(_token_use(material)))
        _try(facts, "compared_inputs", lambda: facts.update(_compared_inputs(material, facts.get("own_losses") or [])))
        _try(facts, "loss_places", lambda: facts.update(_loss_places(material)))
        tell("gradients")
        left = seconds - (time.monotonic() - began)
        _try(facts, "gradients", lambda: facts.update(_gradients(material, GRADIENTS * left)))
        tell("terms")
        left = seconds - (time.monotonic() - began)
        _try(facts, "terms", lambda: facts.update(terms=_terms(material, TERMS * left)))
        tell("evaluation")
        _try(facts, "evaluation", lambda: facts.update(evaluations=steps.evaluations.facts()))
        tell("labels")
        left = seconds - (time.monotonic() - began)
        _try(facts, "labels", lambda: facts.update(_labels(material, LABELS * left)))
        tell("further")
        left = seconds - (time.monotonic() - began)
        if steps.accumulation > 1 or may_leave_bounds(facts.get("losses") or []):
            facts["skipped"]["further"] = "accumulation" if steps.accumulation > 1 else "bounded"
        else:
            so_far = reached(writer, material.before)
            _try(facts, "further", lambda: facts.update(_further(material, FURTHER * left, so_far, seconds)))
        tell("range_test")
        left = seconds - (time.monotonic() - began)
        if steps.accumulation > 1:
            facts["skipped"]["range_test"] = "accumulation"
        elif may_leave_bounds(facts.get("losses") or []):
            facts["skipped"]["range_test"] = "bounded"
        elif left < LEAST:
            facts["skipped"]["range_test"] = "slow"
        else:
            _try(
                facts,
                "range_test",
                lambda: writer.facts("range_test", _rates(material, left, reached(writer, material.before))),
            )
    facts["seconds"] = round(time.monotonic() - began, 3)
    writer.facts("probes", facts)
    return facts


def may_leave_bounds(losses: list) -> bool:
    """Whether a binary cross entropy is given what nothing keeps between 0 and 1: beyond them its kernel on a CPU ends the
    process, and larger rates take it there.

    Args:
        losses: As in ``probes.json``.
    """
    sources = [(one["predicted"].get("source") or {}).get("operator") or "" for one in losses if one["kind"] == BCE]
    return any(name.lower() not in _KEEPS_WITHIN for name in sources)


def _why_not(material: Material, ranks: int, accumulation: int) -> Optional[str]:
    if ranks > 1:
        return "ranks"
    if material.build is None or not material.batches:
        return "batch"
    functions = (material.function,) if material.function is not None else ()
    found = side_effect([r for r in material.roots if hasattr(r, "_cells")], functions, lasting=True)
    return f"side_effect: {found}" if found else None


def _watched_step(material: Material) -> dict:
    from msprec.probe.connectivity_trace import connections, trace_step
    from msprec.probe.loss_recomputation import loss_facts

    batch = material.batches[0]
    wanted = list(material.optimizers[0].parameters) if len(material.optimizers) == 1 else None
    with material.as_in_training():
        step = material.build(batch, wanted)
        trace = trace_step(step, material.initial)
        return {
            "graph": connections(trace, step),
            **loss_facts(trace, batch, step, _again(material, wanted), material.initial, material.batches[:FIRST]),
            **_differentiated(material, step, wanted),
        }


def _differentiated(material: Material, step, wanted) -> dict:
    from msprec.probe.gradient_target import differentiated

    if material.style != "functional" or not wanted:
        return {}
    try:
        found = differentiated(step, material.given, wanted, material.initial)
    except Exception:  # a function of the user's that cannot run once more
        return {}
    return {"differentiated": found} if found is not None else {}


def _again(material: Material, wanted) -> Callable:
    return lambda inputs: material.build(inputs, wanted)


def _units(material: Material, seconds: float) -> dict:
    from msprec.probe.units import unit_facts

    return unit_facts(material, seconds)


def _received(material: Material) -> dict:
    from msprec.probe.received_batches import received_facts

    found = received_facts(material)
    return {"received": found} if found is not None else {}


def _orientation(material: Material) -> dict:
    from msprec.probe.orientation import orientation

    found = orientation(material)
    return {"orientation": found} if found is not None else {}


def _attention_axes(material: Material, units: dict) -> list:
    from msprec.probe.attention_axes import attention_axes

    softmaxes = any(one["kind"] == "softmax" for moment in units.get("moments", ()) for one in moment["entries"])
    return attention_axes(material) if softmaxes else []


def _label_control(material: Material, losses: list) -> dict:
    from msprec.probe.label_control import label_control

    found = label_control(material, losses)
    return {"label_control": found} if found is not None else {}


def _target_in_inputs(material: Material, losses: list) -> dict:
    from msprec.probe.target_in_inputs import target_in_inputs

    found = target_in_inputs(material, losses)
    return {"target_in_inputs": found} if found is not None else {}


def _mixed_samples(material: Material) -> dict:
    from msprec.probe.mixed_samples import mixed_samples

    found = mixed_samples(material)
    return {"mixed_samples": found} if found is not None else {}


def _seen_targets(material: Material) -> dict:
    from msprec.probe.seen_targets import seen_targets

    found = seen_targets(material)
    return {"seen_targets": found} if found is not None else {}


def _attended_padding(material: Material) -> dict:
    from msprec.probe.attended_padding import attended_padding

    found = attended_padding(material)
    return {"attended_padding": found} if found is not None else {}


def _token_use(material: Material) -> dict:
    from msprec.probe.token_use import token_use

    found = token_use(material)
    return {"token_use": found} if found is not None else {}


def _compared_inputs(material: Material, own: list) -> dict:
    from msprec.probe.compared_inputs import compared_inputs

    found = compared_inputs(material, own)
    return {"compared_inputs": found} if found is not None else {}


def _loss_places(material: Material) -> dict:
    from msprec.probe.loss_places import loss_places

    found = loss_places(material)
    return {"loss_places": found} if found is not None else {}


def _gradients(material: Material, seconds: float) -> dict:
    from msprec.probe.update_gradients import update_gradients

    found = update_gradients(material, seconds)
    return {"gradients": found} if found is not None else {}


def _terms(material: Material, seconds: float) -> list:
    from msprec.probe.loss_terms import loss_terms

    return loss_terms(material, seconds)


def _labels(material: Material, seconds: float) -> dict:
    from msprec.probe.confident_learning import label_suspects

    found = label_suspects(material, seconds)
    return {"labels": found} if found is not None else {}


def _further(material: Material, seconds: float, so_far: Optional[tuple], most: float) -> dict:
    from msprec.probe.further_training import further_training

    with material.as_in_training():
        found = further_training(material, seconds, so_far, most)
    return {"further": found} if found is not None else {}


def _rates(material: Material, seconds: float, so_far: Optional[tuple]) -> dict:
    from msprec.probe.learning_rate_probe import range_test

    with material.as_in_training():
        return range_test(material, seconds, so_far)


def reached(writer, before: int = 0) -> Optional[tuple]:
    """``(number of losses, the first beyond noise, mean of their second tenth, of their last tenth)`` of the run, the last NaN
    where the last loss is. The first: the mean of three less two of its standard errors, or of a tenth where that is more.

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
    return len(losses), first, early, end


def _try(facts: dict, name: str, probe: Callable) -> None:
    """Runs a probe; where it cannot be made, says why."""
    from msprec.probe.learning_rate_probe import Cannot

    began = time.monotonic()
    try:
        probe()
    except Cannot as why:
        facts["skipped"][name] = str(why)
    except Exception as error:
        facts["skipped"][name] = f"failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    finally:
        facts["took"][name] = round(time.monotonic() - began, 3)


@contextlib.contextmanager
def _announced():
    """A progress bar on a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    stream = sys.stderr
    with Progress(console=Console(file=stream), transient=True, disable=not stream.isatty()) as progress:
        task = progress.add_task("msprec: probes", total=None)
        yield lambda name: progress.update(task, description=f"msprec: probe {name}")
