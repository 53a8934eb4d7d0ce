"""The judgement on the arguments of a script's API calls (api.01)."""

import ast
import re
from typing import Any, Callable, NamedTuple, Optional

from msprec.bilingual import Text, english, listed
from msprec.checklists.api.argument_differences.api_calls import (
    ApiCall,
    calls_of,
    compared,
    initialises_itself,
    recorded_calls,
    without_initial_values,
)
from msprec.checklists.api.argument_differences.api_mapping import CallSetting
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.cell_arguments import DEFAULT_MOMENTUM, left_of_start, recorded_arguments
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.engine.finding import Evidence, Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import REFERENCE_WEIGHTS
from msprec.source.entry_scripts import only_evaluates
from msprec.source.live_code import LiveCode
from msprec.source.module import Call
from msprec.source.signatures import Argument
from msprec.source.values import UNKNOWN, Values

_CLASSES = {
    "default": Text("默认值不同", "other default"),
    "meaning": Text("含义不同", "other meaning"),
    "renamed": Text("参数改名", "renamed"),
    "initialiser": Text("初始化不同", "other initialiser"),
    "consistent": Text("含义相同", "same meaning"),
}
#: Names of a share to keep.
_KEEPS = re.compile(r"(^|[_.])keep(_?(prob|rate|ratio|p))?$", re.IGNORECASE)
_SEVERITIES = {"high": Text("高", "high"), "medium": Text("中", "medium")}
_RANK = {"high": 0, "medium": 1}
_ASKED_HEADS = [
    Text("调用", "call"),
    Text("位置", "place"),
    Text("参数", "argument"),
    Text("实际值", "value in effect"),
    Text("PyTorch 默认值", "PyTorch's default"),
    Text("严重程度", "severity"),
    Text("建议", "write instead"),
]
_REFERENCE = Text(
    "用 `--reference-script 标杆脚本.py` 指定标杆脚本（PyTorch 或 MindSpore，只读取不运行），逐个比较实际参数；"
    "或者把下列参数都明确写出来。",
    "Name the benchmark script with `--reference-script F.py` (PyTorch or MindSpore; it is read, not run), or write out "
    "the arguments below.",
)


class OtherFrameworkArgument(NamedTuple):
    """A value that only makes sense in the other framework."""

    what: str
    value: float
    why: Text
    write: Text
    place: Fact


def api_arguments(run_data: RunData) -> Finding:
    calls = recorded_calls(run_data, _made_at(_cells(run_data)))
    if run_data.reference_project is not None:
        return _against_reference(run_data, calls)
    foreign = _Foreign(run_data, calls)
    if foreign.found:
        finding = _foreign_problem(run_data, foreign.found)
    elif not calls and not run_data.networks:
        finding = _nothing_read(run_data)
    else:
        finding = _without_reference(run_data, calls)
    if foreign.unreached:
        title = Text(
            "启动的训练不会执行到的同类参数（不计入结论）", "The same in code that no training reaches (not judged)"
        )
        finding.evidence.append(_foreign_table(title, foreign.unreached))
    return finding


# --- values that only make sense in the other framework


