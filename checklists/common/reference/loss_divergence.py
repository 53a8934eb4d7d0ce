"""The run compared with the reference run (``--reference-run``): where the loss curves diverge, and to which items that points.

The logic is the guide's: a first loss that differs comes from the forward pass, the initial weights, the data or what is
random; a second one from the backward pass, the optimizer or the order of the data; a later one from that step. What both
runs recorded then rules out: with equal initial weights the weights are not the cause, and where both start from other random
values the losses prove nothing of the rest.
"""

from typing import NamedTuple, Optional

import numpy as np

from msprec.bilingual import Text
from msprec.checklists.common.reference.fact_differences import ComparedFact, all_compared
from msprec.compare.errors import CannotRead
from msprec.compare.losses.compare import compare_losses
from msprec.compare.losses.files import Losses
from msprec.engine.run_data import RunData

#: The kinds of facts whose difference an item speaks of.
ITEM_OF = {
    "files": "ds.04",
    "columns": "dp.01",
    "processing": "dp.01",
    "shuffle": "dp.03",
    "rate": "hp.01",
    "length": "hp.02",
    "batch": "hp.03",
    "optimizer": "api.01",
    "trained": "cg.02",
    "parameters": "cg.03",
    "loss": "cg.04",
    "scale": "mp.02",
}
_LEAST = 20  # common steps from which on the ends of two courses are compared
_LARGEST_STEP = 2**53


class LossEndpoints(NamedTuple):
    """Means of the first and last tenth of the common steps: of the reference (a) both, of the run (b) the last; ``broken``: the
    run's last losses are not finite."""

    first_a: float
    last_a: float
    last_b: float
    broken: bool


