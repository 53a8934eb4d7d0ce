"""A batch that a training loop draws with a generator made anew, with the same seed, at every step (dp.03)."""

import ast
from typing import Optional

from msprec.checklists.common.findings import first_place
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

_SEEDING = ("default_rng", "RandomState", "seed", "Random", "manual_seed", "set_seed", "PCG64", "SeedSequence")
_DRAWS = ("choice", "choices", "sample", "permutation", "shuffle", "integers", "randint", "random_integers", "permuted")


def drawn_anew(run_data: RunData, dataset: Fact) -> Optional[Fact]:
    """The line that seeds a generator with a constant in the loop that hands over the batches, or in a function that it calls,
    beside a draw of whole numbers or an order; None: there is none.

    Args:
        dataset: A data set taken from the arguments of the training step.
    """
    where = first_place(dataset)
    around = run_data.source.enclosing(where.file, where.line) if where and where.file and where.line else []
    loops = [node for node in around if isinstance(node, (ast.For, ast.While))]
    if not loops:
        return None
    for scope in (loops[-1], *_called_in(run_data, where.file, loops[-1])):
        calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
        seeding = [
            one for one in calls if called_name(one) in _SEEDING and one.args and _constant(run_data, one.args[0])
        ]
        if seeding and any(called_name(one) in _DRAWS for one in calls):
            return place(where.file, seeding[0].lineno)
    return None


def _called_in(run_data: RunData, file: str, loop: ast.AST) -> list:
    """The functions of the file that a loop calls by their names, as long as each name stands for one."""
    names = {called_name(node) for node in ast.walk(loop) if isinstance(node, ast.Call)}
    defined: dict = {}
    for node in run_data.source.nodes(file, ast.FunctionDef):
        defined.setdefault(node.name, []).append(node)
    return [found[0] for name, found in defined.items() if name in names and len(found) == 1]


def _constant(run_data: RunData, node: ast.expr) -> bool:
    """A number, a name in capitals or a field of settings: no counter."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and not isinstance(node.value, bool)
    text = ast.unparse(node)
    return text.isupper() or text in ("args.seed", "config.seed", "cfg.seed", "self.seed", "seed")
