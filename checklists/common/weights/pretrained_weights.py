"""Were the right pretrained weights loaded, whole, and were they still there when training began? (wi.02)"""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.discarded_results import discarded_calls
from msprec.checklists.common.script.own_classes import class_names
from msprec.checklists.common.weights.averaged_weights import holds_first_weights
from msprec.checklists.common.weights.chosen_on_training import chosen_on_training
from msprec.checklists.common.weights.kept_views import kept_as_views
from msprec.checklists.common.weights.kept_weights import kept_at_worst
from msprec.checklists.common.weights.monitored_metric import monitored_the_wrong_way
from msprec.checklists.common.weights.states_as_weights import states_as_weights
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided, worst
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import REFERENCE_WEIGHTS
from msprec.source.user_code import called_name

# states of optimizers and counters, which files hold beside the weights
_STATE = re.compile(
    r"(^|\.)(moments?|moment[12]|accum|stats|global_step|learning_rate|momentum|weight_decay|beta[12]_power|scale_sense|"
    r"epoch_num|step_num|loss_scale|current_iterator_step|last_overflow_iterator_step|grad_accumulate|num_batches_tracked|"
    r"position_ids|relative_position_index|index)(\.|$)"
)
# small parts that are trained beside pretrained weights, and are in no file
_ADAPTER = re.compile(r"lora|adapter|prompt|ia3|prefix_encoder", re.IGNORECASE)
_LOADS = r"load_checkpoint\(|load_param_into_net\("
#: Words of code that loads weights, or names files of them; classes and functions that only save are none.
_WEIGHTS = (
    r"(?i)\bload_(?!digits|iris|wine|boston|breast|diabetes|data|csv|dataset)|\.load\(|pretrain|ckpt|checkpoint(?!config|\()|"
    r"resume|restore|weights_path|safetensors|\.pth?\b|from_pretrained|set_data\(|import_module|exec\("
)
#: What keeps parameters of a network under a name of its own.
_KEPT = r"=.*(parameters_dict\(|parameters_and_names\(|get_parameters\(|trainable_params\()(?!.*(clone|copy|asnumpy)\()"
_PREFIX = re.compile(r"([A-Za-z_]\w*\.)+$")
_ADVICE = Text(
    "打印 load_param_into_net 的两个返回值，使名称与网络一致（增删前缀），确认文件属于这个网络；在初始化之后、训练之前加载。",
    "Print both lists that load_param_into_net returns, bring the names into line with the network's (add or strip a prefix), "
    "and make sure that the file belongs to this very network; load after every initialisation and before training.",
)


#: What gives parameters values that a script holds itself.
_PUTS_BACK = r"\.set_data\(|\bassign\("


class JudgedLoad(NamedTuple):
    """``level``: problem, undecided or ok; ``says``: the sentence, without a full stop."""

    level: str
    says: Text
    load: Fact


def judge_loads(run_data: RunData) -> Finding:
    """The finding on all loads of a run, and on the reference weights where there are some."""
    loads = [load for load in run_data.loads if not load.optimizer]
    judged = [
        _reference(run_data),
        kept_as_views(run_data),
        monitored_the_wrong_way(run_data),
        states_as_weights(run_data),
        chosen_on_training(run_data),
    ]
    judged += [_of_loads(run_data, loads)] if loads else []
    judged += [holds_first_weights(run_data)]
    judged += [kept_at_worst(run_data)] if loads or run_data.find_lines(_PUTS_BACK, 1) else []
    findings = [finding for finding in judged if finding is not None]
    return worst(findings) if findings else _nothing_loaded(run_data)


def nothing_to_load(run_data: RunData) -> Optional[Finding]:
    """Of a run that callbacks recorded, which see no loading: its sources name nothing that loads or holds weights."""
    if not run_data.entries or run_data.find_lines(_WEIGHTS):
        return None
    words = run_data.run.command[1:]
    if any(re.search(_WEIGHTS, word) for word in words):
        return None
    return not_applicable(
        Text(
            "脚本及其导入的文件中没有任何加载权重的代码。",
            "The script and the files that it imports have no line that loads weights.",
        )
    )