class _Foreign:
    """Values of the other framework: those that a start can come to, and those that nothing reaches.

    Calls that made cells of a network that ran are known to happen; others are followed in the source.
    """

    def __init__(self, run_data: RunData, calls: list):
        self._run_data = run_data
        self._live: Optional[LiveCode] = None
        entries, project = run_data.entries, run_data.project
        self._entries = entries if run_data.was_run else [one for one in entries if not only_evaluates(project, one)]
        self.found: list = []
        self.unreached: list = []
        for call in calls:
            for entry in self._of_call(call):
                reached = call.source is None or self._in_training(call.source)
                (self.found if reached else self.unreached).append(entry)
        self.found, self.unreached = _each_once(self.found), _each_once(self.unreached)
        self._add_cells()

    @property
    def live(self) -> LiveCode:
        if self._live is None:
            self._live = LiveCode(self._run_data.project, self._entries, self._run_data.values.command)
        return self._live

    def _in_training(self, source: Call) -> bool:
        """Whether a training can come to the call: where only an evaluation does, dropout and momentum have no effect."""
        return bool(self._entries or not self._run_data.entries) and self.live.reaches(source)

    def _add_cells(self) -> None:
        """Cells that ran, where no call near their place was judged."""
        known = {(entry.place.file, entry.place.line) for entry in self.found}
        for cell in _cells(self._run_data):
            entry, line = _foreign_cell(self._run_data, cell), cell.created.line or 0
            near = {(cell.created.file, number) for number in range(line - 2, line + 3)}
            if entry is not None and not known & near:
                self.found.append(entry)
                known.add((entry.place.file, entry.place.line))

    def _of_call(self, call: ApiCall) -> list:
        parameter, judge = _judge_of(call)
        if parameter is None or (judge is _momentum and self._frozen(call)):
            return []
        name, argument = call.api.rpartition(".")[2], call.arguments.get(parameter)
        given = self._given(call, argument) if argument is not None else [(UNKNOWN, call.place)]
        if judge is _kept:
            judge = _kept_at(self._run_data, call.place)
        found = [judge(self._run_data, name, value, where) for value, where in given]
        if judge is _dropped and argument is not None and not any(found):
            found = [_kept_by_name(name, argument, value, call.place) for value, _ in given]
        return [entry for entry in found if entry is not None]

    def _given(self, call: ApiCall, argument: Argument) -> list:
        """(value, where it is written) over all calls that hand it on; the call's own place where it says it itself."""
        if call.source is None or not isinstance(argument.node, (ast.Name, ast.Attribute)):
            return [(argument.value, call.place)]
        values = self.live.given(argument.node, call.source.scope)
        if all(one.value is UNKNOWN for one in values) and not any(one.indirect for one in values):
            return [(argument.value, call.place)]
        return [(one.value, place(one.file, one.line)) for one in values]

    def _frozen(self, call: ApiCall) -> bool:
        """Whether the layer never updates its statistics, so that their momentum says nothing.

        Where some calls freeze it and others do not, only a momentum that all of them share is judged; where a call may
        freeze it and no other is known to do otherwise, none.
        """
        argument = call.arguments.get("use_batch_statistics")
        given = [value for value, _ in self._given(call, argument)] if argument is not None else [None]
        if any(value is False for value in given):
            given = [value for value in given if value is not UNKNOWN]
        frozen = [value is False for value in given]
        return all(frozen) or (any(frozen) and call.arguments["momentum"].value is UNKNOWN)


def _each_once(entries: list) -> list:
    return list({(one.what, one.value, one.place.file, one.place.line): one for one in entries}.values())


def _cells(run_data: RunData) -> list:
    return [cell for network in run_data.networks for cell in network.cells if cell.builtin]


def _judge_of(call: ApiCall) -> tuple:
    """(the parameter that may be meant in the other framework's sense, what judges its value); (None, None) for the rest."""
    if call.role in ("dropout", "functional_dropout") and call.api in ("mindspore.nn.Dropout", "mindspore.ops.Dropout"):
        share = call.arguments.get("p")
        return ("p", _dropped) if share is not None and share.value is not None else ("keep_prob", _kept)
    if call.role in ("dropout", "functional_dropout") and "p" in call.arguments:
        return "p", _dropped
    if "batch_norm" in call.role and call.api.startswith("mindspore.nn."):
        return "momentum", _momentum
    return None, None


