"""A network that each epoch makes anew, so that the last epoch alone counts (hp.02)."""

import ast
import re
from collections import Counter
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name, target_names

#: What a loop over epochs is called, or counts to.
_EPOCH, _EPOCHS = re.compile(r"(^|_)epoch(_|$)", re.IGNORECASE), re.compile(r"(^|_)epochs?(_|$)", re.IGNORECASE)
#: As many optimizers of one line that were used.
_SEVERAL = 3


def renewed_network(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop over epochs makes the network and its optimizer, and several optimizers of that line were used:
    every epoch begins with new weights."""
    used = [one.place for one in run_data.optimizers if one.used and one.place.file and one.place.line]
    made_at = Counter((one.file, one.line) for one in used)
    for file, line in sorted(line for line, count in made_at.items() if count >= _SEVERAL):
        loops = [
            one for one in run_data.source.enclosing(file, line) if isinstance(one, ast.For) and _counts_epochs(one)
        ]
        made = _network_made(loops[0], line) if loops else None
        if made is not None:
            return _finding(run_data, place(file, made), place(file, loops[0].lineno), made_at[file, line])
    return None


def _counts_epochs(loop: ast.For) -> bool:
    """Whether a loop counts epochs, and does not try several numbers of them."""
    counts = any(isinstance(one, ast.Call) and called_name(one) == "range" for one in ast.walk(loop.iter))
    fields = [one.attr for one in ast.walk(loop.iter) if isinstance(one, ast.Attribute)]
    called = any(_EPOCH.search(name) for name in target_names(loop.target))
    return counts and (called or any(_EPOCHS.search(name) for name in (*target_names(loop.iter), *fields)))


def _network_made(loop: ast.For, line: int) -> Optional[int]:
    """The line of the loop's body in which what the optimizer of a line is given is made."""
    stores = [one for one in loop.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)]
    made = next((one for one in stores if one.lineno <= line <= (one.end_lineno or one.lineno)), None)
    given = set(target_names(made.value)) if made is not None else set()
    return next((one.lineno for one in stores if one is not made and bound_names(one.targets) & given), None)


def _finding(run_data: RunData, made, loop, count: int) -> Finding:
    return problem(
        Text(
            "{loop} 的循环在每个 epoch 中都新建网络（{made}）和优化器，共 {n} 次：权重每次从头开始，只有最后一个 epoch 起作用。",
            "The loop over epochs of {loop} makes the network ({made}) and its optimizer anew, {n} times: every epoch begins "
            "with new weights, and the last one alone counts.",
            loop=at(loop),
            made=at(made),
            n=count,
        ),
        Text("在循环之前只创建一次网络和优化器。", "Make the network and the optimizer once, before the loop."),
        [run_data.code_at([made, loop], Text("创建网络之处", "Where the network is made"))],
        [made, loop],
    )
