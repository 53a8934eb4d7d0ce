"""Ids that become one before they are looked up in an embedding (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_merged_ids(run_data: RunData) -> Optional[Finding]:
    """A problem where cg.03.merged of the ids or more have become one with others before they are looked up, and the training
    did not come cg.03.solved below a constant prediction."""
    one = run_data.probes.merged_ids
    if not one.operator or one.share is None or one.share < run_data.limit("cg.03.merged"):
        return None
    if unsolved_gain(run_data) is None:
        return None
    places = [one.place] if one.place else []
    return problem(
        Text(
            "查表之前 {operator}（{where}）把不同的 id 变成同一个：一个 batch 中的 {before} 种 id 只剩 {after} 种，"
            "{share} 的 id 与别的 id 混为一谈，共用嵌入表的一行。",
            "Before they are looked up, {operator} at {where} makes one of different ids: of {before} in a batch {after} are "
            "left, and {share} of the ids share a row of the table with others.",
            operator=one.operator,
            where=at(one.place),
            before=one.before,
            after=one.after,
            share=percent(one.share),
        ),
        Text(
            "让嵌入表的行数不少于 id 的种数，去掉截断或取余。",
            "Give the table as many rows as there are ids, and take the clamp or remainder away.",
        ),
        run_data.code_at(places, Text("id 被合并之处", "Where ids become one")),
        places,
    )