def _foreign_cell(run_data: RunData, cell: Fact) -> Optional[OtherFrameworkArgument]:
    """The same on the description of a cell that ran."""
    told, name = recorded_arguments(cell), cell.class_ or ""
    if not cell.created:
        return None
    if name == "Dropout" and "keep_prob" in told:
        return _kept_at(run_data, cell.created)(run_data, name, told["keep_prob"], cell.created)
    if name == "Dropout" and "p" in told:
        return _dropped(run_data, name, told["p"], cell.created)
    if "BatchNorm" in name and "momentum" in told:
        return _momentum(run_data, name, told["momentum"], cell.created)
    return None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _kept_at(run_data: RunData, place: Fact) -> Callable:
    """What judges a share to keep: by what is written there, ``keep_prob=`` or a position alone."""
    return _kept_as_named if run_data.matches_at(r"\bkeep_prob\s*=", place) else _kept


def _kept_as_named(run_data: RunData, name: str, keep: Any, place: Fact) -> Optional[OtherFrameworkArgument]:
    """What is written as ``keep_prob=`` is meant so, but where next to nothing would be kept."""
    if not _number(keep) or not 0 < keep <= run_data.limit("api.01.keep_named"):
        return None
    why = Text(
        "keep_prob={keep} 只保留 {keep}，丢弃 {drop}",
        "keep_prob={keep} keeps {keep} and drops {drop}",
        keep=float(keep),
        drop=round(1.0 - keep, 10),
    )
    return _share_to_drop(name, keep, why, place)


def _kept(run_data: RunData, name: str, keep: Any, place: Fact) -> Optional[OtherFrameworkArgument]:
    # MindSpore refuses to keep nothing: a default of 0 stands for no Dropout and never gets here
    if not _number(keep) or not 0 < keep < run_data.limit("api.01.keep"):
        return None
    why = Text(
        "nn.{name} 的第一个位置参数是 keep_prob：只保留 {keep}，丢弃 {drop}",
        "the first positional parameter of {name} is keep_prob: it keeps {keep} and drops {drop}",
        name=name,
        keep=float(keep),
        drop=round(1.0 - keep, 10),
    )
    return _share_to_drop(name, keep, why, place)


def _share_to_drop(name: str, keep: float, why: Text, place: Fact) -> OtherFrameworkArgument:
    write = Text("写成 p={keep}（丢弃的比例）", "write p={keep}, the share to drop", keep=float(keep))
    return OtherFrameworkArgument(f"{name}(keep_prob)", keep, why, write, place)


def _dropped(run_data: RunData, name: str, share: Any, place: Fact) -> Optional[OtherFrameworkArgument]:
    if not _number(share) or share < run_data.limit("api.01.drop") or share > 1:
        return None
    why = Text(
        "p={share} 会丢弃 {share}，看来是按保留比例（keep_prob）写的",
        "p={share} drops {share}; it looks like a share to keep (keep_prob)",
        share=float(share),
    )
    write = Text("写成 p={keep}", "write p={keep}", keep=round(1.0 - share, 10))
    return OtherFrameworkArgument(f"{name}(p)", share, why, write, place)


def _kept_by_name(name: str, argument: Argument, value: Any, place: Fact) -> Optional[OtherFrameworkArgument]:
    """What is called a share to keep, is half or more, and is given as the share to drop."""
    called = ast.unparse(argument.node) if isinstance(argument.node, (ast.Name, ast.Attribute)) else ""
    if not _KEEPS.search(called) or not _number(value) or not 0.5 <= value < 1:
        return None
    why = Text(
        "p={called} 按名字是保留比例，而 p 是丢弃的比例",
        "p={called} is a share to keep by its name, and p is the share to drop",
        called=called,
    )
    write = Text("写成 p=1 - {called}", "write p=1 - {called}", called=called)
    return OtherFrameworkArgument(f"{name}(p)", value, why, write, place)


