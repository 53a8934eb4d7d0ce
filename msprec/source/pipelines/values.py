"""What a script's data are to the reader of pipelines: data sets as steps, arrays by where they come from, functions, networks.

A value that is not known is `UNKNOWN`. Lists and tuples are plain tuples.
"""

import ast
from typing import Any, NamedTuple, Optional

from msprec.source.interpreter import Class, Function, Place
from msprec.source.module import Module, Scope
from msprec.source.values import BINARY, UNKNOWN, Record, same

#: The first characters of a step or operation that could not be read.
UNREAD = "?"
_NEUTRAL = (
    "num_shards",
    "shard_id",
    "num_parallel_workers",
    "shuffle",
    "sampler",
    "num_samples",
    "python_multiprocessing",
    "max_rowsize",
    "offload",
    "cache",
)


class TransformValue(NamedTuple):
    """A transform: its name, its effective arguments, and the text that a run would record of it."""

    name: str
    args: dict
    text: str


class Step(NamedTuple):
    """A step of a pipeline: a source of data or a method. ``source``: of one made from a Python object, that object."""

    op: str
    args: dict
    place: Place
    source: Any = None


class Pipe(NamedTuple):
    """A data set: its steps, first the source."""

    steps: tuple


class Batches(NamedTuple):
    """What a loop over a data set goes through, a batch of it, or one of its columns."""

    pipe: Pipe
    column: Optional[str] = None


class LibraryName(NamedTuple):
    """A name of a library; or, with ``module``, a module of the project."""

    name: str
    module: Optional[Module] = None


class Method(NamedTuple):
    """A method of a value that is no object of the project."""

    owner: Any
    name: str


class Instance:
    """An object of a class of the project, with the arguments that it was made with; ``cell``: a network."""

    def __init__(self, scope: Scope, args: list, keywords: dict, cell: bool):
        self.scope, self.args, self.keywords, self.cell = scope, args, keywords, cell


class ModelOf:
    """A ``Model``; ``network``: what it holds."""

    def __init__(self, network: Any):
        self.network = network


class Data(NamedTuple):
    """Arrays by where they come from: the function that made them, and what was calculated from them since."""

    origin: str
    steps: tuple = ()


class Table(NamedTuple):
    """A dictionary with constant keys, as (key, value) pairs."""

    parts: tuple


class Use(NamedTuple):
    """A pipeline that something goes through: ``role`` is "eval" or "predict" (of a ``Model``), "loop" (one in which a network
    is called), "train", or "unknown"."""

    pipe: Pipe
    role: str
    place: Place


class Mode(NamedTuple):
    """``what``: "set" (``value``: True, False or UNKNOWN), "call", "eval", "predict", "train"; of which network, an `Instance`
    or the text of an expression. ``sure``: under no condition that is not known."""

    what: str
    network: Any
    value: Any
    place: Place
    sure: bool


class ReadScript(NamedTuple):
    """What a script was seen to do.

    Attributes:
        file: The script.
        uses: The pipelines that something goes through.
        made: All pipelines, each as long as it grew.
        altered: Those whose batches are calculated with after delivery.
        modes: What sets or depends on the mode of a network, in order.
        trains: Whether the script has a training of its own.
        complete: Whether it was followed to its end.
    """

    file: str
    uses: list
    made: list
    altered: list
    modes: list
    trains: bool
    complete: bool


def origin_of(value: Any) -> Optional[str]:
    """Where the arrays of a source (a table of them, a function that yields them) come from, to compare; None: not known."""
    if isinstance(value, Table):
        value = tuple(part for _, part in value.parts)
    if type(value) is tuple:
        parts = [origin_of(part) for part in value]
        return None if None in parts or not parts else f"({', '.join(parts)})"
    if isinstance(value, Data):
        text = " ".join((value.origin, *value.steps))
        return None if "UNKNOWN" in text else text
    return value.scope.qualified if isinstance(value, Function) and not uses_outer_names(value.scope) else None


def key_text(value: Any) -> str:
    """A value as part of such a text: numbers as they are, any text for any other (paths, parts of a set)."""
    if isinstance(value, str):
        return "text"
    if is_plain(value):
        return repr(value)
    if isinstance(value, LibraryName):
        return value.name
    return origin_of(value) or "UNKNOWN"


def calculate(operator: str, left: Any, right: Any) -> Data:
    """What an operation makes of arrays."""
    one = left if isinstance(left, Data) else right
    other = right if one is left else left
    side = "" if one is left else " r"
    return one._replace(steps=(*one.steps, f"{operator}{side} {key_text(other)}"))


