"""Attention over the nodes of a graph that leaves the neighbours out (cg.03)."""

import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A product with what is named after a mask or the edges of a graph.
_PRODUCT = re.compile(r"(?i)\*\s*\w*(adj|mask|edge|link|neigh)|(adj|mask|edge|link|neigh)\w*\s*\*|\bmul\w*\(")


def judge_neighbours(run_data: RunData) -> Optional[Finding]:
    """The finding on a mask that hides the neighbours of each node and shows it all the others."""
    limit = run_data.limit("cg.03.unattended")
    found = [one for one in run_data.probes.attended_neighbours if one.share is not None and one.share <= limit]
    if not found:
        return _multiplied(run_data)
    return _finding(
        run_data,
        found,
        Text(
            "图注意力看不到邻居：{operator} 只把 {share} 的权重给了邻接矩阵中相连的节点（它们占全部节点对的 {even}），"
            "掩码遮住的是邻居，留下的是不相连的节点。",
            "Attention over a graph leaves the neighbours out: {operator} gives {share} of its weight to nodes that the matrix "
            "of neighbours links ({even} of all pairs): the mask hides the neighbours and leaves the nodes that are not linked.",
            operator=found[0].operator,
            share=percent(found[0].share),
            even=percent(found[0].even),
        ),
        Text(
            "遮住不相连的节点：masked_fill(scores, adjacency == 0, -1e9)，where 的两个分支不要写反。",
            "Hide the nodes that are not linked: masked_fill(scores, adjacency == 0, -1e9), or exchange the two sides of where.",
        ),
    )


def _finding(run_data: RunData, found: list, says: Text, advice: Text) -> Finding:
    """The problem, at each softmax and what gives it its scores."""
    places = [place for one in found for place in (one.given_by, one.place) if place]
    code = run_data.code_at(places, Text("softmax 与它的掩码", "The softmax and its mask"))
    return problem(says, advice, code, places)


def _multiplied(run_data: RunData) -> Optional[Finding]:
    """The finding on scores that are multiplied by the matrix of neighbours: a score of 0 is not one of no weight."""
    even = run_data.limit("cg.03.as_even")
    found = [one for one in run_data.probes.attended_neighbours if one.even and (one.share or 0.0) <= even * one.even]
    found = [one for one in found if _is_product(run_data, one.given_by)]
    if not found:
        return None
    return _finding(
        run_data,
        found,
        Text(
            "图注意力没有遮住不相连的节点：分数乘以邻接矩阵，不相连的分数成为 0 而不是负无穷，{operator} 只把 {share} 的权重给了"
            "相连的节点（它们占全部节点对的 {even}）。",
            "Attention over a graph hides no node: the scores are multiplied by the matrix of neighbours, where 0 is a score "
            "like any other, and {operator} gives {share} of its weight to nodes that are linked ({even} of all pairs).",
            operator=found[0].operator,
            share=percent(found[0].share),
            even=percent(found[0].even),
        ),
        Text(
            "在 softmax 之前遮住不相连的节点：masked_fill(scores, adjacency == 0, -1e9)。",
            "Hide the nodes that are not linked before the softmax: masked_fill(scores, adjacency == 0, -1e9).",
        ),
    )


def _is_product(run_data: RunData, where: Optional[Fact]) -> bool:
    text = run_data.lines(where, 0) if where else None
    return bool(text and _PRODUCT.search(" ".join(text[1])))
