"""Remedies at the optimizer: another learning rate, the parameters that were not handed to it."""

import math
from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.source_edit import NoPlace, Project, argument, with_argument


class _LearningRate(Remedy):
    answers = ("hp.01", "td.", "mp.01")
    factor = 1.0

    def fits(self) -> bool:
        return self.case.optimizer() is not None

    def hook(self) -> Optional[dict]:
        return {"name": "learning_rate", "factor": self.factor}

    def _rate(self) -> Optional[float]:
        return ((self.case.optimizer() or {}).get("learning_rate") or {}).get("value")

    def edit(self, project: Project) -> None:
        optimizer = self.case.optimizer()
        file = project.file(optimizer["place"]["file"])
        call = file.call_at(optimizer["place"]["line"], optimizer["class"])
        experimental = argument(call, "lr") is not None
        given = argument(call, "lr") or argument(call, "learning_rate", 1)
        if any(arg.star for arg in call.args):
            raise NoPlace(f"the arguments of {optimizer['class']} are starred")
        rate = self._rate()
        if given is None:
            if rate is None:
                raise NoPlace("the learning rate is not known")
            keyword = "lr" if experimental else "learning_rate"
            file.change(call, lambda node: with_argument(node, keyword, _short(rate * self.factor)))
        elif isinstance(given.value, (cst.Float, cst.Integer)):
            file.replace(given.value, _short(float(file.code(given.value)) * self.factor))
        elif rate is not None:
            code, factor = file.code(given.value), _short(self.factor)
            simple = isinstance(given.value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
            file.replace(given.value, f"{code} * {factor}" if simple else f"({code}) * {factor}")
        else:
            raise NoPlace("the learning rate is a list or a schedule")

    def code(self) -> Optional[str]:
        rate = self._rate()
        return f"learning_rate={_short(rate * self.factor)}" if rate else f"learning rate * {_short(self.factor)}"


class LowerRate(_LearningRate):
    """The learning rate divided by 10."""

    id = "lr_lower"
    title = Text("学习率除以 10", "learning rate divided by 10")
    factor = 0.1


class HigherRate(_LearningRate):
    """The learning rate times 10."""

    id = "lr_higher"
    title = Text("学习率乘以 10", "learning rate times 10")
    answers = ("hp.01", "td.")
    factor = 10.0


class MuchLowerRate(_LearningRate):
    """The learning rate divided by 100."""

    id = "lr_much_lower"
    title = Text("学习率除以 100", "learning rate divided by 100")
    factor = 0.01
    after = "lr_lower"


class MuchHigherRate(_LearningRate):
    """The learning rate times 100."""

    id = "lr_much_higher"
    title = Text("学习率乘以 100", "learning rate times 100")
    answers = ("hp.01", "td.")
    factor = 100.0
    after = "lr_higher"


class FarHigherRate(_LearningRate):
    """The learning rate times 1000."""

    id = "lr_far_higher"
    title = Text("学习率乘以 1000", "learning rate times 1000")
    answers = ("hp.01", "td.")
    factor = 1000.0
    after = "lr_much_higher"


class RangeTestRate(_LearningRate):
    """The rate at which the loss of the run's range test falls fastest; where that is outside of the range in which it falls,
    the middle of this range."""

    id = "lr_range_test"
    title = Text("采用学习率范围测试的结果", "learning rate of the range test")
    answers = ("hp.01", "td.")

    def fits(self) -> bool:
        return super().fits() and self._found() is not None

    def _wanted(self) -> Optional[float]:
        """The rate to train with."""
        test = self.case.facts("range_test")
        rate, lower, upper = test.get("steepest"), test.get("lower"), test.get("upper")
        if lower and upper and not (rate and lower <= rate <= upper):
            return math.sqrt(lower * upper)
        return rate

    def _found(self) -> Optional[float]:
        rate, used = self._wanted(), self.case.facts("range_test").get("used")
        if not rate or not used or 0.5 < rate / used < 2:
            return None
        return rate / used

    @property
    def factor(self) -> float:
        return self._found() or 1.0


class MiddleRangeTestRate(RangeTestRate):
    """The middle, as a factor, between the rate of the range test and the largest with which its loss still falls: the test sees
    a few updates, and a rate that is best for these may be small for a whole training."""

    id = "lr_range_middle"
    title = Text("学习率范围测试的结果与上限之间", "between the range test's learning rate and its largest")
    after = "lr_range_test"
    must_help = True

    def _wanted(self) -> Optional[float]:
        first, upper = super()._wanted(), self.case.facts("range_test").get("upper")
        return math.sqrt(first * upper) if first and upper and upper > 4 * first else None


class UpperRangeTestRate(MiddleRangeTestRate):
    """Half of the largest rate with which the loss of the range test still falls: the best constant rate is usually within a
    factor of two of that (Bengio, Practical recommendations for gradient-based training, 2012)."""

    id = "lr_range_upper"
    title = Text("采用学习率范围测试上限的一半", "half of the range test's largest learning rate")
    after = "lr_range_middle"

    def _wanted(self) -> Optional[float]:
        return self.case.facts("range_test")["upper"] / 2 if super()._wanted() else None


class AllParameters(Remedy):
    """Weights that neither trained nor were handed to the optimizer are, and require gradients."""

    id = "all_parameters"
    title = Text("全部权重交给优化器", "all weights handed to the optimizer")
    answers = ("cg.02",)

    def fits(self) -> bool:
        return self.case.optimizer() is not None and bool(self._names())

    def _names(self) -> list:
        entries = self.case.facts("parameters").get("parameters", [])
        learning = [one for one in entries if one.get("kind") not in ("buffer", "statistic")]
        missing = [
            one for one in learning if one.get("in_optimizer") is False and "moving_" not in str(one.get("name"))
        ]
        return [one["name"] for one in missing]

    def hook(self) -> Optional[dict]:
        return {"name": "all_parameters", "names": self._names()}

    def edit(self, project: Project) -> None:
        optimizer = self.case.optimizer()
        file = project.file(optimizer["place"]["file"])
        call = file.call_at(optimizer["place"]["line"], optimizer["class"])
        given = argument(call, "params", 0)
        code = file.code(given.value) if given is not None else ""
        name, _, rest = code.partition(".")
        if not name.isidentifier() or not rest.endswith("trainable_params()") or "(" in rest[:-2]:
            raise NoPlace(f"the parameters of {optimizer['class']} are not those of a named cell")
        if self._frozen():
            raise NoPlace("the weights are frozen as well")
        if rest == "trainable_params()":
            raise NoPlace("the optimizer is given all weights of the cell")
        file.replace(given.value, f"{name}.trainable_params()")

    def _frozen(self) -> bool:
        wanted = set(self._names())
        entries = self.case.facts("parameters").get("parameters", [])
        return any(one["name"] in wanted and one.get("requires_grad") is False for one in entries)

    def code(self) -> Optional[str]:
        return "optimizer = nn.Momentum(network.trainable_params(), ...)  # and requires_grad=True for all of them"


def _short(value: float) -> str:
    return f"{value:.4g}"
