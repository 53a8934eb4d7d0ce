"""One public name for each of MindSpore's and PyTorch's things, however they were imported."""

import re
from functools import lru_cache


def words(text: str) -> frozenset:
    """The words of a text, as a set."""
    return frozenset(text.split())


_OPS = "operations|functional|composite|function|primitive|auto_generate|tensor_method"
_NN = "layer|loss|optim|wrap|cell|sparse|dynamic_lr|learning_rate_schedule|reinforcement"
_PUBLIC = (
    (re.compile(rf"^mindspore\.ops\.(?:{_OPS})(?:\.\w+)*\.(\w+)$"), r"mindspore.ops.\1"),
    (re.compile(r"^mindspore\.ops\._op_impl\..*\.(\w+)$"), r"mindspore.ops.\1"),
    (re.compile(rf"^mindspore\.nn\.(?:{_NN})(?:\.\w+)*\.(\w+)$"), r"mindspore.nn.\1"),
    (re.compile(r"^mindspore\.train\.(?:amp|loss_scale_manager)\.(\w+)$"), r"mindspore.amp.\1"),
    (re.compile(r"^mindspore(?:\.train)?\.((?:Dynamic|Fixed)?LossScaleManager)$"), r"mindspore.amp.\1"),
    (re.compile(r"^mindspore\.train(?:\.model)?\.Model$"), "mindspore.Model"),
    (re.compile(r"^mindspore\.common\.initializer(?:\.\w+)*\.(\w+)$"), r"mindspore.common.initializer.\1"),
    (
        re.compile(r"^mindspore\.common(?:\.(?:api|tensor|parameter|dtype|jit_config|_tensor_docs))?\.(\w+)$"),
        r"mindspore.\1",
    ),
    (re.compile(r"^mindspore\.(?:ops|numpy)\.(value_and_grad|grad|jit|vjp|jvp|jacfwd|jacrev)$"), r"mindspore.\1"),
    (re.compile(r"^mindspore\.(ms_function|jit_class)$"), "mindspore.jit"),
    (re.compile(r"^torch\.nn\.modules(?:\.\w+)*\.(\w+)$"), r"torch.nn.\1"),
    (re.compile(r"^torch\.optim\.(?!lr_scheduler)\w+\.(\w+)$"), r"torch.optim.\1"),
    (re.compile(r"^torch\.nn\.init\.(\w+?)_?$"), r"torch.nn.init.\1"),
)
_MODULES = words(
    """
    mindspore.common.initializer mindspore.common.dtype mindspore.common.api mindspore.common.tensor
    mindspore.common.parameter mindspore.ops.operations mindspore.ops.functional mindspore.ops.composite
    mindspore.ops.function
    """
)


@lru_cache(maxsize=65536)
def public_name(dotted: str) -> str:
    """``mindspore.nn.layer.conv.Conv2d`` as ``mindspore.nn.Conv2d``; other names as they are."""
    if not dotted.startswith(("mindspore.", "torch.")) or dotted in _MODULES:
        return dotted
    for pattern, replacement in _PUBLIC:
        changed = pattern.sub(replacement, dotted)
        if changed != dotted:
            return changed
    return dotted
