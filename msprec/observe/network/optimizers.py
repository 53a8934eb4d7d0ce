"""Optimizers: their hyper-parameters as they hold them, and the learning rate of a step."""

from typing import Optional

from msprec.callbacks.learning_rate import LearningRate
from msprec.runtime.source_locations import user_place

#: What optimizers call the number that keeps their division from one by zero.
_EPS = ("eps", "epsilon")


def _number(value) -> Optional[float]:
    """A hyper-parameter as a float; None when it is no single number."""
    if isinstance(value, (int, float)):
        return float(value)
    if hasattr(value, "asnumpy") and value.size == 1:
        return float(value.asnumpy().reshape(-1)[0])
    return None


def _setting(optimizer, name: str) -> Optional[float]:
    """A setting of the optimizer; of those of ``mindspore.experimental`` and ``mint`` what all groups have."""
    values = {_number(group.get(name)) for group in getattr(optimizer, "param_groups", None) or [{}]}
    of_groups = values.pop() if len(values) == 1 else None
    own = _number(getattr(optimizer, name, None))
    return of_groups if own is None else own


def _betas(optimizer) -> Optional[list]:
    """Of Adam and its kin how much of the means of gradients and of their squares an update leaves."""
    groups = getattr(optimizer, "param_groups", None) or [{}]
    of_groups = [_number(one) for one in groups[0].get("betas") or ()]
    found = of_groups or [_setting(optimizer, name) for name in ("beta1", "beta2")]
    return found if len(found) == 2 and None not in found else None


def _count(optimizer) -> Optional[int]:
    """MindSpore's own optimizers count their updates in ``global_step``, in graph mode too."""
    value = _number(getattr(optimizer, "global_step", None))
    return None if value is None else int(value)


def rate_facts(rate: LearningRate, steps: int) -> dict:
    """The entry ``learning_rate`` of ``optimizer.json``: the rates of the first update and of the last of ``steps``."""
    sources = rate.groups
    ends = [[source.at(count) for count in (0, max(0, steps - 1))] for source in sources]
    first, last = ends[0] if ends else (None, None)
    return {
        "kind": rate.kind,
        "value": first if rate.kind == "constant" else None,
        "first": first,
        "last": last,
        "values": len(sources[0]) if rate.kind == "list" else None,  # type: ignore[arg-type]
        "class": sources[0].name if rate.kind == "schedule" else None,
        "groups": [list(end) for end in ends[:64]] if rate.kind == "groups" else None,
    }


class OptimizerObserver:
    """Every optimizer the script makes, and which of them took part in a step."""

    def __init__(self, observer) -> None:
        self._observer = observer
        self.made, self.used, self.first_updates = [], {}, {}
        #: ``{id(optimizer): [first, last]}``: the steps that it took part in, counted as in ``modes.json``
        self.spans = {}

    def install(self, patches) -> None:
        for name in ("optimizer_init", "experimental_optimizer_init"):
            patches.hook(name, self._watch_init)

    def _watch_init(self, original):
        def __init__(optimizer, *args, **kwargs):
            original(optimizer, *args, **kwargs)
            self._observer.guarded_call(self.created, optimizer, user_place(2))

        return __init__

    def created(self, optimizer, place: Optional[dict]) -> None:
        self.made.append((optimizer, place))

    def in_use(self, optimizer) -> LearningRate:
        """Notes that ``optimizer`` takes part in training; its learning rate."""
        rate = self.used.get(id(optimizer))
        if rate is None:
            rate = self.used[id(optimizer)] = LearningRate(optimizer, None)
            self.first_updates[id(optimizer)] = (optimizer, _count(optimizer))
        return rate

    def takes_part(self, optimizers, step: int) -> None:
        """Notes that they take part in the step after ``step`` others."""
        for optimizer in optimizers:
            self.spans.setdefault(id(optimizer), [step, step])[1] = step

    def updating(self, parameters: set, first: int, last: int) -> bool:
        """Whether an optimizer that took part in one of these steps has one of the parameters (ids) that learn."""
        return any(
            id(p) in parameters and p.requires_grad
            for optimizer, _ in self.first_updates.values()
            if self._between(optimizer, first, last)
            for p in optimizer.parameters
        )

    def _between(self, optimizer, first: int, last: int) -> bool:
        begin, end = self.spans.get(id(optimizer), (first, last))
        return begin <= last and first <= end

    def updates(self, all_of_them: bool = False) -> Optional[int]:
        """Updates that the used optimizers made by their own count, the most of any, or of all of them together; None where
        none of them counts."""
        made = [self._updates_of(optimizer) for optimizer, _ in self.first_updates.values()]
        known = [count for count in made if count is not None]
        return (sum(known) if all_of_them else max(known)) if known else None

    def in_sequence(self) -> bool:
        """Whether several were used, each in steps of its own before or after those of the others, as of one training after the
        other."""
        spans = sorted(self.spans.values())
        return len(spans) > 1 and all(one[1] < other[0] for one, other in zip(spans, spans[1:]))

    def _updates_of(self, optimizer) -> Optional[int]:
        _, before = self.first_updates.get(id(optimizer), (None, None))
        after = _count(optimizer)
        return None if before is None or after is None else after - before

    def parameter_ids(self) -> Optional[set]:
        """ids of the parameters of the used optimizers (of all, when none was seen in use)."""
        optimizers = [o for o, _ in self.made if not self.used or id(o) in self.used]
        if not optimizers:
            return None
        return {id(p) for o in optimizers for p in o.parameters}

    def facts(self, steps: int) -> dict:
        listed = []
        for number, (optimizer, place) in enumerate(self.made):
            rate = self.used.get(id(optimizer)) or LearningRate(optimizer, None)
            made = self._updates_of(optimizer)
            listed.append(
                {
                    "id": number,
                    "class": type(optimizer).__name__,
                    "place": place,
                    "used": id(optimizer) in self.used,
                    "steps": [step + 1 for step in self.spans[id(optimizer)]] if id(optimizer) in self.spans else None,
                    "updates": made,
                    "learning_rate": rate_facts(rate, steps if made is None else made),
                    "momentum": _setting(optimizer, "momentum"),
                    "eps": next((one for name in _EPS if (one := _setting(optimizer, name)) is not None), None),
                    "betas": _betas(optimizer),
                    "weight_decay": _setting(optimizer, "weight_decay"),
                    "loss_scale": _number(getattr(optimizer, "loss_scale", None)),
                    "parameters": len(optimizer.parameters),
                    "parameter_names": [p.name for p in optimizer.parameters],
                }
            )
        return {"optimizers": listed}
