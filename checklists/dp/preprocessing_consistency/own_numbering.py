"""Words, ids and categories of the evaluation that the code numbers anew, by the evaluation's own data (dp.02)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Optional, Union

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.part_names import LABELS, OTHER, TRAINING, part_of
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, bound_names, bound_to, called_name, root_name, target_names

#: Methods that learn a numbering (some of them whatever has them), and what has the others.
_NUMBERS = ("fit_on_texts", "build_vocab")
_FITS = ("fit", "fit_transform", *_NUMBERS)
_ENCODERS = re.compile(r"vectori[sz]er|tokeni[sz]er|encoder|vocab", re.IGNORECASE)
#: Names of what data are read from; a file may well hold its own numbering.
_FILES = re.compile(r"path|file|dir|root|folder|csv|json", re.IGNORECASE)
#: Calls that make a data set.
_DATA_SETS = re.compile(r"Dataset$|DataLoader$|^Loader$|^make_(data|loader)|_(dataset|loader)$")
#: In sorted order two sets of the same members are numbered alike.
_FACTORIZE, _CATEGORICAL = "factorize", "Categorical"
#: Calls that may number what they are given, or hold what does.
_NUMBERING = ("setdefault", "unique", _FACTORIZE, _CATEGORICAL)
_SORTS = ("sorted", "unique", "LabelEncoder", "OrdinalEncoder")


class Numbering(NamedTuple):
    """A call that numbers what the array of this name holds; ``by_value``: in sorted order; ``inside``: where its function does
    so; ``column``: of a table, by its name."""

    made_by: str
    array: str
    place: Fact
    by_value: bool
    inside: Optional[Fact] = None
    column: str = ""


def own_numbering(run_data: RunData) -> Optional[Finding]:
    """A problem where one class, function or encoder of the script numbers data named for training, and again data named for
    evaluation: the same word has another number there. Undecided where members are numbered in sorted order, which gives the same
    numbers as long as both have the same members."""
    calls = [one for file in run_data.source.trees for one in numberings(run_data, file)]
    others = [one for one in calls if part_of(one.array) == "other"]
    pairs = [(other, _of_training(calls, other)) for other in others]
    for other, train in [*pairs, *_one_column_twice(run_data, calls), *_by_names_of_its_own(run_data)]:
        if train is None or (other.made_by != _FACTORIZE and LABELS.search(other.array)):
            continue
        says = Text(
            "{name} 用 {array} 自己的内容重新编号（{here}），训练数据则按 {train} 编号（{there}）："
            "同一个词（id 或类别）在评估时的编号与训练时不同。",
            "{name} numbers {array} anew by its own contents ({here}), and the training data by {train} ({there}): "
            "the same word, id or class has another number in the evaluation than the network was trained on.",
            name=other.made_by,
            array=other.array,
            here=at(other.place),
            train=train.array,
            there=at(train.place),
        )
        advice = Text(
            "只用训练数据建立词表（或编码器），评估与推理使用同一个；没见过的词编为 unk。",
            "Build the vocabulary or encoder from the training data alone and use that one for evaluation and inference; give "
            "words it does not know a number of their own.",
        )
        places = [one for one in (other.place, train.place, other.inside) if one]
        shown = [run_data.code_at(places, Text("编号之处", "Where they are numbered"))]
        return (undecided if other.by_value else problem)(says, advice, shown, places)
    return _each_part_anew(run_data)


def _each_part_anew(run_data: RunData) -> Optional[Finding]:
    """A loop, or a function that is called for each, that makes a data set of each part of the data and numbers it by itself."""
    found = next(_in_loops(run_data), None) or next(_in_functions(run_data), None)
    if found is None:
        return None
    name, *places = found
    return problem(
        Text(
            "循环或函数逐一处理数据的各部分，{name} 按每一部分自己的内容重新编号（{here}）："
            "同一个词（id 或类别）在评估时的编号与训练时不同。",
            "A loop or a function goes over the parts of the data, and {name} numbers each part anew by its own contents "
            "({here}): the same word, id or class has another number in the evaluation than in training.",
            name=name,
            here=at(places[0]),
        ),
        Text(
            "循环之前只用训练数据编号一次，各部分使用同一个。",
            "Number once before the loop, by the training data alone, and use that for all parts.",
        ),
        [run_data.code_at(places, Text("编号之处", "Where they are numbered"))],
        places,
    )


def _in_loops(run_data: RunData) -> Iterator[tuple]:
    """``(what numbers, where it is called, where it does so)`` of loops that make data sets and number what they go over, in the
    order in which it comes."""
    for file, makers in run_data.once(_all_makers).items():
        by_appearance = {name: line for name, (by_value, line) in makers.items() if not by_value}
        for loop in run_data.source.nodes(file, ast.For):
            yield from _columns_of_parts(file, loop)
            if not by_appearance:
                continue
            calls = [one for one in ast.walk(loop) if isinstance(one, ast.Call)]
            parts = (
                set(target_names(loop.target)) if any(_DATA_SETS.search(called_name(one)) for one in calls) else set()
            )
            for call in calls:
                name = called_name(call)
                if name in by_appearance and call.args and _names(call.args[0]) & parts:
                    yield name, place(file, call.lineno), place(file, by_appearance[name])


def _in_functions(run_data: RunData) -> Iterator[tuple]:
    """The same of functions that make a data set of what they are given, number it, and are called for several parts."""
    for file, makers in run_data.once(_all_makers).items():
        by_appearance = {name: line for name, (by_value, line) in makers.items() if not by_value}
        for function in run_data.source.nodes(file, ast.FunctionDef) if by_appearance else ():
            calls = [one for one in ast.walk(function) if isinstance(one, ast.Call)]
            # what is numbered where none is given yet is not numbered anew
            numbered = [one for one in _unasked_calls(function) if called_name(one) in by_appearance and one.args]
            if not numbered or not any(_DATA_SETS.search(called_name(one)) for one in calls):
                continue
            given = [one for one in argument_names(function) if one in _names(numbered[0].args[0])]
            position = argument_names(function).index(given[0]) if given else 0
            parts = {
                ast.unparse(call.args[position])
                for _, call in run_data.source.calls_anywhere((function.name,))
                if position < len(call.args)
            }
            if given and len(parts) > 1:
                name = called_name(numbered[0])
                yield name, place(file, numbered[0].lineno), place(file, by_appearance[name])


def _columns_of_parts(file: str, loop: ast.For) -> Iterator[tuple]:
    """The same of a loop over parts that are listed by name, one of them of training, and numbers columns of each."""
    listed = [root_name(one) for one in loop.iter.elts] if isinstance(loop.iter, (ast.Tuple, ast.List)) else []
    if len(listed) < 2 or not any(map(TRAINING.search, listed)):
        return
    parts = set(target_names(loop.target))
    for call in (one for one in ast.walk(loop) if isinstance(one, ast.Call) and _by_appearance(one)):
        of = call.args[0] if call.args else call.func
        if root_name(of) in parts and not LABELS.search(_column(of)):
            yield _FACTORIZE, place(file, call.lineno)


def numberings(run_data: RunData, file: str) -> list:
    """The calls in a file that number what an array holds, as `Numbering`s."""
    found = []
    makers = run_data.once(_all_makers)[file]
    for call in run_data.source.calls_named(file, {*makers, *_FITS, _FACTORIZE}):
        name = called_name(call)
        if name not in makers and name not in _FITS and not _by_appearance(call):
            continue
        given = call.args[0] if call.args else None
        array = _told_by(given) if given is not None else ""
        if _by_appearance(call) and not array:
            given = call.func  # a column's method
            array = _told_by(given)
        if given is None or not array:
            continue
        if _by_appearance(call):
            found.append(Numbering(_FACTORIZE, array, place(file, call.lineno), False, None, _column(given)))
        elif name in makers and not (name in _FITS and isinstance(call.func, ast.Attribute)):
            by_value, line = makers[name]
            if _is_given_numbers(run_data, call):
                continue
            found.append(Numbering(name, array, place(file, call.lineno), by_value, place(file, line)))
        elif name in _FITS and isinstance(call.func, ast.Attribute):
            owner = ast.unparse(call.func.value)
            if name in _NUMBERS or _ENCODERS.search(owner):
                kind = owner.partition("(")[0]
                stores = [one for one in run_data.source.nodes(file, ast.Assign) if owner in bound_names(one.targets)]
                made = [owner, *(ast.unparse(one.value) for one in stores)]
                by_value = any(one in text for text in made for one in _SORTS)
                found.append(Numbering(kind, array, place(file, call.lineno), by_value))
    return found


def _is_given_numbers(run_data: RunData, call: ast.Call) -> bool:
    """Whether a call hands the function that numbers what those numbers are kept in, as ``encode(test, vocabulary)``."""
    for _, function in run_data.source.functions(called_name(call)):
        names = argument_names(function)
        stores = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and _numbered(one, False)]
        kept = {root_name(one.targets[0]) for one in (*stores, *_categories(function))}
        given = {*names[: len(call.args)], *(one.arg for one in call.keywords)}
        if kept & given & set(names[1:]):
            return True
    return False


def _of_training(calls: list, other: Numbering) -> Optional[Numbering]:
    named = (one for one in calls if one.made_by == other.made_by and TRAINING.search(one.array) and one is not other)
    return next(named, None)


def _by_names_of_its_own(run_data: RunData) -> list:
    """``(numbering, that of training)`` of a function of the script's that is given a table beside the names in it, in the order
    in which they appear there: ``encode(test, test.city.unique())``."""
    found = []
    for file in dict.fromkeys(file for file, _ in run_data.source.calls_anywhere(("unique",))):
        calls = [
            one
            for one in run_data.source.nodes(file, ast.Call)
            if one.args and run_data.source.functions(called_name(one))
        ]
        numbered = [one for one in calls if any(_is_appearance(part, one.args[0]) for part in one.args[1:])]
        made = {
            one: Numbering(called_name(one), root_name(one.args[0]), place(file, one.lineno), False) for one in calls
        }
        for call in numbered:
            other = made[call]
            train = _of_training([made[one] for one in calls if one is not call], other)
            if part_of(other.array) == "other" and train is not None:
                found.append((other, train))
    return found


def _is_appearance(node: ast.expr, table: ast.expr) -> bool:
    """Whether it is ``table.column.unique()``, which pandas gives in the order of appearance."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args:
        return False
    return node.func.attr == "unique" and root_name(node.func) == root_name(table) != ""


