"""Inputs that were put into a new order while their labels kept the old one, as the code tells (ds.02, td.05)."""

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import assigned_parts, bound_to, called_name, own_nodes, root_name, target_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVES = (ast.Return, ast.Raise, ast.Continue)
#: Functions that give what they draw and leave their argument as it is.
DRAWS = {"permutation", "randperm", "permuted"}
#: Calls by which rows come into a new order.
_ORDERS = DRAWS | {"shuffle", "sample"}
#: Functions that put the rows of their argument into an order that nobody draws; an array turned round by a slice.
_FIXED, _TURNED = {"flip", "flipud", "roll", "sort", "sorted"}, re.compile(r"\[::-1[],]")
_SEEDS = {"seed", "set_seed", "set_state", "setstate", "RandomState", "default_rng", "manual_seed", "Random"}
#: What leaves the rows of an array in their order.
_RESHAPES = {"astype", "reshape", "ravel", "flatten", "squeeze", "expand_dims", "array", "asarray", "copy"}
#: Calls that take arrays whose rows belong together.
_TOGETHER = {"NumpySlicesDataset", "zip", "train_test_split"}
#: Classes of the script's that are given them, each as an argument.
_SAMPLES = re.compile(r"(Sampler|Dataset|Loader)$")


class Reordered(NamedTuple):
    """The rows of ``array`` are put into a new order at ``place``, and those of ``partner``, which belong to them, are not, or
    into another."""

    array: str
    partner: str
    place: Fact


class _Order(NamedTuple):
    """A statement that gives ``target`` the rows of ``array`` in a drawn order; ``drawn``: the name of that order; ``seed``: what
    it is drawn by, where that stands in the statement, or how it is made; ``fixed``: it is not drawn, as that of rows
    turned round is not."""

    line: int
    array: str
    target: str
    drawn: Optional[str]
    seed: str = ""
    fixed: bool = False


def reordered_alone(run_data: RunData) -> Optional[Reordered]:
    """The first array that is reordered alone; None where there is none."""
    turned = {file for file, _ in run_data.source.grep(_TURNED)}
    for file, tree in run_data.source.trees.items():
        if file not in turned and not run_data.source.calls_named(file, _ORDERS | _FIXED):
            continue
        tree = _Fields().visit(copy.deepcopy(tree))
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        around = {id(one): node for node in classes for one in node.body}
        for node in [tree, *(node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))]:
            body = _Body(node, around.get(id(node)))
            found = body.alone() or body.taken_alone()
            if found is not None:
                order, partner = found
                return Reordered(order.target, partner, place(file, order.line))
    return None


