"""Keeps what a replay needs while a training runs, and tells the place once something is not finite."""

import time
from pathlib import Path
from typing import Callable, Optional

import numpy as np

from msprec.callbacks.kept_steps import Bad, KeptStep, StepKeeper
from msprec.locate.capsule import save_capsule

#: Share of the run's time that copying weights may take, the seconds that are free, and the places told in one run.
SHARE, GRACE, MOST = 0.005, 0.05, 4
FINITE = "the replayed step is finite"


class WeightCopies:
    """Copies of the parameters before a step, as long as copying is cheap.

    Copies are made on a CPU only: on another device each would make the host wait, and there a step whose weights have
    changed since is told to be not replayable exactly. The share of time is `SHARE`; where it does not suffice for every
    step, some steps have no copy.
    """

    def __init__(self) -> None:
        self._parameters, self._began, self._spent, self._cost = None, time.monotonic(), 0.0, 0.0
        #: Whether the copies taken last hold NaN or infinity: a loss can stay finite over them
        self.spoilt = False

    def take(self, roots: list) -> Optional[dict]:
        """``{id(parameter): array}`` of all parameters below ``roots``, or None where it would cost too much."""
        from msprec.callbacks.tensors import on_cpu
        from msprec.locate.replay import all_parameters

        now = time.monotonic()
        if self._spent + self._cost > GRACE + SHARE * (now - self._began) or not on_cpu():
            return None
        if self._parameters is None or self._parameters[0] != [id(root) for root in roots]:
            self._parameters = ([id(root) for root in roots], all_parameters(roots))
        copies = {id(p): p.asnumpy().copy() for p in self._parameters[1]}
        self.spoilt = any(a.dtype.kind == "f" and not _all_finite(a) for a in copies.values())
        self._cost = time.monotonic() - now
        self._spent += self._cost
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
    """

    def __init__(self, event: Callable, folder: Path) -> None:
        self._event, self._folder, self.told, self._seen = event, folder, [], set()

    def tell(self, keeper: StepKeeper, bad: Bad) -> Optional[dict]:
        """Replays the step, or the one before it where that one spoilt the weights; writes one event."""
        if len(self.told) >= MOST or bad.what in self._seen:
            return None
        self._seen.add(bad.what)
        began = time.monotonic()
        step, kept, facts = self._find(keeper, bad)
        facts = {"because": bad.what, **facts, "seconds": round(time.monotonic() - began, 3)}
        if any(step == before and facts.get("place") == earlier.get("place") for before, earlier in self.told):
            return None
        if kept is not None and not self.told:
            save_capsule(self._folder, kept, kept.build(kept.batch).parameters, keeper.loss_of(step), facts)
        self.told.append((step, facts))
        self._event("located", step, **facts)
        return facts

    def _find(self, keeper: StepKeeper, bad: Bad) -> tuple:
        kept, facts = _replayed(keeper, bad.step)
        if facts.get("phase") != "update":
            return bad.step, kept, facts
        earlier, before = _replayed(keeper, bad.step - 1)
        if before.get("phase") in ("data", "forward", "backward"):
            return bad.step - 1, earlier, before
        if before.get("why_not") == FINITE:
            # its loss and its gradients were finite, and yet the weights were not afterwards
            return bad.step - 1, earlier, facts
        return bad.step, kept, facts


def _replayed(keeper: StepKeeper, step: int) -> tuple:
    """``(kept, facts)`` of a step's replay; of several forward passes, the first that is not finite."""
    kept, facts = None, {"phase": None, "why_not": "the step is no longer kept"}
    for one in keeper.all_kept(step):
        if one.build is None:
            continue
        kept, facts = one, _replay(one, keeper)
        if facts["phase"] is not None:
            break
    return kept, facts


def _replay(kept: KeptStep, keeper: StepKeeper) -> dict:
    from msprec.locate.locate import locate

    try:
        facts = locate(kept.build(kept.batch), keeper.loss_of(kept.step), kept.random_state, kept.weights)
    except Exception as error:
        return {"phase": None, "why_not": f"the replay failed: {type(error).__name__}: {error}"[:500]}
    if facts["phase"] is None:
        facts["why_not"] = FINITE
    if kept.weights is None:
        facts["weights"] = "as they are now: those before the step were not kept"
    return facts
