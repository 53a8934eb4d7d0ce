"""Files that the source divides among ranks by their position in a listing that nothing sorts, as the code tells (dp.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.checklists.common.ranks.sharding import names_sorted, unsorted_listings
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData, place

_RANK = re.compile(r"rank|shard|local_id|node_id|device_id|group_size|world_size", re.IGNORECASE)
_ASKS = re.compile(r"\b(get_rank|get_local_rank|get_group_size)\s*\(|['\"]RANK_(ID|SIZE)['\"]")
_SORTED = re.compile(r"\b(sorted|natsorted|humansorted)\s*\(|\.sort\s*\(")
_ADVICE = Text(
    "切分之前先对列表排序（sorted），或用 num_shards=get_group_size()、shard_id=get_rank() 交给数据集切分。",
    "Sort the list before it is divided (sorted), or let the data set divide itself: num_shards=get_group_size(), "
    "shard_id=get_rank().",
)


def divided_listing(run_data: RunData) -> Optional[Finding]:
    """The finding on a list of files that is cut by the rank in the order in which a folder was listed; None: there is none.

    A problem where the code asks for its rank by itself (``get_rank``, ``RANK_ID``); where the number is an argument, whether
    it ever runs on several devices is not known.
    """
    listings = unsorted_listings(run_data)
    if not listings:
        return None
    lines = {(where.file, where.line) for where, _ in listings}
    cuts = list(_Followed(run_data, lines).cuts())
    if not cuts:
        return None
    names = listed(sorted({name for _, name in listings}))
    places = [where for where, _ in listings] + cuts
    shown = [
        run_data.code_at(places, Text("未排序的列表与切分", "The list that is not sorted, and where it is divided"))
    ]
    says = Text(
        "文件按 rank 切分（{cut}），而列表由 {calls} 得到且未排序：各节点列出的顺序可能不同，有的文件会被重复读取，有的从不读取",
        "The files are divided by rank at {cut}, by their position in what {calls} lists, and nothing sorts it: nodes may list "
        "them in different orders, and then some are read twice and others never",
        cut=at(cuts[0]),
        calls=names,
    )
    if any(_ASKS.search(text) for text in _texts(run_data)):
        return problem(Text("{says}。", "{says}.", says=says), _ADVICE, shown, places)
    return undecided(
        Text(
            "{says}。本次只有一个设备，代码也没有自己查询 rank。",
            "{says}. One device ran, and the code does not ask for its rank by itself.",
            says=says,
        ),
        _ADVICE,
        shown,
        places,
    )


def _texts(run_data: RunData) -> Iterator[str]:
    for tree in run_data.source.trees.values():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Call, ast.Subscript)):
                yield ast.unparse(node)


class _Followed:
    """The names that hold a listing: assigned from it, given back by a function, kept as an attribute; and where they are cut."""

    def __init__(self, run_data: RunData, lines: set):
        self.trees, self.lines = run_data.source.trees, lines
        self.names: set = set()
        self.functions: set = set()
        self.settled = {(file, name) for file, tree in self.trees.items() for name in names_sorted(tree)}
        before = None
        while before != (len(self.names), len(self.functions)):
            before = (len(self.names), len(self.functions))
            for file, tree in self.trees.items():
                self._pass(file, tree)

    def _pass(self, file: str, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and self._held(file, node.value):
                self._holds(file, [target for target in node.targets if not isinstance(target, (ast.Tuple, ast.List))])
            elif isinstance(node, ast.For) and self._held(file, node.iter):
                calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
                filled = [
                    one.value for one in calls if isinstance(one, ast.Attribute) and one.attr in ("append", "extend")
                ]
                self._holds(file, filled)
            elif isinstance(node, ast.FunctionDef):
                back = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
                if any(self._held(file, value) for value in back):
                    self.functions.add(node.name)

    def _holds(self, file: str, targets: list) -> None:
        self.names |= {(file, ast.unparse(target)) for target in targets} - self.settled

    def _held(self, file: str, node: ast.AST) -> bool:
        """Whether an expression is a list in the order of the listing: the call, a name, a filter or a map over one."""
        if isinstance(node, ast.Call):
            own = (file, node.lineno) in self.lines and not _SORTED.search(ast.unparse(node))
            plain = isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple", "map", "filter")
            made = _called(node) in self.functions
            return (
                made or (plain and any(self._held(file, one) for one in node.args)) or (own and _called(node) != "len")
            )
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return any(self._held(file, one.iter) for one in node.generators)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._held(file, node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return (file, ast.unparse(node)) in self.names
        return False

    def cuts(self) -> Iterator:
        """Places where such a list is cut by the rank: ``files[rank::size]``, ``if i % size == rank`` over its elements."""
        for file, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
                    if _RANK.search(ast.unparse(node.slice)) and self._held(file, node.value):
                        yield place(file, node.lineno)
                elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
                    for one in node.generators:
                        if self._numbered(file, one.iter) and any(map(_by_rank, one.ifs)):
                            yield place(file, node.lineno)
                elif isinstance(node, ast.For) and self._numbered(file, node.iter):
                    yield from (place(file, getattr(one, "lineno", 0)) for one in ast.walk(node) if _by_rank(one))

    def _numbered(self, file: str, node: ast.AST) -> bool:
        """``enumerate(files)`` or the files themselves."""
        inner = node.args[0] if isinstance(node, ast.Call) and _called(node) == "enumerate" and node.args else node
        return self._held(file, inner)


def _called(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _by_rank(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    text = ast.unparse(node)
    return "%" in text and _RANK.search(text) is not None