class _Fields(ast.NodeTransformer):
    """Makes a name of each field, ``self.inputs``."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute: of ``self``, a name."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.copy_location(ast.Name(f"self.{node.attr}", node.ctx), node)
        return node


class _Body:
    """The statements of a module or function without the functions in it; ``around``: the class of a method, whose other
    methods use its fields."""

    def __init__(self, node: Any, around: Optional[ast.ClassDef] = None):
        self.nodes = own_nodes(node)
        methods = [one for one in getattr(around, "body", ()) if isinstance(one, _FUNCTIONS) and one is not node]
        self._beside = [one for method in methods for one in own_nodes(method)]
        self.stored: dict[str, list] = {}
        for one in self.nodes:
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                self.stored.setdefault(one.id, []).append(one.lineno)
        self.first = getattr(node, "lineno", 0)
        self.parameters = {one.arg for one in getattr(getattr(node, "args", None), "args", [])}
        self.stored.update({name: [self.first, *self.stored.get(name, [])] for name in self.parameters})
        self.shuffled = {
            name: one.lineno
            for one in self.nodes
            if isinstance(one, ast.Call) and called_name(one) == "shuffle" and len(one.args) == 1 and not one.keywords
            for name in _rows(one.args[0])
        }
        self.drawn = {
            target.id
            for one in self.nodes
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name)
            and (is_draw(one.value) or (target.id in self.shuffled and _counts(one.value)))
            and self._drawn_rows(one.value, target.id) is None
        }

    def alone(self) -> Optional[tuple]:
        """``(the order, the partner that it leaves out)``; None."""
        orders = list(self._orders())
        for order in orders:
            same = [one for one in orders if one.drawn is not None and one.drawn == order.drawn]
            several = order.drawn is not None and self._loads(order.drawn) > 1
            if several and (self._loads(order.drawn or "") > len(same) or any(o.target != o.array for o in same)):
                continue  # something else is put into the same order
            partners = [one for one in self._partners(order) if one not in [other.target for other in same]]
            if order.target != order.array and order.array in partners:
                continue  # what it was made of is used beside it: pairs that are drawn, as of negatives
            origins = {name: self._origins(name, several) for name in (order.array, *partners)}
            known = [one for one in partners if one != order.array and origins[one] & origins[order.array]]
            if order.fixed:  # of a series put beside itself, moved on, this is meant
                known = [one for one in known if self._assigned_together(order.array, one)]
            found = next((one for one in known if self._left_out(order, one)), None)
            if found is not None:
                return order, found
        return None

    def taken_alone(self) -> Optional[tuple]:
        """As `alone`, of the batches of a loop: ``x[order[i:j]]`` beside ``y[i:j]``, where one statement made both arrays, or
        beside ``y[rows[i:j]]``, where the order was drawn of these rows."""
        named = {
            target.id: one.value
            for one in self.nodes
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name) and self._drawn_slice({}, one.value)
        }
        for loop in (one for one in self.nodes if isinstance(one, (ast.For, ast.While))):
            taken = [
                (one.value.id, one.slice, one.lineno)
                for one in ast.walk(loop)
                if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and isinstance(one.value, ast.Name)
            ]
            drawn = {name: (rows, index) for name, index, _ in taken if (rows := self._drawn_slice(named, index))}
            plain = [(name, rows, line) for name, rows, line in taken if name not in {*drawn, *self.drawn}]
            for name, (rows, index) in drawn.items():
                for partner, own, line in plain:
                    if ast.unparse(own) == rows and self._made_together(name, partner):
                        return _Order(line, name, name, None), partner
                    if _slice_of(own) == (rows, self._drawn_of(named, index)):
                        return _Order(line, name, name, None), partner
        return None

    def _drawn_of(self, named: dict, index: ast.expr) -> str:
        """What ``order`` of an index ``order[i:j]`` is a permutation of; empty where that has no name, or is assigned twice."""
        index = named.get(index.id, index) if isinstance(index, ast.Name) else index
        name = root_name(index)
        made = [one.value for one in self.nodes if isinstance(one, ast.Assign) and name in _names(one.targets)]
        given = made[0].args if len(made) == 1 and isinstance(made[0], ast.Call) and is_draw(made[0]) else []
        return given[0].id if len(given) == 1 and isinstance(given[0], ast.Name) else ""

    def _drawn_slice(self, named: dict, rows: ast.expr) -> str:
        """``i:j`` of an index ``order[i:j]``, which may stand under a name, where the order is drawn; empty of any other."""
        rows = named.get(rows.id, rows) if isinstance(rows, ast.Name) else rows
        if not isinstance(rows, ast.Subscript) or not isinstance(rows.slice, ast.Slice):
            return ""
        drawn = isinstance(rows.value, ast.Name) and rows.value.id in self.drawn
        return ast.unparse(rows.slice) if drawn else ""

    def _made_together(self, one: str, other: str) -> bool:
        """Whether one statement gave both names their values, or those that they were made of."""
        lines = [{line for line in self._origins(name) if isinstance(line, int)} for name in (one, other)]
        return bool(lines[0] & lines[1] - {self.first})

    def _assigned_together(self, one: str, other: str) -> bool:
        stores = [node for node in self.nodes if isinstance(node, ast.Assign)]
        return any({one, other} <= _names(node.targets) for node in stores)

    def _orders(self) -> Iterator[_Order]:
        for one in (node for node in self.nodes if isinstance(node, ast.Assign) and len(node.targets) == 1):
            for held, value, own in assigned_parts(one.targets[0], one.value):
                if not isinstance(held, ast.Name) or not own:
                    continue
                target = held.id
                array = self._drawn_rows(value, target)
                if array is not None:
                    yield _Order(one.lineno, array, target, None)
                if _in_fixed_order(value) == target:
                    way = re.sub(rf"\b{re.escape(target)}\b", "", ast.unparse(value))
                    yield _Order(one.lineno, target, target, None, way, fixed=True)
                for call in _samples(value):
                    yield _Order(one.lineno, root_name(call), target, None, _keyword(call, "random_state"))
                value = _bare(value)
                if not isinstance(value, ast.Subscript) or not isinstance(value.value, (ast.Name, ast.Subscript)):
                    continue
                named = isinstance(value.slice, ast.Name) and value.slice.id in self.drawn
                if named or is_draw(value.slice):
                    yield _Order(
                        one.lineno,
                        root_name(value.value),
                        target,
                        getattr(value.slice, "id", None) if named else None,
                    )
        for name, line in self.shuffled.items():
            if name not in self.drawn:
                yield _Order(line, name, name, None)

    def _drawn_rows(self, value: ast.expr, target: str) -> Optional[str]:
        """The array whose rows ``rng.permutation(array)`` gives a name in a drawn order; None of anything else, such as of a
        number or of what serves as indices."""
        rows = value.args[0] if isinstance(value, ast.Call) and is_draw(value) and value.args else None
        if not isinstance(rows, ast.Name) and not (isinstance(rows, ast.Attribute) and root_name(rows) in self.stored):
            return None
        indices = _names([one.slice for one in self.nodes if isinstance(one, ast.Subscript)])
        stores = [one for one in self.nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Subscript)]
        indices |= {root_name(one.value) for one in stores if _names(one.targets) & indices}
        return ast.unparse(rows) if target not in indices else None

    def _loads(self, name: str) -> int:
        """How often a name is read, but for being shuffled."""
        reads = [
            one for one in self.nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
        ]
        return len(reads) - (name in self.shuffled)

    def _partners(self, order: _Order) -> list:
        """Names whose rows are taken together with those of the target after it: by the same slices, or in one call."""
        slices: dict = {}
        lines: dict = {}
        found = set()
        later = [one for one in self.nodes if getattr(one, "lineno", 0) > order.line]
        for one in [*later, *(self._beside if order.target.startswith("self.") else ())]:
            taken = isinstance(one, ast.Subscript) and isinstance(one.slice, (ast.Slice, ast.Name))
            if taken and isinstance(one.value, ast.Name) and getattr(one.slice, "id", None) not in self.drawn:
                slices.setdefault(one.value.id, set()).add(ast.unparse(one.slice))
                lines.setdefault(one.value.id, []).append(one.lineno)
            elif isinstance(one, ast.Call) and _takes_together(called_name(one)):
                names = _rows_of(one)
                found |= set(names) if order.target in names else set()
        mine = slices.get(order.target, set())
        if len(mine) > 1 or any(not re.fullmatch(r"[-:\d]*", text) for text in mine):  # not just the first few rows
            alike = {name for name, own in slices.items() if own == mine}
            found |= {name for name in alike if self._meet(lines[order.target], lines[name])}
        return sorted(found - {order.target})

    def _meet(self, ones: list, others: list) -> bool:
        """Whether two lines are reached in one call: neither stands behind an ``if`` that returns in front of it."""
        ends = [
            one for one in (*self.nodes, *self._beside) if isinstance(one, ast.If) and isinstance(one.body[-1], _LEAVES)
        ]

        def parts(one: int, other: int) -> bool:
            return any(_within(one, node.body) and other > node.body[-1].lineno for node in ends)

        return any(not parts(one, other) and not parts(other, one) for one in ones for other in others)

    def _origins(self, name: str, of_rows: bool = False, deepest: int = 4) -> set:
        """What a name was made of: the names, the statements that assigned it and the calls that gave it; rows of one origin
        belong together, and flags drawn beside them do not. ``of_rows``: without numbers and random generators."""
        found: set = {name, name.partition(".")[0]}
        stores = [one for one in self.nodes if isinstance(one, ast.Assign)]
        settings = {name for one in stores if of_rows and _is_setting(one.value) for name in _names(one.targets)}
        for _ in range(deepest):
            for one in stores:
                if found & _names(one.targets):
                    found |= {one.lineno} | (_names([one.value]) & self.stored.keys() - settings)
                    made = isinstance(one.value, ast.Call) and root_name(one.value) not in settings
                    found |= {ast.unparse(one.value.func)} if made else set()  # type: ignore[attr-defined]
        return (found | {self.first}) - {"self"} if name in self.parameters else found - {"self"}

    def _left_out(self, order: _Order, partner: str) -> bool:
        """Whether the partner had its rows before, and has the same order still or another one, drawn by itself."""
        orders = [one for one in self._orders() if one.target == partner]
        if order.seed and any(one.seed == order.seed for one in orders):
            return False  # the same seed draws the same order of as many rows
        own = [one.line for one in orders]
        lines = [line for line in self.stored.get(partner, []) if not self._apart(line, order.line)]
        kept = [one.lineno for one in self.nodes if isinstance(one, ast.Assign) and _keeps_order(one, partner)]
        if order.target != order.array:  # what is made later of the same rows has them as they were
            made = [one for one in self.nodes if isinstance(one, ast.Assign) and order.array in _names([one.value])]
            kept += [one.lineno for one in made if partner in _names(one.targets)]
        later = [line for line in lines if line > order.line and line not in own and line not in kept]
        if not lines or (min(lines) > order.line and min(lines) not in kept) or later:
            return False
        if any(line < order.line and line not in own and self._made_of(partner, line, order) for line in lines):
            return False
        first, last = sorted((max(own, default=order.line), order.line))
        calls = [one for one in self.nodes if isinstance(one, ast.Call) and called_name(one) in _SEEDS]
        return not any(first < one.lineno <= last for one in calls)

    def _apart(self, one: int, other: int) -> bool:
        """Whether two lines lie in branches of one ``if`` of which only one is run."""
        branches = [(node.body, node.orelse) for node in self.nodes if isinstance(node, ast.If) and node.orelse]
        return any(
            (_within(one, this) and _within(other, that)) or (_within(one, that) and _within(other, this))
            for this, that in branches
        )

    def _made_of(self, partner: str, line: int, order: _Order) -> bool:
        """Whether the partner was assigned a view of the array that is shuffled in place, or is in a drawn order itself."""
        for one in self.nodes:
            if isinstance(one, ast.Assign) and one.lineno == line and partner in _names(one.targets):
                value = bound_to(one, partner)
                read = _names([value])
                if order.array in read and order.target == order.array and order.drawn is None:
                    return True
                if read & self.drawn or any(map(is_draw, ast.walk(value))):
                    return True
        return False


def _slice_of(index: ast.expr) -> Optional[tuple]:
    """``("i:j", "rows")`` of an index ``rows[i:j]``; None of any other."""
    if (
        not isinstance(index, ast.Subscript)
        or not isinstance(index.slice, ast.Slice)
        or not isinstance(index.value, ast.Name)
    ):
        return None
    return ast.unparse(index.slice), index.value.id


def _within(line: int, statements: list) -> bool:
    return statements[0].lineno <= line <= (statements[-1].end_lineno or statements[-1].lineno)


def _keeps_order(node: ast.Assign, name: str) -> bool:
    """Whether a statement gives a name its own values in another type or shape."""
    if _names(node.targets) != {name} or name not in _names([node.value]):
        return False
    calls = [one for one in ast.walk(node.value) if isinstance(one, ast.Call)]
    taken = any(isinstance(one, ast.Subscript) for one in ast.walk(node.value))
    return not taken and bool(calls) and all(called_name(one) in _RESHAPES for one in calls)


def _bare(value: ast.expr) -> ast.expr:
    """``x[order]`` of ``x[order].astype(np.float32)``, and of whatever else leaves the rows as they are."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _RESHAPES:
        value = value.args[0] if value.func.attr in ("array", "asarray") and value.args else value.func.value
    return value


