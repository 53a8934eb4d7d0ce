"""Keeps what a replay needs while a training runs, and tells the place once something is not finite."""

import math
import time
from pathlib import Path
from typing import Callable, Optional

import numpy as np

from msprec.callbacks.step_snapshots import BadStep, KeptStep, StepKeeper
from msprec.locate.outlier_samples import outlier_in, without
from msprec.locate.replay_step import locate
from msprec.locate.saved_step import save_capsule
from msprec.record.time_budget import Budget
from msprec.record.writer import warn_once
from msprec.runtime.cells import all_parameters
from msprec.runtime.tensor_snapshot import on_cpu, wait_for

#: Share of the run's time that copying weights may take, the seconds that are free, and the places told in one run.
SHARE, GRACE, MOST = 0.003, 0.2, 4
FINITE = "the replayed step is finite"
#: What is wrong whatever the size of the values.
_NOT_BY_SIZE = ("log", "division", "negative_root", "root_at_zero", "index_out_of_range")


class WeightCopies:
    """Copies of the parameters before a step, as long as copying is cheap.

    Copies are made on a CPU only: on another device each would make the host wait, and there a step whose weights have
    changed since is told to be not replayable exactly. The share of time is `SHARE`; where it does not suffice for every
    step, some steps have no copy.
    """

    def __init__(self) -> None:
        self._parameters, self._budget, self._copying = None, Budget(SHARE, GRACE), True
        #: Whether the copies taken last hold NaN or infinity: a loss can stay finite over them
        self.spoilt = False

    def due_at(self) -> float:
        """When copies are made again, by `time.monotonic`."""
        return self._budget.due_at() if self._copying else math.inf

    def take(self, roots: list) -> Optional[dict]:
        """``{id(parameter): array}`` of all parameters below ``roots``, or None where it would cost too much."""
        if not self._copying or not self._budget.due():
            return None
        self._copying = on_cpu()
        if not self._copying:
            return None
        if self._parameters is None or self._parameters[0] != [id(root) for root in roots]:
            self._parameters = ([id(root) for root in roots], all_parameters(roots))
        wait_for(self._parameters[1])
        with self._budget.spending():
            copies = {id(p): p.asnumpy().copy() for p in self._parameters[1]}
            self.spoilt = any(a.dtype.kind == "f" and not _all_finite(a) for a in copies.values())
        return copies


def _all_finite(array: np.ndarray) -> bool:
    # a sum is faster than looking at each element, and finite only if all are
    with np.errstate(all="ignore"):
        return bool(np.isfinite(array.sum(dtype=np.float64))) or bool(np.isfinite(array).all())