def has_result(scope: Scope) -> bool:
    """Does a function return anything?"""
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(scope.node))


def grow(owner: tuple, name: str, args: list) -> Any:
    """A list after ``append``, ``extend`` or ``insert``."""
    if name == "append" and len(args) == 1:
        return (*owner, args[0])
    if name == "extend" and len(args) == 1 and type(args[0]) is tuple:
        return owner + args[0]
    if name == "insert" and len(args) == 2 and isinstance(args[0], int):
        grown = list(owner)
        grown.insert(*args)
        return tuple(grown)
    return UNKNOWN


def merge(one: Any, other: Any) -> Any:
    """What two ways have in common: pipelines that part keep what they share, and a step that could not be read."""
    if one is other or _equal(one, other):
        return one
    if isinstance(one, Pipe) and isinstance(other, Pipe):
        shared = []
        for a, b in zip(one.steps, other.steps):
            if not _alike(a, b):
                break
            shared.append(a)
        rest = one.steps[len(shared) :] or other.steps[len(shared) :]
        if not rest:
            return one
        last = rest[0]
        return Pipe((*shared, Step(f"{UNREAD}condition", {}, last.place))) if shared else UNKNOWN
    if isinstance(one, Batches) and isinstance(other, Batches):
        pipe = merge(one.pipe, other.pipe)
        return Batches(pipe) if isinstance(pipe, Pipe) else UNKNOWN
    return UNKNOWN


def _alike(one: Step, other: Step) -> bool:
    """Whether two steps do the same to a sample, however many devices share the set and workers prepare it."""
    args = [{key: value for key, value in step.args.items() if key not in _NEUTRAL} for step in (one, other)]
    same_source = one.source is other.source or (
        one.source is not None and origin_of(one.source) == origin_of(other.source)
    )
    return one.op == other.op and args[0] == args[1] and same_source


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or isinstance(one, (Instance, ModelOf)):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(a is b or _equal(a, b) for a, b in zip(one, other))
    if isinstance(one, tuple):
        return one == other
    return same(one, other)


def compute(operator: ast.AST, left: Any, right: Any) -> Any:
    """The result of an operation on two numbers or texts, else UNKNOWN."""
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (left, right))
    texts = isinstance(operator, ast.Add) and all(isinstance(value, str) for value in (left, right))
    if not (numbers or texts):
        return UNKNOWN
    if isinstance(operator, (ast.Pow, ast.LShift)) and (abs(right) > 400 or abs(left) > 1e6):
        return UNKNOWN
    try:
        return BINARY[type(operator)](left, right)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return UNKNOWN


def plain_truth(value: Any) -> Optional[bool]:
    """The truth value of a constant, a list, or an object; None where it is not known."""
    if value is UNKNOWN or isinstance(value, Record):
        return None
    if value is None or isinstance(value, (bool, int, float, str)) or type(value) is tuple:
        return bool(value)
    return True if isinstance(value, (Pipe, Function, Class, Instance, TransformValue, ModelOf)) else None


def is_plain(value: Any) -> bool:
    """Is it a constant, or a tuple of such?"""
    if type(value) is tuple:
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str))


def is_simple(value: Any) -> bool:
    """Would a run record it as an attribute of a transform?"""
    numbers = type(value) is tuple and 0 < len(value) <= 8 and all(isinstance(v, (int, float)) for v in value)
    return isinstance(value, (bool, int, float, str)) or numbers


def as_argument(value: Any) -> Any:
    """An argument in the text of a transform."""
    if isinstance(value, LibraryName):
        return ".".join(value.name.split(".")[-2:])
    if type(value) is tuple and any(isinstance(part, TransformValue) for part in value):
        return "transforms"
    if is_plain(value):
        return repr(value) if not (isinstance(value, str) and value.startswith(("Inter.", "Border."))) else value
    return "UNKNOWN"


def column_names(value: Any) -> list:
    """Columns as a list; `UNREAD` where they are not known."""
    listed = value if type(value) is tuple else (value,)
    if value is UNKNOWN or any(one is UNKNOWN for one in listed):
        return [UNREAD]
    return [one for one in listed if isinstance(one, str)]


def uses_outer_names(scope: Scope) -> bool:
    """Does a function use a name that a function around it binds?"""
    used = {node.id for node in ast.walk(scope.node) if isinstance(node, ast.Name)} - set(scope.bindings)
    around = scope.parent
    while around is not None and around.parent is not None:
        if not around.is_class and used & set(around.bindings):
            return True
        around = around.parent
    return False