def _momentum(run_data: RunData, name: str, momentum: Any, place: Fact) -> Optional[OtherFrameworkArgument]:
    if not _number(momentum):
        return None
    if momentum >= run_data.limit("api.01.momentum"):
        return _hardly_moving(run_data, name, float(momentum), place)
    why = Text(
        "momentum={momentum} 在 MindSpore 中是旧统计量的权重：每步只保留 {momentum}，滑动统计量几乎等于最近一个 batch",
        "momentum={momentum} is the weight of the old statistics in MindSpore: the moving statistics are almost those of the "
        "last batch",
        momentum=float(momentum),
    )
    write = Text("写成 momentum={right}", "write momentum={right}", right=round(1.0 - momentum, 10))
    return OtherFrameworkArgument(f"{name}(momentum)", momentum, why, write, place)


def _hardly_moving(run_data: RunData, name: str, momentum: float, place: Fact) -> Optional[OtherFrameworkArgument]:
    """A momentum with which the moving statistics still are mostly what they began with."""
    left = left_of_start(run_data, momentum)
    if not left:
        return None
    why = Text(
        "momentum={momentum} 时，{steps} 步之后滑动统计量仍有 {left} 是初始的 0 和 1：推理时几乎不是按数据归一化",
        "with momentum={momentum}, {left} of the moving statistics are still the 0 and 1 they began with after {steps} steps: "
        "inference hardly normalises by the data",
        momentum=momentum,
        steps=run_data.training_steps,
        left=f"{100 * left:.2g} %",
    )
    write = Text("写成 momentum={right}", "write momentum={right}", right=DEFAULT_MOMENTUM)
    return OtherFrameworkArgument(f"{name}(momentum)", momentum, why, write, place)


def _foreign_table(title: Text, foreign: list) -> Evidence:
    heads = [
        "API",
        Text("值", "value"),
        Text("位置", "place"),
        Text("含义", "what it means"),
        Text("应写成", "write instead"),
    ]
    rows = [[entry.what, entry.value, at(entry.place), entry.why, entry.write] for entry in foreign]
    return table(title, heads, rows, most=30)


def _foreign_problem(run_data: RunData, foreign: list) -> Finding:
    first = foreign[0]
    return problem(
        Text(
            "{n} 处参数在 MindSpore 中的作用很可能不是所要的：{why}。",
            "{n} {noun} in MindSpore what was probably not intended: {why}.",
            n=len(foreign),
            noun=english("argument does", len(foreign), "arguments do"),
            why=first.why,
        ),
        Text("{write}。", "{write}.", write=first.write),
        [
            _foreign_table(Text("很可能不是所要的参数", "Arguments that probably mean something else here"), foreign),
            run_data.code_at([entry.place for entry in foreign], Text("代码", "The calls"), "script"),
        ],
        [where for entry in foreign for where in (entry.place, *_written_at(run_data, entry))],
    )


def _written_at(run_data: RunData, entry: OtherFrameworkArgument) -> list:
    """Where the value is written, if that is another line than the call's."""
    name = entry.what.partition("(")[2].rstrip(")")
    value = float(entry.value) if isinstance(entry.value, (int, float)) else None
    found = argument_origin(run_data, entry.place, ArgumentName((name,), 0 if name == "keep_prob" else 99), "", value)
    found = found or _options(run_data, entry)
    if found or run_data.matches_at(rf"\b{name}\s*=", entry.place):
        return found
    made = run_data.find_lines(rf"\bpartial\(.*\b{entry.what.partition('(')[0]}\b.*\b{name}\s*=", 2)
    if made:
        return made
    # handed on as keywords: a configuration holds the name with the value
    return run_data.find_lines(rf"\b{name}['\"]?\s*[=:]\s*{re.escape(str(entry.value))}\b", 2)


def _options(run_data: RunData, entry: OtherFrameworkArgument) -> list:
    """Where the options of a command line that the line hands on have the value for their default."""
    fields = run_data.source.nodes_at(entry.place.file, entry.place.line, ast.Attribute)
    value = re.escape(str(entry.value))
    options = [rf"add_argument\(\s*['\"]--{re.escape(one.attr)}['\"].*\bdefault\s*=\s*{value}\b" for one in fields]
    return [at for option in options for at in run_data.find_lines(option, 1)]


