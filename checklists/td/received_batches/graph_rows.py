"""A graph whose matrix was put into a new order along its rows alone, beside the nodes' features or labels (td.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.reordered_alone import DRAWS, is_draw
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import assignments, called_name, own_nodes

#: What joins a matrix and its transpose into that of an undirected graph, and what makes one of two equal sizes.
_JOINS, _MADE = ("maximum", "logical_or", "bitwise_or"), ("zeros", "ones", "eye", "rand", "full", "random")
_GRAPH = re.compile(r"(?i)adj|edge|graph|lapl|neighbo")


def graph_rows(run_data: RunData) -> Optional[Finding]:
    """A problem where ``adj = adj[order]`` stands beside ``x = x[order]``, of an order that is drawn, a matrix of nodes by nodes,
    and nothing takes its columns by that order: its edges join other nodes than before."""
    for file, tree in run_data.source.trees.items():
        calls = run_data.source.calls_named(file, DRAWS)
        for scope in [tree, *run_data.source.functions_around(file, calls)] if calls else ():
            line, name, partner = _reordered(scope, tree)
            if line:
                where = place(file, line)
                return _finding(run_data, where, name, partner)
    return None


def _reordered(scope: ast.AST, tree: ast.AST) -> tuple:
    """``(line, matrix, partner)``; ``(0, "", "")`` where nothing is wrong."""
    parts = list(assignments(own_nodes(scope)))
    drawn = {held.id for _, held, value, _ in parts if isinstance(held, ast.Name) and is_draw(value)}
    taken = [
        (ast.unparse(value.value), value.slice.id, value.lineno)
        for _, _, value, _ in parts
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Name) and value.slice.id in drawn
    ]
    for name, order, line in taken:
        others = [one for one, by, _ in taken if by == order and one != name]
        columns = re.search(rf":\s*,\s*{order}\b|ix_\(\s*{order}\b|axis\s*=\s*1", "\n".join(_lines_with(scope, order)))
        if others and not columns and _is_graph(name, tree):
            return line, name, others[0]
    return 0, "", ""


def _lines_with(scope: ast.AST, name: str) -> list:
    """The statements of a scope that read a name, as text."""
    return [
        ast.unparse(one)
        for one in own_nodes(scope)
        if isinstance(one, (ast.Assign, ast.Expr, ast.Return))
        and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(one))
    ]


def _is_graph(name: str, tree: ast.AST) -> bool:
    """Whether a matrix is joined with its transpose, or is named as one of a graph and made of two equal sizes."""
    values = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(ast.unparse(one) == name for one in node.targets)
    ]
    nodes = [one for value in values for one in ast.walk(value)]
    if any(_joins_transpose(one) for one in nodes):
        return True
    made = [one for one in nodes if isinstance(one, ast.Call) and called_name(one) in _MADE and one.args]
    return bool(_GRAPH.search(name)) and any(_two_equal(one) for one in made)


def _joins_transpose(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Call) and called_name(node) in _JOINS:
        sides = node.args[:2]
    else:
        return False
    texts = [ast.unparse(one) for one in sides]
    return len(texts) == 2 and (texts[1] == f"{texts[0]}.T" or texts[0] == f"{texts[1]}.T")


def _two_equal(call: ast.Call) -> bool:
    sizes = call.args[0].elts if isinstance(call.args[0], ast.Tuple) else call.args
    return len(sizes) >= 2 and ast.unparse(sizes[0]) == ast.unparse(sizes[1])


def _finding(run_data: RunData, where, name: str, partner: str) -> Finding:
    return problem(
        Text(
            "{where} 只按新的顺序取 {name} 的行，而它的列仍是原来的节点顺序（{partner} 已按新顺序排列）：边连到了别的节点。",
            "{where} takes the rows of {name} in a new order, and its columns stand for the nodes in the order before ({partner} "
            "is in the new one): its edges join other nodes.",
            where=at(where),
            name=name,
            partner=partner,
        ),
        Text(
            "行和列都按同一顺序取：{name}[order][:, order]。",
            "Take rows and columns in that order: {name}[order][:, order].",
            name=name,
        ),
        [run_data.code_at([where], Text("重新排序之处", "Where it is put into a new order"))],
        [where],
    )