def _nothing_loaded(run_data: RunData) -> Finding:
    named = [
        word for word in run_data.run.command[2:] if re.search(r"\.(ckpt|pth|pt|safetensors)$", word.split("=")[-1])
    ]
    if named:
        return undecided(
            Text(
                "命令行给出了 {files}，但运行中没有加载任何权重。",
                "The command names {files}, but no weights were loaded in the run.",
                files=listed(named),
            ),
            Text(
                "检查脚本为何没有加载它（路径不存在时被跳过？），或它只是输出文件。",
                "See why the script did not load it (passed over because the path does not exist?), or whether it is an output.",
            ),
            [],
            run_data.find_lines(_LOADS),
        )
    ended_early = not run_data.trained and not run_data.trains_nothing
    ahead = run_data.find_lines(_LOADS) if ended_early else []
    if ahead:
        return undecided(
            Text(
                "运行在第一步训练之前结束，没有执行到加载权重的语句。",
                "The run ended before its first training step and never came to the lines that load weights.",
            ),
            Text("用 `msprec run` 把训练运行到结束。", "Run the training to its end with `msprec run`."),
            [],
            ahead,
        )
    return not_applicable(Text("运行中没有加载任何权重。", "No weights were loaded in this run."))


def _thrown_away(run_data: RunData, loads: list) -> list:
    """The places of loads that are statements of their own and are given the file alone."""
    lines = {(load.place.file, load.place.line) for load in loads if load.place and load.function == "load_checkpoint"}
    return [
        where
        for where, call in discarded_calls(run_data)
        if (where.file, where.line) in lines
        if called_name(call) == "load_checkpoint" and len(call.args) + len(call.keywords) == 1
    ]


def _of_loads(run_data: RunData, loads: list) -> Finding:
    judged = [
        one for load in loads for one in [_judge(run_data, load, loads) or _unused(run_data, load)] if one is not None
    ]
    evidence = [_loads_table(loads), *(_names_table(load) for load in loads)]
    thrown = _thrown_away(run_data, loads)
    if thrown:
        return problem(
            Text(
                "{where} 读取了检查点，而读到的参数没有保存到任何变量，也没有给出网络：网络仍是原来的权重。",
                "{where} reads a checkpoint and keeps nothing of it, nor names a network: the weights are those from before.",
                where=at(thrown[0]),
            ),
            Text(
                "ms.load_param_into_net(net, ms.load_checkpoint(path))，或 ms.load_checkpoint(path, net)。",
                "Write ms.load_param_into_net(net, ms.load_checkpoint(path)), or ms.load_checkpoint(path, net).",
            ),
            evidence,
            thrown,
        )
    if not judged:
        return undecided(
            Text(
                "读取了检查点，但没有看到它的参数进入网络。",
                "A checkpoint was read, but nothing of it was seen to reach a network.",
            ),
            Text("核对读取的参数用在何处。", "See what the parameters that were read are used for."),
            evidence,
            [load.place for load in loads],
        )
    order = ("problem", "undecided", "ok")
    level = min((one.level for one in judged), key=order.index)
    told = [one for one in judged if one.level == level]
    places = [one.load.place for one in told]
    if level == "problem":
        places += [at_place for one in told for at_place in _prefixes(run_data, one.load) if at_place not in places]
        places += run_data.find_lines(_KEPT, 3) if any(one.load.in_own_memory for one in told) else []
        places += _set_anew(run_data) if any(one.load.at_start.overwritten for one in told) else []
    says = Joined(list({one.says.render("en"): one.says for one in told}.values())[:4], zh="；", en="; ")
    evidence.append(run_data.code_at(places, Text("加载之处", "Where weights are loaded")))
    if level == "problem":
        return problem(Text("{says}。", "{says}.", says=says), _ADVICE, evidence, places)
    if level == "undecided":
        return undecided(
            Text("{says}。", "{says}.", says=says),
            Text(
                "对照列出的参数名，确认它们本来就不该由这个文件提供；或用 `--reference-weights` 给出参考权重。",
                "Look through the names that are listed: are they meant not to come from this file? Or give the weights to "
                "start from with `--reference-weights`.",
            ),
            evidence,
            places,
        )
    return ok(Text("{says}。", "{says}.", says=says), evidence, places)