# --- without a reference


def _without_reference(run_data: RunData, calls: list) -> Finding:
    resting = [(call, setting) for call in calls for setting in call.settings.values() if _asks(call, setting)]
    # in a script of MindSpore's own its defaults are what is meant; a ported one has to write them
    asked = resting if _ported(run_data) else [pair for pair in resting if _surprises(run_data, *pair)]
    unknown = [(call, setting) for call in calls for setting in call.settings.values() if _hidden(call, setting)]
    outside = _from_outside(run_data)
    if not asked and not unknown and not outside and resting:
        return _own_defaults(calls, resting)
    if not calls and not outside:
        return not_applicable(
            Text(
                "脚本没有调用默认值或含义与其它框架不同的 API。",
                "The script calls no API whose defaults or meaning differ between frameworks.",
            )
        )
    if not asked and not unknown and not outside:
        return ok(
            Text(
                "读到的 {n} 处 API 调用中，默认值或含义与其它框架不同的参数都已明确写出，取值在 MindSpore 中有意义。",
                "In the {n} API calls that were read, every argument whose default or meaning differs between frameworks is "
                "written out and makes sense in MindSpore.",
                n=len(calls),
            ),
            [_calls_table(calls)],
        )
    if not asked and not unknown:
        return undecided(
            Text(
                "网络的一部分来自没有读到的模块（{names}），其中的 API 参数没有检查。",
                "A part of the network may come from modules that were not read ({names}); their API arguments were not "
                "checked.",
                names=listed(outside),
            ),
            Text(
                "把这些模块的脚本一并交给 `msprec checklist`，或者用 `msprec run` 运行训练。",
                "Hand over the scripts of these modules too, or run the training with `msprec run`.",
            ),
            [_calls_table(calls)],
        )
    rows = [_asked_row(call, setting) for call, setting in [*asked, *unknown]]
    places = [call.place for call, _ in [*asked, *unknown]]
    names = list(
        dict.fromkeys(f"{_short(call.api)}({setting.row.mindspore_parameter})" for call, setting in [*asked, *unknown])
    )
    return undecided(
        Text(
            "{n} 处参数依赖与 PyTorch 不同的默认值或取值未知（{names}），没有标杆脚本无法判断是否有意为之。",
            "{n} {noun} on a default that differs from PyTorch's, or on a value that is not known ({names}); without the "
            "benchmark script it cannot be told whether that is intended.",
            n=len(rows),
            noun=english("argument rests", len(rows), "arguments rest"),
            names=listed(names),
        ),
        _REFERENCE,
        [table(Text("需要核对的参数", "Arguments to check"), _ASKED_HEADS, rows)],
        places,
    )


def _own_defaults(calls: list, resting: list) -> Finding:
    """A script without a trace of another framework that leaves arguments to MindSpore's defaults."""
    names = dict.fromkeys(f"{_short(call.api)}({setting.row.mindspore_parameter})" for call, setting in resting)
    return ok(
        Text(
            "读到的 {n} 处 API 调用中没有只在其它框架中才有意义的取值；脚本中也没有移植自其它框架的痕迹，"
            "{k} 处参数使用 MindSpore 自己的默认值（{names}，与 PyTorch 不同，见表）。若网络是移植来的，"
            "请用 `--reference-script` 比较。",
            "None of the {n} API calls that were read has a value that only makes sense in another framework. Nothing in the "
            "script speaks of a port from one, so {k} {noun} on MindSpore's own defaults ({names}; PyTorch's differ, see the "
            "table) as they stand. For a ported network, compare with `--reference-script`.",
            n=len(calls),
            k=len(resting),
            noun=english("argument rests", len(resting), "arguments rest"),
            names=listed(names),
        ),
        [
            table(
                Text("使用默认值的参数", "Arguments left to their defaults"),
                _ASKED_HEADS,
                [_asked_row(call, setting) for call, setting in resting],
            ),
            _calls_table(calls),
        ],
    )