def _is_setting(value: ast.expr) -> bool:
    """A plain number, or a generator of random numbers."""
    made = isinstance(value, ast.Call) and called_name(value) in _SEEDS
    return made or isinstance(value, ast.Constant)


def is_draw(node: ast.AST) -> bool:
    """Whether it is a call that gives a random order, and leaves what it is given as it is."""
    return isinstance(node, ast.Call) and called_name(node) in DRAWS


def _samples(value: ast.expr) -> list:
    """``table.sample(frac=1)`` in the making of a value: all rows of pandas' table in a drawn order."""
    calls = [one for one in ast.walk(value) if isinstance(one, ast.Call) and called_name(one) == "sample"]
    return [call for call in calls if _keyword(call, "frac") in ("1", "1.0")]


def _keyword(call: ast.Call, name: str) -> str:
    """How a keyword's value is written; empty where it is not given."""
    return next((ast.unparse(one.value) for one in call.keywords if one.arg == name), "")


def _in_fixed_order(value: ast.expr) -> str:
    """The name of the array whose rows a value holds turned round, moved on or sorted; empty of anything else."""
    while isinstance(value, ast.Call) and called_name(value) in _RESHAPES:
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        given = owner if not value.args or called_name(value) in ("astype", "reshape") else value.args[0]
        if given is None:
            return ""
        value = given
    if isinstance(value, ast.Call) and called_name(value) in _FIXED and value.args:
        axis = _keyword(value, "axis")
        return root_name(value.args[0]) if axis in ("", "0") and isinstance(value.args[0], ast.Name) else ""
    if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name):
        return ""
    rows = value.slice.elts[0] if isinstance(value.slice, ast.Tuple) and value.slice.elts else value.slice
    return value.value.id if isinstance(rows, ast.Slice) and ast.unparse(rows) == "::-1" else ""


def _counts(node: ast.AST) -> bool:
    """``np.arange(n)``, ``list(range(n))``."""
    return isinstance(node, ast.Call) and ("range" in called_name(node) or any(map(_counts, node.args)))


def _names(nodes: list) -> set:
    return {name for node in nodes for name in target_names(node)}


def _takes_together(name: str) -> bool:
    return name in _TOGETHER or (name != "GeneratorDataset" and _SAMPLES.search(name) is not None)


def _rows_of(call: ast.Call) -> list:
    """The names that a call takes rows of: given themselves, or in a tuple, a list or a dictionary."""
    several = called_name(call) in ("zip", "train_test_split") or called_name(call) not in _TOGETHER
    data = [word.value for word in call.keywords if word.arg == "data"]
    found, waiting = [], [*(call.args if several else call.args[:1]), *data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.Tuple, ast.List)):
            waiting += one.elts
        elif isinstance(one, ast.Dict):
            waiting += one.values
        else:
            found += _rows(one)
    return found


def _rows(node: ast.AST) -> list:
    """The name of an array that is given whole, or a slice of it; none of anything else."""
    whole = node.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else node
    return [whole.id] if isinstance(whole, ast.Name) else []
