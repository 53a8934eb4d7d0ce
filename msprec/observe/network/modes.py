"""Training or inference mode at each call of a network, and which cells depend on it."""

import weakref
from typing import Callable, Optional

from msprec.observe.network.cells import depends_on_mode
from msprec.runtime.cells import is_loss_class, is_optimizer_class, is_wrapper_class, parameters_of, unwrap, walk


def trained_networks(cell) -> list:
    """The networks that a training cell trains: what it holds beside optimizers, losses and MindSpore's helpers."""
    inner = unwrap(cell)
    if inner is not cell or is_wrapper_class(type(cell)):
        return [inner]
    held = dict(cell._cells)
    if held.get("network") is not None:
        return [unwrap(held["network"])]
    networks = [
        unwrap(c)
        for c in held.values()
        if c is not None
        and not is_optimizer_class(type(c))
        and not is_loss_class(type(c))
        and any(True for _ in parameters_of(c))
    ]
    holds_optimizer = any(c is not None and is_optimizer_class(type(c)) for c in held.values())
    own = any(p is not None for p in cell._params.values())
    return networks if networks and holds_optimizer and not own else [cell]


def _resting(root) -> list:
    """Paths of the outermost cells in inference mode below one in training mode."""
    found = []
    waiting = [("", root)]
    while waiting:
        path, cell = waiting.pop()
        for name, child in cell._cells.items():
            if child is None or is_optimizer_class(type(child)):
                continue
            below = f"{path}.{name}" if path else name
            if cell.training and not child.training:
                found.append(below)
            elif len(found) < 50:
                waiting.append((below, child))
    return sorted(set(found))


class ModeObserver:
    """One entry per (phase, root, flags, place); steps and calls are counted."""

    def __init__(self) -> None:
        self.phases, self.dependents = {}, weakref.WeakKeyDictionary()
        self.numbers, self.roots = weakref.WeakKeyDictionary(), {}

    def _dependent_cells(self, root) -> list:
        known = self.dependents.get(root)
        if known is None:
            known = [
                (path, weakref.ref(cell))
                for path, cell in walk(root)
                if not is_optimizer_class(type(cell)) and depends_on_mode(cell)
            ]
            self.dependents[root] = known
        return known

    def note(self, phase: str, via: str, root, place: Optional[dict], step: int, gradient: bool) -> dict:
        """``step``: training steps done before this call. Returns the entry that the call counts for."""
        cells = [(path, ref()) for path, ref in self._dependent_cells(root)]
        flags = tuple(c.training for _, c in cells if c is not None)
        key = (phase, via, id(root), root.training, flags, gradient, place and (place["file"], place["line"]))
        entry = self.phases.get(key)
        if entry is None:
            entry = {
                "phase": phase,
                "via": via,
                "root": type(root).__name__,
                "network": self._number(root),
                "place": place,
                "first_step": step,
                "last_step": step,
                "calls": 0,
                "root_training": bool(root.training),
                "gradient": gradient,
                "resting": _resting(root),
                "dependent": [
                    {
                        "path": p,
                        "class": type(c).__name__,
                        "training": bool(c.training),
                        "use_batch_statistics": c.__dict__.get("use_batch_statistics"),
                    }
                    for p, c in cells
                    if c is not None
                ],
            }
            self.phases[key] = entry
        entry["calls"] += 1
        entry["last_step"] = step
        return entry

    def _number(self, root) -> int:
        number = self.numbers.setdefault(root, len(self.roots))
        self.roots.setdefault(number, weakref.ref(root))
        return number

    def facts(self, updating: Callable[[set, int, int], bool]) -> dict:
        """``modes.json``. ``updating``: see `OptimizerObserver.updating`."""
        for entry in self.phases.values():
            root = self.roots[entry["network"]]()
            if root is not None:
                parameters = {id(p) for _, p, _, _ in parameters_of(root)}
                entry["updated"] = updating(parameters, entry["first_step"], entry["last_step"])
        return {"phases": list(self.phases.values())}