#: Words that only a script that came from PyTorch, or reads what came from there, has.
_PORT = re.compile(
    r"\b(py)?torch(vision|audio|text)?\b|\.pth\b|[\"'\w]\.pt[\"']|\bstate_dict\b|\btimm\b|pytorch_model|\bfrom transformers\b"
    r"|\bimport transformers\b|\.safetensors\b",
    re.IGNORECASE,
)


def _ported(run_data: RunData) -> bool:
    """Whether the scripts, their comments included, speak of another framework, or weights of its were handed over."""
    read = [load.file for load in run_data.loads] + [run_data.file("reference_weights", REFERENCE_WEIGHTS).file]
    return run_data.project.mentions(_PORT) or any(_PORT.search(name) for name in read if name)


def _surprises(run_data: RunData, call: ApiCall, setting: CallSetting) -> bool:
    """A default that few mean in MindSpore either: a pooling window that moves by one element, a loss that is not reduced.

    Where the loss of a step was looked at, cg.04 tells whether the script reduces it.
    """
    if setting.row.setting == "stride":
        return "pool" in call.role
    return setting.row.setting == "reduction" and not run_data.probes.losses


def _asks(call: ApiCall, setting: CallSetting) -> bool:
    """An argument left to a default that is not PyTorch's. A pooling window of 1 moves nowhere, whatever its stride."""
    if not setting.row.ask or setting.given or setting.conversion.startswith("torch"):
        return False
    if _twin(call):
        return False
    if setting.row.setting == "stride" and "pool" in call.role:
        kernel = call.settings.get("kernel size")
        return kernel is None or kernel.value != 1
    if setting.row.setting == "padding":
        # a window of 1 pads nothing in any mode
        return setting.value != 0
    return True


def _hidden(call: ApiCall, setting: CallSetting) -> bool:
    """A value of another meaning that cannot be read."""
    if setting.row.kind != "meaning" or setting.value is not UNKNOWN or _twin(call):
        return False
    named_share = call.arguments.get("p")
    return not (call.role == "dropout" and named_share is not None and named_share.given)


def _twin(call: ApiCall) -> bool:
    return call.api.startswith("mindspore.mint.")


def _asked_row(call: ApiCall, setting: CallSetting) -> list:
    row = setting.row
    default = row.torch_default or ""
    return [
        call.code,
        at(call.place),
        row.mindspore_parameter,
        _value(setting),
        f"{row.torch_parameter}={default}" if row.torch_parameter else "",
        _SEVERITIES.get(row.severity, row.severity),
        row.write,
    ]


def _value(setting: CallSetting) -> Any:
    if setting.value is UNKNOWN:
        return Text("未知（{code}）", "not known ({code})", code=setting.code or "…")
    shown = str(setting.value) if isinstance(setting.value, (str, tuple, bool)) else setting.value
    if setting.conversion not in ("", "pair", "yes", "no") and setting.code and setting.code != str(shown):
        parameter = setting.row.torch_parameter if _is_torch(setting) else setting.row.mindspore_parameter
        shown = f"{shown} ({parameter}={setting.code})"
    return shown if setting.given else Text("{value}（默认）", "{value} (default)", value=shown)


def _is_torch(setting: CallSetting) -> bool:
    return setting.conversion == setting.row.torch_as != setting.row.mindspore_as


def _short(api: str) -> str:
    return api.removeprefix("mindspore.") if hasattr(api, "removeprefix") else api.replace("mindspore.", "", 1)


