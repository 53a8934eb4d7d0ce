"""Which losses a training uses: cells, functions, and the ``loss_fn`` of a `Model`."""

from typing import Optional

from msprec.runtime.closure_scan import Reached
from msprec.runtime.source_locations import place_of_class, place_of_code, user_place

_LOSS_FUNCTIONS = (
    "cross_entropy",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "huber_loss",
    "ctc_loss",
    "softmax_cross_entropy_with_logits",
)
#: Attributes of every cell, which say nothing of a loss.
_OF_EVERY_CELL = (
    "training",
    "requires_grad",
    "is_top_cell",
    "arguments_key",
    "grad_ops_label",
    "has_bprop",
    "cell_type",
)


class LossFacts:
    """The entries of ``loss.json`` by class or function name."""

    def __init__(self) -> None:
        self.found = {}

    def note_cell(self, cell) -> None:
        """A loss cell is called or trained with."""
        cls = type(cell)
        if cls not in self.found:
            arguments, builtin = _plain_attributes(cell), cls.__module__.split(".")[0] == "mindspore"
            self.found[cls] = _entry(cls.__name__, builtin, user_place(), place_of_class(cls), arguments)

    def note_of_model(self, loss, place: Optional[dict]) -> None:
        """The ``loss_fn`` of a `Model`: a cell or a function."""
        if hasattr(loss, "_cells"):
            self.note_cell(loss)
            self.found[type(loss)]["place"] = self.found[type(loss)]["place"] or place
            return
        name = getattr(loss, "__name__", type(loss).__name__)
        builtin = str(getattr(loss, "__module__", "")).split(".")[0] == "mindspore"
        code_place = place_of_code(getattr(loss, "__code__", None))
        self.found[name] = _entry(f"function {name}", builtin, place, code_place)

    def note_reached(self, reached: Reached) -> None:
        """The loss cells that a function reaches, and MindSpore's loss functions that its code names."""
        for cell in reached.losses:
            self.note_cell(cell)
        for function in reached.functions:
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            for name in getattr(code, "co_names", ()):
                if name in _LOSS_FUNCTIONS and name not in self.found:
                    self.found[name] = _entry(f"function {name}", True, place_of_code(code), None)


def _entry(name: str, builtin: bool, place, file_class, arguments: Optional[str] = None) -> dict:
    return {"class": name, "builtin": builtin, "args": arguments, "place": place, "file_class": file_class}


def _plain_attributes(cell) -> Optional[str]:
    simple = {k: v for k, v in vars(cell).items() if isinstance(v, (bool, int, float, str)) and not k.startswith("_")}
    return ", ".join(f"{k}={v!r}" for k, v in simple.items() if k not in _OF_EVERY_CELL) or None