def _one_column_twice(run_data: RunData, calls: list) -> list:
    """``(numbering, one before it)`` of the same column of two parts of one table, numbered in the order of appearance."""
    known = [one for one in calls if one.column]
    return [
        (other, one)
        for at, one in enumerate(known)
        for other in known[at + 1 :]
        if (one.column, one.place.file) == (other.column, other.place.file)
        and one.array != other.array
        and _parts_of_one(run_data, one.place.file, one.array, other.array)
    ]


def _parts_of_one(run_data: RunData, file: str, one: str, other: str) -> bool:
    """Whether two names are given parts of one table, or both come out of one call."""
    made: dict = {one: set(), other: set()}
    for node in run_data.source.nodes(file, ast.Assign):
        for name in {one, other} & bound_names(node.targets):
            value = bound_to(node, name)
            made[name] |= {node.lineno} if isinstance(node.value, ast.Call) else {root_name(value)}
    return bool((made[one] & made[other]) - {""})


def _column(node: ast.AST) -> str:
    """``district`` of ``table["district"]``, and of a method of it."""
    keys = [one.slice for one in ast.walk(node) if isinstance(one, ast.Subscript)]
    texts = [one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return texts[0] if len(texts) == 1 else ""


def _all_makers(run_data: RunData) -> dict:
    """``{file: what _makers gives of it}``."""
    return {file: _makers(run_data, file) for file in run_data.source.trees}


def _makers(run_data: RunData, file: str) -> dict:
    """``{name: (by value, line)}`` of the file's functions and classes that number what they are first given."""
    found: dict = {}
    calls = run_data.source.calls_named(file, _NUMBERING)
    parts = [*calls, *run_data.source.nodes(file, ast.Assign, ast.DictComp)]
    lines = [getattr(one, "lineno", 0) for one in parts if _numbered(one, True) or _is_categorical(one)]
    for name, function in _first_givens(run_data, file):
        if any(function.lineno <= line <= (function.end_lineno or line) for line in lines):
            line = _numbers(function)
            if line is not None:
                calls = [one for one in ast.walk(function) if isinstance(one, ast.Call)]
                sorts = any(called_name(one) in _SORTS and not _of_column(one) for one in calls)
                in_file = bool(_FILES.search(argument_names(function)[0])) and not any(map(_by_appearance, calls))
                found[name] = sorts or in_file, line
    return _handed_on(run_data, file, found)


def _first_givens(run_data: RunData, file: str) -> Iterator[tuple]:
    """``(name, function)`` of the file's functions, and of its classes, whose function is the one that makes an object."""
    for node in run_data.source.nodes(file, ast.FunctionDef, ast.ClassDef):
        wanted = "__init__" if isinstance(node, ast.ClassDef) else node.name
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(function, ast.FunctionDef) and function.name == wanted:
                yield node.name, function


def _handed_on(run_data: RunData, file: str, makers: dict) -> dict:
    """The makers, and the functions that hand one of them what they are first given, or a part of it: not where that is asked
    first, as of a vocabulary that may be there already."""
    found = dict(makers)
    for _ in range(2 if makers else 0):
        for name, function in _first_givens(run_data, file):
            inner = [one for one in _unasked_calls(function) if called_name(one) in found and one.args]
            given = _made_of_first(function) if inner and name not in found else set()
            passed = [one for one in inner if _names(one.args[0]) & given and not _is_given_numbers(run_data, one)]
            if passed:
                found[name] = found[called_name(passed[0])]
    return found


def _unasked_calls(function: ast.FunctionDef) -> list:
    """The calls of a function that stand under no condition."""
    chosen = [one for one in ast.walk(function) if isinstance(one, (ast.If, ast.IfExp, ast.BoolOp))]
    under = {id(part) for one in chosen for part in ast.walk(one)}
    return [one for one in ast.walk(function) if isinstance(one, ast.Call) and id(one) not in under]


def _told_by(argument: ast.AST) -> str:
    """The name, or the text such as a file's, by which an argument is told to be of training or of another set."""
    parts = list(ast.walk(argument))
    told = [root_name(argument), *(one.id for one in parts if isinstance(one, ast.Name))]
    texts = [one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    told += [Path(one).stem for one in texts]
    return next((one for one in told if OTHER.search(one) or TRAINING.search(one)), told[0])


def _of_column(call: ast.Call) -> bool:
    """Whether it is pandas' ``column.unique()`` or ``pd.unique(values)``, which keep the order of the values; NumPy's sorts."""
    method = called_name(call) == "unique" and isinstance(call.func, ast.Attribute)
    return method and (not call.args or root_name(call.func) in ("pd", "pandas"))


def _by_appearance(call: ast.Call) -> bool:
    """Whether it is pandas' ``factorize``, which numbers values in the order in which they come unless told to sort them."""
    sorts = any(one.arg == "sort" and getattr(one.value, "value", None) is not False for one in call.keywords)
    return called_name(call) == _FACTORIZE and not sorts


def _numbers(function: ast.FunctionDef) -> Optional[int]:
    """The line where a function gives each member of its first argument a number: ``d.setdefault(w, len(d))``, ``d[w] =
    len(d)``, ``{w: i for i, w in enumerate(…)}``, pandas' ``factorize``, or ``Categorical`` by the values as they come; or,
    when an object is made, takes its sorted members; None where it does not."""
    made = function.name == "__init__"
    nodes = list(ast.walk(function))
    own = {name for one in nodes if isinstance(one, (ast.Assign, ast.AnnAssign)) for name in _stored(one)}
    # what outlives the function is numbered once: a dictionary of the module's, or of an object that was made before
    anew = [one for one in nodes if made or _kept_in(one) in own | {""}]
    found = [(getattr(node, "lineno", 0), of) for node in anew for of in _numbered(node, made)]
    found += [(one.lineno, one.value) for one in _categories(function)]
    given = _made_of_first(function) if found else set()
    return next((line for line, of in found if _names(of) & given), None)


def _stored(node: Union[ast.Assign, ast.AnnAssign]) -> set:
    """The plain names that a statement gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [part for one in targets for part in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]
    return {one.id for one in parts if isinstance(one, ast.Name)}


def _kept_in(node: ast.AST) -> str:
    """``d`` of ``d.setdefault(w, …)`` and ``d[w] = …``, and ``self`` of ``self.d``; empty of anything else."""
    if isinstance(node, ast.Call) and called_name(node) == "setdefault":
        return root_name(node.func)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return root_name(node.targets[0])
    return ""


def _categories(function: ast.FunctionDef) -> list:
    """Statements ``known[c] = pd.unique(table[c])`` of what the function gives ``Categorical`` for its categories."""
    calls = [one for one in ast.walk(function) if isinstance(one, ast.Call) and _is_categorical(one)]
    known = {root_name(word.value) for one in calls for word in one.keywords if word.arg == "categories"} - {""}
    stores = [one for one in ast.walk(function) if isinstance(one, ast.Assign)] if known else []
    return [
        one
        for one in stores
        if root_name(one.targets[0]) in known and isinstance(one.value, ast.Call) and _of_column(one.value)
    ]


def _is_categorical(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) == _CATEGORICAL


def _numbered(node: ast.AST, made: bool) -> list:
    """What a part of a function gives numbers, if it is one of `_numbers`' kinds; ``made``: where an object is made."""
    if isinstance(node, ast.Call) and called_name(node) == "setdefault" and len(node.args) == 2:
        return [node.args[0]] if _is_length(node.args[1]) else []
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return [node.targets[0].slice] if _is_length(node.value) else []
    if isinstance(node, ast.DictComp):
        over = node.generators[0].iter
        return [over] if isinstance(over, ast.Call) and called_name(over) == "enumerate" else []
    if isinstance(node, ast.Call) and _by_appearance(node):
        return [node.args[0] if node.args else node.func]
    if isinstance(node, ast.Call) and called_name(node) == "unique" and made:
        return node.args[:1]
    return []


def _made_of_first(function: ast.FunctionDef) -> set:
    """The first argument's name, and those of what is made of it."""
    found = set(argument_names(function)[:1])
    for _ in range(4):
        for node in ast.walk(function):
            if isinstance(node, (ast.For, ast.comprehension)) and _names(node.iter) & found:
                found |= _names(node.target)
            elif isinstance(node, (ast.Assign, ast.AugAssign)) and node.value and _names(node.value) & found:
                found |= {
                    name for one in getattr(node, "targets", [getattr(node, "target", None)]) for name in _names(one)
                }
            elif isinstance(node, ast.Call) and called_name(node) in ("update", "extend", "append", "add"):
                found |= _names(node.func) if any(_names(one) & found for one in node.args) else set()
    return found - {"self"}


def _names(node: ast.AST) -> set:
    return set(target_names(node))


def _is_length(node: ast.AST) -> bool:
    """``len(d)``, or a number more or less."""
    return any(isinstance(one, ast.Call) and called_name(one) == "len" for one in (node, getattr(node, "left", None)))
