"""In which styles a script trains: the entries of ``train_step.json``."""

from typing import Optional

from msprec.callbacks.train_outputs import loss_scale_facts, scaler_facts
from msprec.record.overflow_rules import FLAG, LOSS, SCALE, UPDATE
from msprec.runtime.cell_origins import created_place
from msprec.runtime.closure_scan import reached_from
from msprec.runtime.environment import current_mode
from msprec.runtime.side_effects import draws_below
from msprec.runtime.source_locations import place_of_class, place_of_code, user_place

#: Calls of ``Model.train`` without an optimizer that are told.
_MOST_CALLS = 8


class StyleFacts:
    """One entry per style and function or class of the training cell.

    Args:
        observer: The run's observer.
        scalers: The loss scalers that were made, as in `LossScaling`.
    """

    def __init__(self, observer, scalers: list) -> None:
        self._observer, self._scalers = observer, scalers
        #: The entries as they grow; those of ``Model`` beside, one a call of ``train`` or ``fit``
        self.entries, self.of_models = {}, []
        #: Where ``Model.train`` was called of a model without an optimizer
        self.without_optimizer: list = []

    def note(self, style: str, cell=None, function=None) -> dict:
        """A step of ``style`` begins; returns its entry."""
        name = getattr(function, "__qualname__", None)
        key = (style, id(type(cell)) if cell is not None else None, name)
        entry = self.entries.get(key)
        if entry is None:
            entry = self.entries[key] = self._made(style, cell, function, name)
            self._observer.scale_tally.starts(entry["loss_scale"])
        entry["count"] += 1
        return entry

    def _made(self, style: str, cell, function, name: Optional[str]) -> dict:
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        place = place_of_class(type(cell)) if cell is not None else place_of_code(code)
        return {
            "style": style,
            "class": type(cell).__name__ if cell is not None else None,
            "function": name,
            "mode": current_mode(),
            "place": place or user_place(),
            "count": 0,
            "sink": False,
            "overflow_from": None,
            "loss_scale": self._loss_scale_facts(cell),
            "compiled_draws": _compiled_draws(style, cell, function),
        }

    def _loss_scale_facts(self, cell) -> dict:
        if cell is not None:
            facts = loss_scale_facts(cell)
            del facts["flag"], facts["overflow_from"]
            place = created_place(cell) or user_place()
            return {**facts, "place": place if facts["kind"] != "none" else None}
        if self._scalers:
            _, scaler, place = self._scalers[-1]
            return {**scaler_facts(scaler), "place": place}
        return scaler_facts(None)

    def facts(self, done: int, accumulation: int, final: bool = False) -> dict:
        """``train_step.json`` after ``done`` steps; the optimizers' own counts are read at the end only."""
        updates = self._observer.optimizers.updates() if final else None
        entries = []
        for entry in self._with_models():
            if not entry["count"]:
                continue
            source = entry["overflow_from"]
            if entry["style"] == "model" and source is None and entry["loss_scale"]["kind"] != "none":
                source = LOSS if entry["loss_scale"]["drop_overflow_update"] is False else FLAG
            functional = entry["style"] == "functional"
            entries.append(
                {
                    **entry,
                    "accumulation": accumulation if functional else self._steps_an_update(done, updates),
                    "updates": updates,
                    "overflow_from": source,
                    "overflow_flag": source in (FLAG, SCALE, UPDATE),
                }
            )
        return {
            "steps": entries,
            "scalers": len(self._scalers),
            "without_optimizer": self.without_optimizer[:_MOST_CALLS],
        }

    def _steps_an_update(self, done: int, updates: Optional[int]) -> int:
        """Steps that share an update: gradients accumulated inside the training cell. Skipped steps do not count."""
        applied = done - self._observer.scale_tally.overflows
        # cells with an optimizer each, as of a GAN, or one training after the other
        if len(self.entries) > 1 or self._observer.optimizers.in_sequence():
            updates = self._observer.optimizers.updates(all_of_them=True)
        return max(1, round(applied / updates)) if updates else 1

    def _with_models(self) -> list:
        """A step of `Model` is described by its call and, for the scale, by its loss scale manager."""
        entries = []
        for entry in self.entries.values():
            if entry["style"] == "model" and self.of_models:
                model = self.of_models[-1]
                entry = {**entry, "function": model["function"], "place": model["place"] or entry["place"]}
                if model["loss_scale"] is not None:
                    entry["loss_scale"] = model["loss_scale"]
            entries.append(entry)
        return entries


def _compiled_draws(style: str, cell, function) -> list:
    """What compiled code of the user's draws from the shared generators of Python or NumPy: it is drawn once, when it is
    compiled."""
    if style != "jit" and current_mode() != "graph":
        return []
    roots, functions = ([cell] if cell is not None else []), ((function,) if function is not None else ())
    if function is not None:
        roots += reached_from(function, getattr(function, "__self__", None)).networks
    return [{"draws": draw, "place": place} for draw, place in draws_below(roots, functions)]