class Locator:
    """Locates the bad steps that a `StepKeeper` finds.

    Args:
        event: Called as ``event("located", step, **facts)``.
        folder: Where the first located step is written, for `msprec locate`.
        alone: Whether this process trains by itself. Where it does not, a bad step is kept and not replayed: a replay
            of one rank would wait for the others wherever the network or the step talks to them.
        warn: Whether the first place is one line of warning too.
    """

    def __init__(self, event: Callable, folder: Path, alone: bool = True, warn: bool = True) -> None:
        self._event, self._folder, self._alone, self._warn = event, folder, alone, warn
        self.told, self._seen = [], set()

    def tell(self, keeper: StepKeeper, bad: BadStep) -> Optional[dict]:
        """Replays the step, or the one before it where that one spoilt the weights; writes one event."""
        if len(self.told) >= MOST or bad.what in self._seen:
            return None
        self._seen.add(bad.what)
        if bad.what == "crash":
            # after an error on the device another one may end the process
            return self._keep(keeper, bad, "an error ended the step, which is kept: `msprec locate RUN` replays it")
        if not self._alone:
            return self._keep(keeper, bad, "a step of several ranks is kept, and not replayed while they train")
        began = time.monotonic()
        step, kept, facts = self._find(keeper, bad)
        facts = {"because": bad.what, **facts, "seconds": round(time.monotonic() - began, 3)}
        if any(step == before and facts.get("place") == earlier.get("place") for before, earlier in self.told):
            return None
        return self._told(keeper, step, kept, facts)

    def _keep(self, keeper: StepKeeper, bad: BadStep, why: str) -> Optional[dict]:
        kept = next((one for one in reversed(keeper.all_kept(bad.step)) if one.build is not None), None)
        if kept is None:
            return None
        return self._told(keeper, bad.step, kept, {"because": bad.what, "phase": None, "why_not": why})

    def _told(self, keeper: StepKeeper, step: int, kept: Optional[KeptStep], facts: dict) -> dict:
        if kept is not None and not self.told:
            save_capsule(self._folder, kept, kept.build(kept.batch).parameters, _loss_of(keeper, kept), facts)
        self.told.append((step, facts))
        self._event("located", step, **facts)
        if self._warn and facts.get("phase") and facts.get("place"):
            warn_once(self, _in_words(step, facts))
        return facts

    def _find(self, keeper: StepKeeper, bad: BadStep) -> tuple:
        kept, facts = _replayed(keeper, bad.step)
        if facts.get("phase") != "update":
            return bad.step, kept, facts
        earlier, before = _replayed(keeper, bad.step - 1)
        if before.get("phase") in ("data", "forward", "backward"):
            return bad.step - 1, earlier, before
        if before.get("exact") is False:
            # replayed from weights that were spoilt by then: of the step before nothing is known but that it spoilt them
            return (
                bad.step,
                kept,
                {**facts, "why_not": f"step {bad.step - 1} cannot be repeated: its weights were not kept"},
            )
        if before.get("why_not") == FINITE:
            # its loss and its gradients were finite, and yet the weights were not afterwards
            found = outlier_in(_inputs(earlier)) if earlier is not None else None
            return (
                bad.step - 1,
                earlier,
                {**facts, **({"outlier": {**found.facts(), "proved": False}} if found else {})},
            )
        return bad.step, kept, facts


def _in_words(step: int, facts: dict) -> str:
    """One line: step, expression, place and cell of the first value that is not finite."""
    place, cell = facts["place"], facts.get("cell")
    expression = facts.get("expression") or facts.get("operator") or facts.get("parameter") or ""
    inside = f" (cell {cell})" if cell else ""
    told = f"`{expression}` at {place['file']}:{place['line']}{inside}"
    return f"the first NaN or infinity is made at step {step}, {facts['phase']}: {told}"


def _replayed(keeper: StepKeeper, step: int) -> tuple:
    """``(kept, facts)`` of a step's replay; of several forward passes, the first that is not finite."""
    kept, facts = None, {"phase": None, "why_not": keeper.why_not_kept(step)}
    for one in keeper.all_kept(step):
        if one.build is None:
            continue
        kept, facts = one, _replay(one, _loss_of(keeper, one))
        if facts["phase"] is not None:
            break
    return kept, facts


def _inputs(kept: KeptStep) -> tuple:
    return tuple(kept.batch) if isinstance(kept.batch, (tuple, list)) else (kept.batch,)


def _by_outlier(kept: KeptStep) -> dict:
    """``{"outlier"}`` where the step is finite once samples far larger than the others are cut off."""
    try:
        found = outlier_in(_inputs(kept))
        if found is None:
            return {}
        again = locate(kept.build(without(_inputs(kept), found)), None, kept.random_state, kept.weights)
    except Exception:  # of a place that is known already nothing is lost
        return {}
    return {"outlier": {**found.facts(), "proved": True}} if again["phase"] is None else {}


def _loss_of(keeper: StepKeeper, kept: KeptStep) -> Optional[float]:
    """The recorded loss of a forward pass: a step records that of its last one."""
    return keeper.loss_of(kept.step) if kept is keeper.all_kept(kept.step)[-1] else None


def _replay(kept: KeptStep, loss: Optional[float]) -> dict:
    try:
        facts = locate(kept.build(kept.batch), loss, kept.random_state, kept.weights)
    except Exception as error:
        return {"phase": None, "why_not": f"the replay failed: {type(error).__name__}: {error}"[:500]}
    if facts["phase"] is None:
        facts["why_not"] = FINITE
    elif facts["phase"] in ("forward", "backward") and facts.get("pattern") not in _NOT_BY_SIZE:
        facts.update(_by_outlier(kept))
    if kept.weights is None:
        facts["weights"] = "as they are now: those before the step were not kept"
    return facts
