"""Weights that a script keeps where the error on its training data is least, its validation data being left unread (wi.02)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.training.training_curves import kept_value
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, nodes_within, own_nodes, target_names

_TRAINING = re.compile(r"(^|_)(x_?|y_?)?(tr|trn|train|training)(_|$|x$|y$|set$|data$|ds$)", re.IGNORECASE)
_VALIDATION = re.compile(r"(^|_)(x_?|y_?)?(va|val|valid|validation|dev)(_|$|x$|y$|set$|data$|ds$)", re.IGNORECASE)
#: What copies the weights of a network, or saves them.
_KEEPS = ("parameters_dict", "get_parameters", "trainable_params", "save_checkpoint", "parameters_and_names")


class _Chosen(NamedTuple):
    """The comparison's place, where its value is worked out, and by which names of training data."""

    place: Fact
    value: Fact
    names: list


def chosen_on_training(run_data: RunData) -> Optional[Finding]:
    """A problem where weights are kept ``if score < best`` with a score that a function gives of training data alone, and the
    validation data that the script split off are never read; None elsewhere."""
    for file in sorted(run_data.source.trees):
        chosen = next(_chosen(run_data, file), None) if run_data.source.calls_named(file, _KEEPS) else None
        unread = _unread(run_data, file) if chosen is not None else []
        if chosen is not None and unread:
            return _finding(run_data, chosen, unread)
    return None


def _chosen(run_data: RunData, file: str) -> Iterator[_Chosen]:
    """By branches that keep a network's weights and the value that they compare."""
    for branch in run_data.source.nodes(file, ast.If):
        kept = next((found for test in ast.walk(branch.test) if (found := kept_value(branch, test))), None)
        if kept is None or not _keeps_weights(branch):
            continue
        around = run_data.source.scope_around(file, branch.lineno)
        for store in own_nodes(around):
            if not isinstance(store, ast.Assign) or not isinstance(store.value, ast.Call):
                continue
            if kept[0] in bound_names(store.targets):
                given = [name for one in store.value.args for name in target_names(one)]
                trained = [name for name in given if _TRAINING.search(name)]
                if trained and not any(_VALIDATION.search(name) for name in given):
                    yield _Chosen(place(file, branch.lineno), place(file, store.lineno), trained)


def _keeps_weights(branch: ast.If) -> bool:
    return any(isinstance(one, ast.Call) and called_name(one) in _KEEPS for one in nodes_within(branch.body))


def _unread(run_data: RunData, file: str) -> list:
    """The names of validation data, where they are given values and none is read by anything but what gives such names values."""
    given, read = set(), set()
    for one in ast.walk(run_data.source.trees[file]):
        if isinstance(one, (ast.Assign, ast.Expr, ast.Return)) and one.value is not None:
            bound = bound_names(one.targets) if isinstance(one, ast.Assign) else set()
            prepared = {name for name in bound if _VALIDATION.search(name)}
            given |= prepared
            read |= set() if prepared else names_read(ast.walk(one.value))
        elif isinstance(one, (ast.For, ast.comprehension)):
            read |= names_read(ast.walk(one.iter))
        elif isinstance(one, (ast.If, ast.While, ast.AugAssign)):
            read |= names_read(ast.walk(one.value if isinstance(one, ast.AugAssign) else one.test))
    return [] if given & read else sorted(given)


def _finding(run_data: RunData, chosen: _Chosen, unread: list) -> Finding:
    places = [chosen.value, chosen.place]
    return problem(
        Text(
            "按训练数据（{names}）上的得分保留最好的权重，而划出的验证数据（{unread}）从未使用：留下的是最过拟合的权重。",
            "The best weights are kept by a score on training data ({names}), and the validation data that were split off "
            "({unread}) are never read: what is kept are the weights that overfit most.",
            names=listed(chosen.names),
            unread=listed(unread),
        ),
        Text("用验证数据上的得分挑选权重。", "Choose by the score on the validation data."),
        [run_data.code_at(places, Text("挑选权重之处", "Where weights are chosen"))],
        places,
    )