def _judge(run_data: RunData, load: Fact, loads: list) -> Optional[JudgedLoad]:
    if load.error:
        return _failed(load, loads)
    if load.function == "load_checkpoint":
        return _read_only(run_data, load, loads)
    total, loaded = load.network_parameters, load.loaded
    if loaded and load.in_own_memory == loaded and _after_updates(run_data, load):
        return JudgedLoad(
            "problem",
            Text(
                "加载到 {net} 的 {n} 个参数就在该网络自己的内存里：训练改写了它们，"
                "这次加载什么也没有恢复（parameters_dict() 等给出的是参数本身，不是副本）",
                "the {n} parameters that are loaded into {net} lie in that network's own memory: training has written over them, "
                "and the load restores nothing (parameters_dict() and the like give the parameters themselves, no copies)",
                net=load.network,
                n=loaded,
            ),
            load,
        )
    if total is None or loaded is None:
        return JudgedLoad(
            "undecided",
            Text("加载了权重，但没有记录哪些参数未加载", "weights were loaded; which of them was not recorded"),
            load,
        )
    if total and not loaded:
        return JudgedLoad(
            "problem",
            Text(
                "{file} 中没有一个参数进入网络 {net}（{total} 个参数全部未加载）",
                "nothing of {file} got into the network {net}: all {total} of its parameters were left as they were",
                file=_file(load),
                net=load.network,
                total=total,
            ),
            load,
        )
    read = [one for one in loads if one.file == load.file and one.function == "load_checkpoint"]
    arrived = any(one.at_start.kept for one in read)  # copied from there by the script
    if load.network_used is False and not arrived and _another_runs(run_data, load):
        return JudgedLoad(
            "problem",
            Text(
                "{file} 加载到了另一个 {net} 实例，而它从未运行，训练的是没有加载的那一个",
                "{file} was loaded into another {net} than the one that trains, and that one is never run",
                file=_file(load),
                net=load.network,
            ),
            load,
        )
    return _overwritten(load, loads) or _gaps(run_data, load)


def _after_updates(run_data: RunData, load: Fact) -> bool:
    """Whether td.07.updates had been made, and the network is not a copy in the trained one's memory, which td.07 tells."""
    shares = any(copy.shared and copy.class_ == load.network for copy in run_data.copies)
    return not shares and (load.step or 0) >= run_data.limit("td.07.updates")


def _another_runs(run_data: RunData, load: Fact) -> bool:
    """Whether another instance of the class that was loaded was run, alone or in a network."""
    return load.network in class_names(run_data) or any(network.class_ == load.network for network in run_data.networks)


def _prefixes(run_data: RunData, load: Fact) -> list:
    """The lines of the function around a load that write a prefix of parameters' names, such as ``"backbone."``."""
    around = run_data.source.function_around(load.place.file or "", load.place.line or 0)
    texts = [one for one in ast.walk(around) if isinstance(one, ast.Constant)] if around is not None else []
    lines = {one.lineno for one in texts if isinstance(one.value, str) and _PREFIX.match(one.value)}
    return [place(load.place.file, line) for line in sorted(lines)][:3]


