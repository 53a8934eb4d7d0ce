"""Many fully connected layers in a row, without shortcuts and normalisation (td.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import each_place_once
from msprec.checklists.common.script.setting_origin import count_origins
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import construct_of

_LAYERS = ("Dense", "Linear")


def deep_stack(run_data: RunData) -> Optional[Finding]:
    """The problem of a training that came to nothing, of a network of td.02.stack fully connected layers or more, none that
    normalises, and no sum in a class of its own that ran: such a stack passes a signal on, and a gradient back, for weights drawn
    just right alone (Glorot and Bengio 2010; He et al. 2016), whatever else is wrong."""
    networks = [one for one in run_data.networks if one.role == "train"]
    layers = [cell for one in networks for cell in one.cells if cell.class_ in _LAYERS and cell.builtin]
    if len(networks) != 1 or len(layers) < run_data.limit("td.02.stack") or not came_to_nothing(run_data):
        return None
    if any("Norm" in (cell.class_ or "") for cell in networks[0].cells) or _adds_up(run_data, networks[0]):
        return None
    made = each_place_once(cell.created for cell in layers if cell.created and cell.created.line)
    places = [*count_origins(run_data, made), *made]
    return problem(
        Text(
            "网络由 {n} 个全连接层堆叠而成，没有残差连接和归一化，而训练没有学到东西：这样深的堆叠中信号与梯度逐层消失或增大，"
            "与其他问题无关。",
            "The network is a stack of {n} fully connected layers without shortcuts and normalisation, and nothing was learnt: "
            "in one so deep the signal and the gradients fade or grow from layer to layer, whatever else is wrong.",
            n=len(layers),
        ),
        Text(
            "先用 2 到 4 个隐藏层；确需更深时加入残差连接和归一化层。",
            "Begin with 2 to 4 hidden layers; a deeper network needs shortcuts and normalisation layers.",
        ),
        [run_data.code_at(places, Text("各层的创建处", "Where the layers are made"))],
        places,
    )


def _adds_up(run_data: RunData, network: Fact) -> bool:
    """Whether the forward function of a class of the network's adds or joins what it computes, as a shortcut does."""
    for name in {cell.class_ for cell in network.cells} | {network.class_}:
        for _, node in run_data.source.classes(name or ""):
            construct = construct_of(node)
            if construct is not None and any(_joins(one) for one in ast.walk(construct)):
                return True
    return False


def _joins(node: ast.AST) -> bool:
    return isinstance(getattr(node, "op", None), ast.Add) or getattr(getattr(node, "func", None), "attr", "") in (
        "add",
        "concat",
        "cat",
    )
