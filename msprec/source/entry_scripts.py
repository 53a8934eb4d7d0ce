"""Which of many files a user starts, and which of them train."""

import ast

from msprec.source.module import Module, last_name
from msprec.source.names import words
from msprec.source.project import Project
from msprec.source.reachability import naming, reachable

_TRAINS = words(
    """
    value_and_grad GradOperation TrainOneStepCell TrainOneStepWithLossScaleCell grad vjp train fit backward
    """
)
_EVALUATES = {"eval", "predict", "set_train", "load_checkpoint", "load_param_into_net"}


def starts_by_itself(module: Module) -> bool:
    """Does the file do something when it is run: a ``__main__`` guard, or calls and loops outside any definition?"""
    return any(_acts(statement) for statement in module.tree.body)


def _acts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return "__main__" in ast.dump(statement.test) or any(map(_acts, statement.body))
    if isinstance(statement, (ast.For, ast.While, ast.With)):
        return True
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def only_evaluates(project: Project, module: Module) -> bool:
    """Does a start of the file evaluate or predict, and come to nothing that trains, by the names that the code mentions?"""
    names = {last_name(node) for scope in reachable(project, [module]) for node in naming(scope)}
    return not names & _TRAINS and bool(names & _EVALUATES)