def _set_anew(run_data: RunData) -> list:
    """The lines that give parameters other values, and the last ones that name the functions around them."""
    lines = run_data.find_lines(r"\.set_data\(|\bassign\(|\.init_data\(", 3)
    around = [run_data.source.function_around(one.file, one.line) for one in lines]
    names = {one.name for one in around if one is not None and one.name not in ("main", "__init__")}
    named = [at for name in sorted(names) for at in run_data.find_lines(rf"(?<!def )\b{re.escape(name)}\b", 6)[-2:]]
    return [*named, *lines]


def _failed(load: Fact, loads: list) -> Optional[JudgedLoad]:
    later = loads[loads.index(load) + 1 :]
    if any(other.error is None and other.loaded for other in later):
        return None
    return JudgedLoad(
        "problem",
        Text(
            "{function} 失败（{error}），权重没有加载",
            "{function} failed ({error}), and the weights were not loaded",
            function=load.function,
            error=(load.error or "")[:160],
        ),
        load,
    )


#: What looks at the parameters of a file and puts them nowhere.
_LOOKS = ("print", "len", "list", "sorted", "keys", "pop", "info", "debug", "get_parameters")


def _unused(run_data: RunData, load: Fact) -> Optional[JudgedLoad]:
    """A file that was read before a training into a name of which nothing is made."""
    tree = run_data.source.trees.get(load.place.file or "")
    if load.function != "load_checkpoint" or tree is None or (load.parameters or 0) < 1:
        return None
    read = [
        (node.targets[0], node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.lineno <= (load.place.line or 0) <= (node.end_lineno or node.lineno)
    ]
    name, call = read[0] if len(read) == 1 else (None, None)
    if not isinstance(name, ast.Name) or not isinstance(call, ast.Call) or called_name(call) != "load_checkpoint":
        return None
    if len(call.args) > 1 or any(one.arg == "net" for one in call.keywords):
        return None  # it goes into that network
    looked = {
        part
        for looking, _ in run_data.source.calls_to(load.place.file or "", _LOOKS)
        for part in ast.walk(looking)
        if isinstance(part, ast.Name)
    }
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Load)]
    if any(use not in looked for use in uses):
        return None
    return JudgedLoad(
        "problem",
        Text(
            "读取了 {file}（{n} 个参数），之后 {name} 再没有用到：没有 load_param_into_net，训练从随机权重开始",
            "{file} is read ({n} parameters), and {name} is used for nothing after that: without load_param_into_net the "
            "training starts from random weights",
            file=_file(load),
            n=load.parameters,
            name=name.id,
        ),
        load,
    )


def _read_only(run_data: RunData, load: Fact, loads: list) -> Optional[JudgedLoad]:
    """A file that was read; whether its values reached the network by another way than load_param_into_net."""
    if any(other.function != "load_checkpoint" and other.file == load.file for other in loads):
        return None
    start = load.at_start
    known, kept = start.names_in_network or 0, start.kept or 0
    if not start.trained:
        return None
    if kept and kept >= 0.9 * known:
        return JudgedLoad(
            "ok",
            Text(
                "训练开始时网络 {trained} 个参数中有 {kept} 个与 {file} 的值相同",
                "{kept} of the {trained} trained parameters start with values of {file}",
                kept=kept,
                trained=start.trained,
                file=_file(load),
            ),
            load,
        )
    if known:
        return JudgedLoad(
            "problem",
            Text(
                "{file} 有 {known} 个参数与网络同名，但训练开始时只有 {kept} 个是文件中的值",
                "{file} has {known} of the network's names, but only {kept} have its values when training begins",
                file=_file(load),
                known=known,
                kept=kept,
            ),
            load,
        )
    alike = start.names_alike or 0
    if alike >= run_data.limit("wi.02.names_alike") and 2 * alike > (load.parameters or 0):
        return JudgedLoad(
            "problem",
            Text(
                "读取了 {file}，网络有 {alike} 个参数与它只差名字前缀、形状相同，但训练开始时没有一个是"
                "其中的值：前缀对不上，什么也没有加载",
                "{file} was read, and {alike} parameters of the network have its names and shapes but for a prefix, yet none has "
                "a value of it when training begins: the prefix does not fit, and nothing was loaded",
                file=_file(load),
                alike=alike,
            ),
            load,
        )
    return JudgedLoad(
        "undecided",
        Text(
            "读取了 {file}，但训练开始时没有任何参数是其中的值",
            "{file} was read, but no parameter has a value of it when training begins",
            file=_file(load),
        ),
        load,
    )