def _finite_mean(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")


class ReferenceComparison:
    """What comparing a run with its reference run found."""

    def __init__(self, run_data: RunData):
        consulted = list(run_data.consulted)
        self.run_data, self.reference = run_data, run_data.reference_run
        self.parting, self.unavailable_reason = self._compare()
        self.facts = all_compared(run_data, self.parting.offset if self.parting is not None else 0)
        self.loaded_here = _loaded(run_data.loads)
        self.loaded_there = _loaded(self.reference.loads)
        run_data.consulted = consulted

    def _compare(self) -> tuple:
        """(the Parting, None), or (None, why there is none)."""
        here, there = _of_run(self.run_data), _of_reference(self.reference)
        if here is None or there is None:
            return None, Text("有一方没有记录 loss", "one of the runs has recorded no loss")
        try:
            with np.errstate(all="ignore"):
                return compare_losses(there, here), None
        except CannotRead:
            return None, Text("两者没有共同的 step", "the two have no step in common")

    @property
    def name(self) -> str:
        return self.reference.name or self.reference.source or "reference"

    @property
    def case(self) -> str:
        """As `Parting.case`; "" without one."""
        return self.parting.case if self.parting is not None else ""

    def differing(self, *kinds: str) -> list:
        return [self.facts[kind] for kind in kinds or self.facts if self.facts[kind].differs]

    def equal(self, *kinds: str) -> bool:
        return all(self.facts[kind].state == "equal" for kind in kinds)

    @property
    def random(self) -> list:
        """What is drawn anew in each of the runs, so that their losses cannot be equal: "initial", "order"."""
        weights = [] if self.loaded_here or self.loaded_there else ["initial"]
        return [kind for kind in (*weights, "order") if self.facts[kind].state == "other"]

    @property
    def initial(self) -> Optional[ComparedFact]:
        """Initial values of another distribution; None where they are not known to be."""
        found = self.facts["initial"]
        return found if found.differs else None

    @property
    def step(self) -> Optional[int]:
        """The step to look at: where the losses jump, part for good, or first differ."""
        found = self.parting
        at = next((at for at in (found.jumps, found.parts, found.differs) if at is not None), None) if found else None
        return None if at is None else int(found.steps[at])

    @property
    def gradual(self) -> bool:
        """Apart little by little, at no one step."""
        return self.parting is not None and self.parting.jumps is None

    # --- how the two end ----------------------------------------------------------------------------------------

    @property
    def ends(self) -> Optional[LossEndpoints]:
        found = self.parting
        if found is None or len(found.steps) < _LEAST:
            return None
        part = max(3, len(found.steps) // 10)
        pieces = found.a[:part], found.a[-part:], found.b[-part:]
        first_a, last_a, last_b = (_finite_mean(piece) for piece in pieces)
        broken = not np.isfinite(pieces[2]).all() and bool(np.isfinite(pieces[1]).all())
        # the first loss alone says where a course began that leapt at its first update
        if np.isfinite(found.a[0]) and found.a[0] < first_a:
            first_a = float(found.a[0])
        return LossEndpoints(first_a, last_a, last_b, broken)

    @property
    def far_worse(self) -> bool:
        """The reference learned, and the run made less than half of its progress over the common steps."""
        ends = self.ends
        if ends is None or not ends.first_a - ends.last_a > 0.1 * abs(ends.first_a):
            return False
        lag = ends.last_b - ends.last_a
        return ends.broken or lag > self.run_data.limit("hp.01.reference_gain") * (ends.first_a - ends.last_a)

    @property
    def keeps_up(self) -> bool:
        """The run ends about as low as the reference, which learned, or lower."""
        ends = self.ends
        if ends is None or ends.broken or not ends.first_a - ends.last_a > 0.1 * abs(ends.first_a):
            return False
        return ends.last_b - ends.last_a <= 0.1 * (ends.first_a - ends.last_a)

    # --- what the losses point at -------------------------------------------------------------------------------

    def pointed(self) -> dict:
        """{item: sentence} of the items that the course of the losses points at; see the module."""
        if self.case == "first":
            return self._forward()
        if self.case == "second":
            return self._backward()
        return self._later() if self.case == "later" else {}

    @property
    def acting(self) -> list:
        """The facts that differ and act where the losses begin to differ, at the first or the second step; by `ComparedFact`."""
        kinds = {
            "first": ("initial", "files", "columns", "processing", "parameters", "loss"),
            "second": ("rate", "optimizer", "trained", "scale"),
        }
        return self.differing(*kinds[self.case]) if self.case in kinds else []

    def item_of(self, one: ComparedFact) -> str:
        """The item that speaks of a difference."""
        if one.kind == "initial":
            return "wi.02" if self.loaded_here or self.loaded_there else "api.01"
        return ITEM_OF.get(one.kind, "")

    def _forward(self) -> dict:
        if self.random or self.acting:  # what is random, or plainly differs, explains the first loss
            return {}
        head = Text(
            "与标杆运行相比，第一个 step 的 loss 就不同", "The first loss already differs from the reference run's"
        )
        found = {}
        if not self.equal("initial"):
            item = "wi.02" if self.loaded_here or self.loaded_there else "wi.01"
            found[item] = _sentence(head, "确认两边的初始权重相同", "make sure that both start from the same weights")
        if not self.equal("order"):
            if not self.equal("files"):
                found["ds.04"] = _sentence(head, "确认两边读取的是同一份数据", "make sure that both read the same data")
            found["dp.01"] = _sentence(
                head, "确认第一个 batch 经过同样的处理", "make sure that the first batch is prepared alike"
            )
        ruled = self.equal("initial", "order")
        alike = Text(
            "，而初始权重与第一批样本相同，原因在前向计算",
            ", with equal initial weights and first samples: the forward pass",
        )
        head = Text("{head}{alike}", "{head}{alike}", head=head, alike=alike) if ruled else head
        found["cg.03"] = _sentence(head, "逐层比较前向结果", "compare the forward results layer by layer")
        found["cg.04"] = _sentence(
            head, "核对 loss 函数的种类、参数与 reduction", "check the loss, its arguments and reduction"
        )
        found["api.01"] = _sentence(
            head, "核对前向用到的 API 的参数", "check the arguments of the APIs of the forward pass"
        )
        return found

    def _backward(self) -> dict:
        head = Text(
            "与标杆运行相比，第一个 step 的 loss 相同，第二个不同",
            "Compared with the reference run the first loss is equal and the second is not",
        )
        told = {self.item_of(one) for one in self.acting}
        found = {}
        if not self.equal("rate"):
            found["hp.01"] = _sentence(head, "核对学习率", "check the learning rate")
        if not self.equal("optimizer"):
            found["api.01"] = _sentence(head, "核对优化器的种类与参数", "check the optimizer and its arguments")
        if not self.equal("trained"):
            found["cg.02"] = _sentence(head, "核对哪些权重在更新", "check which weights are updated")
        if self._scaled:
            found["mp.02"] = _sentence(head, "核对 loss scale", "check the loss scale")
            found["mp.03"] = _sentence(head, "核对反缩放与梯度裁剪的次序", "check the order of unscaling and clipping")
        # where a setting plainly differs it is looked at first
        return {item: says for item, says in found.items() if item in told} if told else found

    @property
    def _scaled(self) -> bool:
        steps = [*self.run_data.train_steps, *self.reference.train_steps]
        halves = (self.run_data.precision.half_compute, self.reference.half_compute)
        return any(step.loss_scale.kind in ("dynamic", "fixed") for step in steps) or True in halves

    def _later(self) -> dict:
        step = self.step
        if step is None:
            return {}
        found: dict[str, Text] = {}
        head = Text(
            "与标杆运行的 loss 从 step {step} 起分开",
            "The losses begin to differ from the reference run's at step {step}",
            step=step,
        )
        rate = self.facts["rate"]
        if rate.differs and rate.step is not None and rate.step <= step:
            found["hp.01"] = _sentence(
                head, "学习率从 step {at} 起不同", "the learning rates differ from step {at} on", at=rate.step
            )
        if self._overflows(step):
            found["mp.01"] = _sentence(head, "这里在这一步附近溢出", "this run overflows about there")
        if self._new_epoch(step):
            found["dp.03"] = _sentence(
                head,
                "这是一个 epoch 的开头，核对该 epoch 数据的次序",
                "an epoch begins there: compare the order of its data",
            )
        if found or self.gradual:
            return found
        if self._scaled:
            found["mp.01"] = _sentence(head, "看这一步是否溢出", "see whether that step overflows")
        found["dp.03"] = _sentence(head, "核对这一步的数据是否相同", "compare the data of that step")
        return found

    def _own_steps(self, step: int) -> np.ndarray:
        """Where the run's own table holds the steps about ``step`` (of the reference's count)."""
        return np.abs(self.run_data.steps()["step"] + self.parting.offset - (step - 0.5)) <= 1.5

    def _overflows(self, step: int) -> bool:
        steps = self.run_data.steps()
        near = self._own_steps(step)
        flagged = "overflow" in steps and bool((steps["overflow"][near] == 1).any())
        lost = "loss" in steps and bool((steps.seen("loss")[near] & ~np.isfinite(steps["loss"][near])).any())
        return flagged or lost

    def _new_epoch(self, step: int) -> bool:
        steps = self.run_data.steps()
        if "epoch" not in steps:
            return False
        at = np.flatnonzero(steps["step"] + self.parting.offset == step)
        return bool(len(at) and at[0] > 0 and steps["epoch"][at[0]] != steps["epoch"][at[0] - 1])


def _sentence(head: Text, zh: str, en: str, **values) -> Text:
    return Text("{head}：{rest}。", "{head}: {rest}.", head=head, rest=Text(zh, en, **values))


def _loaded(loads: list) -> bool:
    return any(not load.optimizer and (load.loaded or load.at_start.kept) for load in loads)


def _of_run(run_data: RunData) -> Optional[Losses]:
    steps = run_data.steps()
    if "loss" not in steps:
        return None
    seen = steps.seen("loss")
    return _losses("run", steps["step"][seen], steps["loss"][seen], np.zeros(int(seen.sum())), True, ())


def _of_reference(reference) -> Optional[Losses]:
    course = reference.course
    steps = np.asarray(course.step, float)
    values = np.asarray(course.loss, float)
    rounding = np.array([one or 0.0 for one in course.rounding] or np.zeros(len(steps)), dtype=float)
    if not len(steps) or not len(steps) == len(values) == len(rounding):
        return None
    rounding = np.where(np.isfinite(rounding) & (rounding >= 0), rounding, 0.0)
    return _losses(reference.name or "", steps, values, rounding, reference.numbered is not False, _notes(reference))


def _notes(reference) -> tuple:
    known = ("unnumbered", "epoch_of")
    return tuple(note for note in reference.notes if note and note.partition(":")[0] in known)


def _losses(name: str, steps, values, rounding, numbered: bool, notes: tuple) -> Optional[Losses]:
    good = np.isfinite(steps) & (np.abs(steps) < _LARGEST_STEP)
    if not good.any():
        return None
    unique, at = np.unique(steps[good].astype(np.int64), return_index=True)
    return Losses(name, unique, values[good][at], rounding[good][at], numbered, notes)
