"""Tokens that are predicted while the network is given them (td.05)."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.array_origin import argument_origins, array_origins
from msprec.checklists.common.training.copied_targets import copies_input
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

#: What turns tokens into vectors.
_LOOKUPS = r"(?i)embed|gather|one_?hot|lookup"
#: What follows the first token.
_FOLLOWING = r"\[:,\s*1:\s*\]"
#: What makes a causal mask, and makes it the wrong way round.
_TRIANGLES = r"\b(triu|tril|Tril|Triu|TriangularMask)\w*\("


def seen_targets(run_data: RunData) -> Optional[Finding]:
    """A problem where the target of a place is among what its prediction is made of (`copies_input`); None where it is not."""
    facts, limit = run_data.probes.seen_targets, run_data.limit("td.05.seen")
    if facts.shift is None or facts.before is None or facts.after is None:
        return None
    if facts.shift == 1 and facts.before > limit:
        # without a mask earlier predictions change too, and a layer that looks one place ahead comes after the lookup
        alone = facts.earlier is not None and facts.earlier <= limit < facts.before
        looked_up = re.search(_LOOKUPS, facts.operator or "") is not None
        return _own_token(run_data, facts) if alone and looked_up else _future(run_data, facts)
    return _not_shifted(run_data, facts) if copies_input(run_data) else None


def _future(run_data: RunData, facts) -> Finding:
    return problem(
        Text(
            "预测下一个 token 时，网络已经看到了它：改变该 token，对它的预测随之改变（为最大变化的 {share}）。"
            "训练的 loss 因此偏低，而生成时没有这个 token 可看。最先把它带到前面位置的运算是 {operator}。",
            "The network sees the token that it is to predict: with another token there its prediction changes (by "
            "{share} of the "
            "largest change). The training loss is low for that reason, and no such token is there when text is generated. "
            "The first operation that carries it to earlier places is {operator}.",
            share=facts.before,
            operator=facts.operator or "?",
        ),
        Text(
            "在 softmax 之前给打分加上因果掩码（上三角为很大的负数）；卷积只在左侧补齐，循环网络不用双向。",
            "Add a causal mask to the scores before the softmax (a large negative number above the diagonal); pad "
            "convolutions on "
            "the left only, and use no bidirectional recurrent layers.",
        ),
        [run_data.code(facts.place, Text("看到后面 token 的运算", "Where later tokens are seen"))],
        [one for one in (*run_data.find_lines(_TRIANGLES, 2), facts.place, facts.loss_place) if one],
    )


def _own_token(run_data: RunData, facts) -> Finding:
    loss, file = facts.loss_place, facts.loss_place.file or ""
    around = run_data.source.function_around(file, loss.line or 0)
    slices = [one for one in run_data.find_lines(_FOLLOWING, 20) if one.file == file]
    if around is not None:
        slices = [one for one in slices if around.lineno <= (one.line or 0) <= (around.end_lineno or around.lineno)]
    places = [*slices, *([loss] if loss else [])]
    return problem(
        Text(
            "网络在每个位置得到的正是该位置要预测的 token（改变它，只有对它自己的预测和之后的预测改变）：解码器的输入没有右移，"
            "照抄即可，而生成时没有这个 token 可看。",
            "Each place is given the very token that it is to predict (with another one there its own prediction changes and "
            "later ones do, and no earlier one): the decoder's input is not shifted and has only to be copied, and no such token "
            "is there when text is generated.",
        ),
        Text(
            "解码器输入用 tokens[:, :-1]（以起始符开头），目标用 tokens[:, 1:]。",
            "Give the decoder tokens[:, :-1], which begin with the start token, and compare with tokens[:, 1:].",
        ),
        [run_data.code_at(places, Text("输入与目标的切片", "Where inputs and targets are cut"))],
        places,
    )


def _not_shifted(run_data: RunData, facts) -> Finding:
    sets = train_sets(run_data)
    inputs = [(data, one) for data in sets for one in data.columns if one.name != data.label.column]
    made = [origin for data, one in inputs for origin in array_origins(run_data, data, one)[:1]]
    steps = [one.place for one in run_data.train_steps if one.place and one.style == "functional"]
    made += [origin for at in steps for origin in argument_origins(run_data, at, facts.input or 0)[:2]]
    return problem(
        Text(
            "目标没有错开：网络只看得到当前及之前的 token，而每个位置的目标就是该位置的输入 token，照抄即可。",
            "The targets are not shifted: the network sees each token and those before it, and the target of each place is the "
            "token given there, which it only has to copy.",
        ),
        Text(
            "预测下一个 token：logits[:, :-1] 与 tokens[:, 1:] 比较；解码器的输入为起始符加 tokens[:, :-1]。",
            "Predict the next token: compare logits[:, :-1] with tokens[:, 1:]; give a decoder a start token and tokens[:, :-1].",
        ),
        [run_data.code(facts.loss_place, Text("损失函数的调用处", "Where the loss is called"))],
        [one for one in (facts.loss_place, *map(first_place, sets), *made) if one],
    )