def _overwritten(load: Fact, loads: list) -> Optional[JudgedLoad]:
    """Values that were put into the network and are no longer there before the first step."""
    gone, trained = load.at_start.overwritten, load.at_start.trained or 0
    later = [other for other in loads[loads.index(load) + 1 :] if other.step == load.step and other.loaded]
    if not gone or later:
        return None
    # the last layer, given new values for a new task, is the customary exception
    last = next((module[0] for module in reversed(modules_of(load))), None)
    cells = {name.rpartition(".")[0] for name in gone}
    if (
        len(cells) == 1
        and len(gone) < trained
        and (next(iter(cells)).split(".")[0] == last or "head" in next(iter(cells)))
    ):
        return None
    return JudgedLoad(
        "problem",
        Text(
            "{file} 加载之后，{n} 个（{total} 个中）参数在训练开始前又被改写或重新创建：{names}",
            "{n} of {total} parameters were given other values, or made anew, after {file} had been loaded and before training: "
            "{names}",
            file=_file(load),
            n=len(gone),
            total=trained,
            names=listed(gone, 4),
        ),
        load,
    )


def _gaps(run_data: RunData, load: Fact) -> JudgedLoad:
    """Parameters of the network that the file did not fill."""
    total, loaded = load.network_parameters, load.loaded
    gaps = [gap for gap in load.missing if not _STATE.search(gap.name) and not _ADAPTER.search(gap.name)]
    if not gaps:
        return JudgedLoad(
            "ok",
            Text(
                "{file} 的参数填满了网络 {net}（{loaded}/{total}）",
                "the network {net} was filled from {file}: {loaded} of {total} parameters",
                file=_file(load),
                net=load.network,
                loaded=loaded,
                total=total,
            ),
            load,
        )
    names = listed((gap.name for gap in gaps), 4)
    spare = {
        tuple(one.shape): one.name for one in load.left_over if len(one.shape) >= 2 and not _STATE.search(one.name)
    }
    same = [(gap, spare[tuple(gap.shape)]) for gap in gaps if not gap.file_shape and tuple(gap.shape) in spare]
    if same:
        return JudgedLoad(
            "problem",
            Text(
                "{n} 个（{total} 个中）参数没有加载，文件中却有形状相同的参数没用上（网络的 {a}，文件的 {b}）：名称对不上",
                "{n} of {total} parameters got nothing while the file holds unused ones of the same shape under other names (the "
                "network's {a}, the file's {b}): the names do not match",
                n=len(gaps),
                total=total,
                a=same[0][0].name,
                b=same[0][1],
            ),
            load,
        )
    reshaped = {gap.name.rpartition(".")[0] for gap in gaps if gap.file_shape and gap.file_shape != gap.shape}
    if len(reshaped) > run_data.limit("wi.02.head"):
        return JudgedLoad(
            "problem",
            Text(
                "{n} 个层在文件中的形状与网络不同而没有加载：文件属于另一种规格的网络（{names}）",
                "{n} layers were left out because the file has them in other shapes: it belongs to another network ({names})",
                n=len(reshaped),
                names=names,
            ),
            load,
        )
    inside = [gap for gap in gaps if not gap.last and gap.name.rpartition(".")[0] not in reshaped]
    modules = {module[0]: module[1:] for module in modules_of(load)}
    partly = [gap for gap in inside if not _wholly_absent(gap.name, modules)]
    if partly:
        return JudgedLoad(
            "problem",
            Text(
                "{n} 个（{total} 个中）参数没有加载，而它们之后的层加载了：{names}",
                "{n} of {total} parameters got nothing though layers after them did: {names}",
                n=len(partly),
                total=total,
                names=listed((gap.name for gap in partly), 4),
            ),
            load,
        )
    if not inside and _stays_random(run_data, load, gaps):
        return JudgedLoad(
            "problem",
            Text(
                "{n} 个（{total} 个中）参数没有加载，也不参与训练，一直保持随机的初始值：{names}",
                "{n} of {total} parameters got nothing from the file and are not trained either, so that they keep their random "
                "start: {names}",
                n=len(gaps),
                total=total,
                names=names,
            ),
            load,
        )
    if inside or loaded < run_data.limit("wi.02.loaded") * total:
        return JudgedLoad(
            "undecided",
            Text(
                "{n} 个（{total} 个中）参数没有加载：{names}",
                "{n} of {total} parameters got nothing from the file: {names}",
                n=len(gaps),
                total=total,
                names=names,
            ),
            load,
        )
    return JudgedLoad(
        "ok",
        Text(
            "{loaded}/{total} 个参数已加载，未加载的只有新的输出部分（{names}）",
            "{loaded} of {total} parameters were loaded; only the new last part was not ({names})",
            loaded=loaded,
            total=total,
            names=names,
        ),
        load,
    )