def _calls_table(calls: list) -> Optional[Evidence]:
    rows = [
        [call.code, at(call.place), ", ".join(f"{name}={_plain(entry)}" for name, entry in call.settings.items())]
        for call in calls
    ]
    heads = [Text("调用", "call"), Text("位置", "place"), Text("实际参数", "arguments in effect")]
    return table(Text("读到的 API 调用", "API calls that were read"), heads, rows) if rows else None


def _plain(setting: CallSetting) -> str:
    return "?" if setting.value is UNKNOWN else str(setting.value)


def _from_outside(run_data: RunData) -> list:
    """Modules that the scripts import, that were not read, and that may hold a part of the network."""
    outside = list(dict.fromkeys(dotted.split(".")[0] for _, _, dotted in run_data.project.unresolved_imports()))
    cells = _cells(run_data)
    if outside and cells and all(cell.created and run_data.project.module_at(cell.created.file) for cell in cells):
        return _makers(run_data, cells, outside)
    return outside


def _made_at(cells: list) -> set:
    """(file, line) of the statements that made cells."""
    return {(cell.created.file, cell.created.line) for cell in cells if cell.created}


def _makers(run_data: RunData, cells: list, outside: list) -> list:
    """Of modules that were not read those whose functions are called where cells of the network were made."""
    made = _made_at(cells)
    found: dict = {}
    for call in run_data.project.calls():
        if call.is_at(made):
            callee = run_data.project.callee(call.node, call.scope)
            module = callee.name.split(".")[0] if callee is not None else None
            if module in outside:
                found[module] = None
    return list(found)


def _nothing_read(run_data: RunData) -> Finding:
    outside = _from_outside(run_data)
    why = (
        Text("；没有读到的模块：{names}", "; modules that were not read: {names}", names=listed(outside))
        if outside
        else ""
    )
    return undecided(
        Text(
            "没有读到差异表中的任何 API 调用{why}。",
            "No API call that the table of differences knows was read{why}.",
            why=why,
        ),
        Text(
            "用 `msprec run 脚本` 运行训练，或者把定义网络的脚本也交给 `msprec checklist`。",
            "Run the training with `msprec run SCRIPT`, or hand over the scripts that define the network too.",
        ),
    )


# --- with a reference


def _against_reference(run_data: RunData, calls: list) -> Finding:
    project = run_data.reference_project
    assert project is not None
    entry = project.module_at(run_data.reference_script) if run_data.reference_script else None
    others = calls_of(project, Values(project), [entry] if entry is not None else [], None)
    if initialises_itself(project) or initialises_itself(run_data.project):
        calls, others = without_initial_values(calls), without_initial_values(others)
    found = compared(calls, others)
    if any(not _chosen(pair) for pair in found.differ):
        return _differing(run_data, found)
    if not found.equal and not found.unclear:
        return undecided(
            Text(
                "标杆脚本（{n} 处已知调用）与用户脚本（{own} 处）没有可以对应的 API 调用。",
                "No API call of the script ({own} known) has a counterpart in the reference ({n} known).",
                n=len(others),
                own=len(calls),
            ),
            Text("确认标杆脚本是定义同一网络的脚本。", "See that the reference defines the same network."),
            [_calls_table(calls)],
        )
    risky_alone = [call for call in found.alone if any(_asks(call, entry) for entry in call.settings.values())]
    if found.unclear or risky_alone:
        return _unclear(found, risky_alone)
    if found.differ:
        return _other_rate(found)
    return ok(
        Text(
            "与标杆脚本对应的 API 调用中，{n} 项实际参数全部相同。",
            "All {n} effective arguments of the API calls that have a counterpart in the reference are equal.",
            n=found.equal,
        ),
        [_calls_table(calls)],
    )


def _chosen(pair) -> bool:
    """A learning rate that both scripts write out: it follows the batch and the schedule, and is no difference of the API."""
    return pair.setting.row.setting == "learning rate" and pair.setting.given and pair.other.given