def _stays_random(run_data: RunData, load: Fact, gaps: list) -> bool:
    """Whether the last layers, left out of the only load of such a network, are a part of the training that nothing updates."""
    same = [one for one in run_data.loads if one.network == load.network and one.loaded]
    if len(same) != 1 or not load.network_used:
        return False
    frozen = [
        one for one in run_data.parameters if not one.requires_grad and one.moved.any is False and one.kind == "weight"
    ]
    found = [
        any(
            (one.name or "").endswith(f".{gap.name}")
            and list(one.shape) == list(gap.shape)
            and not one.initial.constant
            for one in frozen
        )
        for gap in gaps
        if len(gap.shape or ()) > 1
    ]
    return bool(found) and all(found)


def modules_of(load: Fact) -> list:
    """[name, parameters, of them loaded] of each part of the network, in its order."""
    return [module for module in load.modules if len(module) == 3 and isinstance(module[0], str)]


def _wholly_absent(name: str, modules: dict) -> bool:
    """Whether nothing of the module that a parameter belongs to was loaded: a module that the file never had."""
    counts = modules.get(name.split(".")[0])
    return counts is not None and counts[1] == 0


# --- the reference -------------------------------------------------------------------------------------------------


def _reference(run_data: RunData) -> Optional[Finding]:
    """The weights that training started from beside those that it should have started from."""
    given = run_data.file("reference_weights", REFERENCE_WEIGHTS)
    known = {parameter.name: parameter for parameter in given.parameters if parameter.name}
    if not known or not run_data.parameters:
        return None
    rows: list = []
    different: list = []
    equal: list = []
    reshaped: list = []
    for parameter in run_data.parameters:
        other = known.get(parameter.name) or known.get(parameter.path)
        if other is None or None in (parameter.initial.min, parameter.initial.max, other.min, other.max):
            continue
        if parameter.shape != other.shape:
            reshaped.append(parameter)
            continue
        (equal if _equal(run_data, parameter.initial, other) else different).append(parameter)
        mine = parameter.initial
        rows.append(
            [parameter.name, mine.mean, other.mean, mine.std, other.std, mine.min, other.min, mine.max, other.max]
        )
    if not rows:
        return undecided(
            Text(
                "参考权重 {file} 与网络没有同名同形状的参数。",
                "No parameter of the network has its name and shape in the reference {file}.",
                file=given.file,
            ),
            Text(
                "给出参数名与网络一致的参考权重（可先改名再另存）。",
                "Give a reference whose names are those of the network (rename and save it first).",
            ),
        )
    heads = [
        Text("参数", "parameter"),
        *(
            Text(f"{zh}{side}", f"{en}{mark}")
            for zh, en in (("均值", "mean"), ("标准差", "std"), ("最小", "min"), ("最大", "max"))
            for side, mark in (("", ""), ("（参考）", " (reference)"))
        ),
    ]
    apart = {parameter.name for parameter in different}
    shown = [
        table(
            Text("初始权重与参考权重", "Initial weights compared with the reference"),
            heads,
            sorted(rows, key=lambda row: row[0] not in apart),
        )
    ]
    for piece in shown:
        piece.source = "reference"
    places = [load.place for load in run_data.loads] or [n.place for n in run_data.networks if n.role == "train"]
    cells = {parameter.name.rpartition(".")[0] for parameter in different + reshaped}
    if different and not (len(cells) == 1 and len(different) < len(equal)):
        return problem(
            Text(
                "{n} 个（{total} 个中）参数训练开始时的值与参考权重不同：{names}。",
                "{n} of {total} parameters start training with other values than the reference: {names}.",
                n=len(different),
                total=len(rows),
                names=listed((p.name for p in different), 4),
            ),
            _ADVICE,
            shown,
            places,
        )
    return ok(
        Text(
            "{n}/{total} 个参数训练开始时与参考权重相同。",
            "{n} of {total} parameters start training equal to the reference.",
            n=len(equal),
            total=len(rows) + len(reshaped),
        ),
        shown,
        places,
    )


def _equal(run_data: RunData, mine: Fact, other: Fact) -> bool:
    width = max(abs(other.max - other.min), 0.01 * abs(other.max), 1e-12)
    pairs = ((mine.min, other.min), (mine.max, other.max), (mine.mean, other.mean), (mine.std, other.std))
    return all(
        a is not None and b is not None and abs(a - b) <= run_data.limit("wi.02.equal") * width for a, b in pairs
    )


# --- evidence ------------------------------------------------------------------------------------------------------


def _file(load: Fact):
    """The name of the file that was loaded; of weights that were read from none that was seen, words."""
    name = (load.file or "").replace("\\", "/").rsplit("/", 1)[-1]
    return name or Text("所给的参数字典", "the parameters that were given")


def _loads_table(loads: list):
    rows = [
        [
            load.function,
            load.file,
            load.md5,
            load.network,
            load.network_parameters,
            load.loaded,
            len(load.not_in_network),
            load.strict,
            load.step,
            at(load.place),
        ]
        for load in loads
    ]
    heads = [
        Text("函数", "function"),
        Text("文件", "file"),
        "MD5",
        Text("网络", "network"),
        Text("网络参数", "its parameters"),
        Text("已加载", "loaded"),
        Text("网络中没有", "not in the network"),
        "strict",
        Text("步", "step"),
        Text("位置", "place"),
    ]
    return table(Text("权重加载", "Loads"), heads, rows)


def _names_table(load: Fact):
    if not load.missing and not load.left_over:
        return None
    rows = [
        [Text("网络中未加载", "network's, not loaded"), gap.name, _shape(gap.shape), _shape(gap.file_shape)]
        for gap in load.missing
    ]
    rows += [[Text("文件中未用上", "file's, not used"), one.name, "", _shape(one.shape)] for one in load.left_over]
    heads = [
        Text("类别", "kind"),
        Text("参数", "parameter"),
        Text("网络中的形状", "shape in the network"),
        Text("文件中的形状", "shape in the file"),
    ]
    return table(
        Text("{file}：没有对上的参数", "{file}: parameters without a match", file=_file(load)), heads, rows, most=30
    )


def _shape(shape: list) -> str:
    return "×".join(map(str, shape))