def _other_rate(found) -> Finding:
    pair = found.differ[0]
    return undecided(
        Text(
            "{equal} 项实际参数与标杆脚本相同；只有学习率不同：这里写的是 {own}，标杆写的是 {other}。这不是 API 的差异，"
            "但要确认是有意为之。",
            "{equal} effective arguments equal the reference. Only the learning rate differs, {own} here and {other} there, both "
            "written out: no difference of the API, but is it meant?",
            equal=found.equal,
            own=_value(pair.setting),
            other=_value(pair.other),
        ),
        Text(
            "全局 batch 相同时使用标杆的学习率；batch 不同时按比例调整（见 hp.01、hp.03）。",
            "With the same global batch use the reference's rate; with another, scale it with the batch (see hp.01, hp.03).",
        ),
        [_pairs_table(Text("与标杆不同的参数", "Arguments that differ from the reference"), found.differ)],
        [pair.call.place],
    )


def _differing(run_data: RunData, found) -> Finding:
    pairs = sorted(found.differ, key=lambda pair: (_chosen(pair), _RANK.get(pair.setting.row.severity, 2)))
    first = pairs[0]
    places = [pair.call.place for pair in pairs]
    return problem(
        Text(
            "与标杆脚本相比有 {n} 项实际参数不同（相同 {equal} 项）：{api} 的 {name} 为 {own}，标杆为 {other}。",
            "{n} effective {noun} from the reference ({equal} equal): {name} of {api} is {own}, there {other}.",
            n=len(pairs),
            noun=english("argument differs", len(pairs), "arguments differ"),
            equal=found.equal,
            api=_short(first.call.api),
            name=first.setting.row.setting,
            own=_value(first.setting),
            other=_value(first.other),
        ),
        Text("{write}。", "{write}.", write=first.setting.row.write),
        [
            _pairs_table(Text("与标杆不同的参数", "Arguments that differ from the reference"), pairs),
            run_data.code_at(places, Text("本脚本", "This script"), "script", most=2),
            run_data.code_at(
                [pair.other_call.place for pair in pairs], Text("标杆脚本", "The reference"), "reference", most=2
            ),
        ],
        places,
    )


def _pairs_table(title: Text, pairs: list) -> Evidence:
    rows = [
        [
            pair.call.code,
            at(pair.call.place),
            pair.setting.row.setting,
            _value(pair.setting),
            _value(pair.other),
            f"{pair.other_call.code} {at(pair.other_call.place)}",
            _CLASSES.get(pair.setting.row.kind, pair.setting.row.kind),
            _SEVERITIES.get(pair.setting.row.severity, ""),
            pair.setting.row.write,
        ]
        for pair in pairs
    ]
    heads = [
        Text("调用", "call"),
        Text("位置", "place"),
        Text("项目", "setting"),
        "MindSpore",
        Text("标杆", "reference"),
        Text("标杆的调用", "the reference's call"),
        Text("差异类别", "class"),
        Text("严重程度", "severity"),
        Text("建议", "write instead"),
    ]
    return table(title, heads, rows)


def _unclear(found, alone: list) -> Finding:
    pieces: list = []
    if found.unclear:
        pieces.append(_pairs_table(Text("无法确定的参数", "Arguments that cannot be known"), found.unclear))
    if alone:
        pieces.append(_calls_table(alone))
    return undecided(
        Text(
            "与标杆相比 {equal} 项实际参数相同，{n} 项取值未知，{alone} 处调用在标杆中没有对应。",
            "{equal} effective arguments equal the reference, {n} cannot be known, and {alone} calls have no counterpart.",
            equal=found.equal,
            n=len(found.unclear),
            alone=len(alone),
        ),
        Text(
            "人工核对下列参数；用 `msprec run` 运行可以得到其中 Cell 的实际取值。",
            "Compare the arguments below by hand; `msprec run` records the values that the cells really have.",
        ),
        pieces,
        [pair.call.place for pair in found.unclear] + [call.place for call in alone],
    )
