"""Pipelines of scripts that were only read (``--also``) beside the training pipeline as it was recorded (dp.02).

The source tells operations and parameters, not what they deliver. So a difference is a problem only where both sides can be
read and come from the same kind of source, and all is well only where every step of both is known and equal.
"""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Joined, Text, english, listed
from msprec.checklists.common.data.transforms import Prepared, Transform, by_column
from msprec.checklists.common.findings import at, pipeline_table
from msprec.checklists.dp.in_network_normalization import input_scaling
from msprec.checklists.dp.preprocessing_consistency.preprocessing_consistency import ADVICE, DatasetPair
from msprec.engine.finding import Finding, ok, problem, undecided, worst
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import DATASETS
from msprec.source.module import Scope
from msprec.source.pipelines.values import UNREAD, Data, Instance, Pipe, ReadScript, Use, origin_of
from msprec.source.transform_signatures import REQUIRED, SIGNATURES
from msprec.source.values import UNKNOWN, same

_DATASET = DATASETS["datasets"][0]
_ALIASES = {
    "Inter.LINEAR": "Inter.BILINEAR",
    "Inter.CUBIC": "Inter.BICUBIC",
    "ConvertMode.COLOR_RGB2RGBA": "ConvertMode.COLOR_BGR2BGRA",
    "ConvertMode.COLOR_RGBA2RGB": "ConvertMode.COLOR_BGRA2BGR",
    "ConvertMode.COLOR_RGB2BGRA": "ConvertMode.COLOR_BGR2RGBA",
    "ConvertMode.COLOR_BGRA2RGB": "ConvertMode.COLOR_RGBA2BGR",
    "ConvertMode.COLOR_RGB2BGR": "ConvertMode.COLOR_BGR2RGB",
    "ConvertMode.COLOR_RGBA2BGRA": "ConvertMode.COLOR_BGRA2RGBA",
    "ConvertMode.COLOR_GRAY2RGB": "ConvertMode.COLOR_GRAY2BGR",
    "ConvertMode.COLOR_GRAY2RGBA": "ConvertMode.COLOR_GRAY2BGRA",
}
_ARRAYS = ("NumpySlicesDataset", "GeneratorDataset")
#: The last of these in a list decides the size of the pictures.
_SIZED = (
    "Resize",
    "CenterCrop",
    "ResizedCrop",
    "PadToSize",
    "RandomCrop",
    "RandomResizedCrop",
    "RandomCropDecodeResize",
)
#: Parameters whose whole numbers choose samples, and do nothing to them.
_COUNTS = re.compile(r"seed|state|num|count|len|^n$|start|stop|end|rank|shard|fold|split|epoch|samples", re.IGNORECASE)
_TTA = re.compile(r"(?i)(\b|_)tta(\b|_)|test_?time_?aug")


class ComparedPipelines(NamedTuple):
    """Random steps that were kept and other differences (`PipelineFault`s), and what cannot be compared (sentences)."""

    random: list
    faults: list
    unclear: list


def judge_scripts(run_data: RunData, train: list) -> list:
    """A finding for each script that evaluates or infers; those that do neither are passed over."""
    found = [_of_script(run_data, train, reading) for reading in run_data.readings]
    return [finding for finding in found if finding is not None]


def _of_script(run_data: RunData, train: list, reading: ReadScript) -> Optional[Finding]:
    uses = [use for use in reading.uses if use.role != "train"]
    if reading.trains:  # a loop of such a script may be its training
        uses = [use for use in uses if use.role in ("eval", "predict")]
        if not uses:
            return None
    if not uses and not any(use.role == "train" for use in reading.uses):
        uses = [Use(pipe, "unknown", pipe.steps[-1].place) for pipe in reading.made]
    if not uses:
        return _without_pipeline(reading)
    if not train:
        return None
    ranked = sorted(uses, key=_is_given)  # of several uses of a pipeline the telling one counts
    distinct = list({_key(use.pipe): use for use in ranked}.values())
    return worst([_of_use(run_data, train, reading, use) for use in distinct])


def _is_given(use: Use) -> bool:
    """Whether a network is given these data, to evaluate or infer."""
    return use.role in ("eval", "predict", "loop")


def _key(pipe: Pipe) -> tuple:
    return tuple((step.op, str(step.args), step.place) for step in pipe.steps)


def _without_pipeline(reading: ReadScript) -> Optional[Finding]:
    calls = [mode for mode in reading.modes if mode.what in ("call", "predict", "eval")]
    if not calls:
        return None
    spot = place(*calls[0].place)
    return undecided(
        Text(
            "{file} 运行了网络（{where}），但没有读到为它准备数据的数据处理流程。",
            "{file} runs the network ({where}); no pipeline that prepares its data was read in it.",
            file=reading.file,
            where=at(spot),
        ),
        Text(
            "取同一个原始样本分别经过训练与推理的处理，比较得到的数组。",
            "Send one raw sample through the processing of training and of inference, and compare the arrays.",
        ),
        [],
        [spot],
    )


def as_dataset(use: Use, train: Fact) -> Fact:
    """The pipeline in the shape of ``datasets.json``; its label is taken to be the column of training."""
    steps = [
        {"op": step.op, "args": step.args, "place": {"file": step.place.file, "line": step.place.line}}
        for step in use.pipe.steps
    ]
    role = "predict" if use.role == "predict" else "eval"
    label = {"column": train.label.column}
    return Fact({"role": role, "pipeline": steps, "columns": [], "label": label}, _DATASET)


def _of_use(run_data: RunData, train: list, reading: ReadScript, use: Use) -> Finding:
    source = use.pipe.steps[0].op
    mine = next((one for one in train if one.pipeline and one.pipeline[0].op == source), train[0])
    other = as_dataset(use, mine)
    found = _compare(run_data, mine, other, reading, use)
    shown = [pipeline_table(mine), pipeline_table(other)]
    where = place(*use.place)
    if found.faults:
        places = [fault.place for fault in found.faults]
        shown += run_data.code_at(places, Text("数据处理", "The data processing"), "script")
        return problem(
            Text(
                "{file} 的数据处理与训练不一致：{says}。",
                "The data of {file} are not prepared as in training: {says}.",
                file=reading.file,
                says=Joined([fault.says for fault in found.faults], zh="；", en="; "),
            ),
            ADVICE,
            shown,
            places,
        )
    if found.unclear:
        return undecided(
            Text(
                "{file} 的数据处理是否与训练一致无法由源码确定：{why}。",
                "Whether the data of {file} are prepared as in training cannot be told from the source: {why}.",
                file=reading.file,
                why=Joined(found.unclear[:3], zh="；", en="; "),
            ),
            Text(
                "取同一个原始样本分别经过两个数据处理流程，比较得到的数组；或用 `msprec run` 运行会评估的训练脚本。",
                "Send one raw sample through both pipelines and compare the arrays; or let the training script evaluate and "
                "run it with `msprec run`.",
            ),
            shown,
            [where],
        )
    return ok(
        Text(
            "{file} 的数据处理（{where}）与训练一致：各步骤相同{but}。",
            "The data of {file} ({where}) are prepared as in training: the steps are the same{but}.",
            file=reading.file,
            where=at(where),
            but=_but(mine),
        ),
        shown,
    )


def _but(train: Fact) -> Text:
    augmented = any(Prepared(operations).random for operations in by_column(train).values())
    if not augmented:
        return Text("", "")
    return Text("（训练中的随机增强除外）", ", but for the random augmentation of training")


# --- the comparison ------------------------------------------------------------------------------------------------


def _compare(run_data: RunData, train: Fact, other: Fact, reading: ReadScript, use: Use) -> ComparedPipelines:
    pair = _ReadPair(run_data, train, other)
    random, faults, unclear = [], [], []
    for mine, theirs in _columns(train, other):
        found = pair.compare(mine, theirs)
        random += found.random
        faults += found.faults
        unclear += found.unclear
    if _TTA.search(run_data.project.text_of(reading.file) or ""):
        random, unclear = [], [*(fault.says for fault in random), *unclear]
    # where data may differ before or after the pipelines, or a step was not read, that may make up for a difference
    doubts = [*_unread_steps(other), *_sources(run_data, train, use), *_around(run_data, reading, use)]
    if not _is_given(use) and (faults or random):
        unclear, random = [*(fault.says for fault in random), *unclear], []
        doubts.append(
            Text(
                "没有看到网络收到这些数据（{place}）",
                "the network was not seen to be given these data ({place})",
                place=at(place(*use.place)),
            )
        )
    if not reading.complete:
        doubts.append(Text("脚本没有读到结尾", "the script was not read to its end"))
    if doubts:
        faults, unclear = [], [*(fault.says for fault in faults), *doubts, *unclear]
    return ComparedPipelines([], [*random, *faults], unclear)


def _columns(train: Fact, other: Fact) -> list:
    """(operations in training, operations here) of the columns that enter the network."""
    mine, theirs = by_column(train), by_column(other)
    if set(mine) & set(theirs):
        return [(mine.get(name, []), theirs.get(name, [])) for name in {**mine, **theirs}]
    return [(next(iter(mine.values()), []), next(iter(theirs.values()), []))]


def _unread_steps(other: Fact) -> list:
    unread = [step for step in other.pipeline if step.op.startswith(UNREAD) or f"{UNREAD}arguments" in step.args]
    unread += [step for step in other.pipeline if UNREAD in (step.args.get("input_columns") or [])]
    unread += [step for step in other.pipeline if step.op in ("concat", "zip", "bucket_batch_by_length")]
    return [
        Text("{place} 的步骤取决于运行时的值", "the step at {place} depends on runtime values", place=at(step.place))
        for step in unread[:2]
    ]


def _sources(run_data: RunData, train: Fact, use: Use) -> list:
    """Why the sources of the two may deliver data that were prepared otherwise; empty where they are of one kind."""
    here, there = use.pipe.steps[0], train.pipeline[0] if train.pipeline else None
    if there is None or here.op != there.op:
        return [
            Text(
                "数据源的种类不同（训练为 {a}，这里为 {b}）",
                "the sources are of other kinds ({a} in training, {b} here)",
                a=there.op if there is not None else "?",
                b=here.op,
            )
        ]
    if here.op not in _ARRAYS:
        alike = bool(here.args.get("decode")) == bool(there.args.get("decode"))
        return [] if alike else _decoded(train, use)
    name = here.args.get("source")
    if here.op == "GeneratorDataset" and isinstance(here.source, Instance) and name == there.args.get("source"):
        return _of_class(run_data, here.source, there)
    origin = origin_of(here.source)
    if origin is not None and origin in _training_origins(run_data, there) and not _branches(run_data, origin):
        return []
    return [
        Text(
            "数据源 {b} 送入网络的数据事先如何处理不得而知",
            "how the data of the source {b} were prepared before is not known",
            b=f"{here.op}({name or '?'})".replace(UNREAD, ""),
        )
    ]


def _training_sources(run_data: RunData, step: Fact) -> list:
    """The objects that the training's source is made from, by reading the script of the run."""
    spot = (step.place.file, step.place.line)
    return [
        pipe.steps[0].source
        for reading in run_data.own_readings
        for pipe in ([use.pipe for use in reading.uses if use.role == "train"] or reading.made)
        if pipe.steps[0].op == step.op and tuple(pipe.steps[0].place) == spot
    ]


def _training_origins(run_data: RunData, step: Fact) -> set:
    """Where the arrays of the training's source come from; empty where that is not clear."""
    origins = {origin_of(source) for source in _training_sources(run_data, step)}
    return origins if len(origins) == 1 and None not in origins else set()


def _branches(run_data: RunData, origin: str) -> bool:
    """Whether a function of the project that the arrays come from does one thing or another, by what it is given."""
    names = re.findall(r"[A-Za-z_][\w.]*(?=\()", origin)
    scopes = [run_data.project.definition(name) for name in names]
    return any(
        isinstance(node, (ast.If, ast.IfExp)) for scope in scopes if scope is not None for node in ast.walk(scope.node)
    )


def _decoded(train: Fact, use: Use) -> list:
    """``decode=True`` of a source does what a Decode among the operations does."""
    steps = [
        str(one)
        for pipeline in (train.pipeline, use.pipe.steps)
        for step in pipeline
        for one in step.args.get("operations") or []
    ]
    if any(text.startswith("Decode") or "Decode" in text.split("(")[0] for text in steps):
        return []
    return [Text("数据源的 decode 设置不同", "decode of the source is set otherwise")]


def _of_class(run_data: RunData, made: Instance, there: Fact) -> list:
    """A class of the project as a source treats all data alike only where nothing in it depends on how it was made."""
    scope, name = made.scope, made.scope.name
    recorded = [module for module in run_data.project.modules.values() if module.file in run_data.source_files]
    known = [one for module in recorded for one in module.scope.inner if one.is_class and one.name == name]
    if not any(one is scope or same_definition(run_data, one, scope) for one in known):
        return [
            Text(
                "{name} 与训练的同名数据源不同",
                "{name} is another class than the source of that name in training",
                name=name,
            )
        ]
    methods = [one for one in scope.inner if one.name not in ("__len__", "__repr__", "__str__")]
    if any(isinstance(node, (ast.If, ast.IfExp)) for method in methods for node in ast.walk(method.node)):
        return [
            Text(
                "数据源 {name} 的处理可能取决于构造参数",
                "what the source {name} does may depend on how it was made",
                name=name,
            )
        ]
    if _made_alike(run_data, made, there):
        return []
    return [Text("数据源 {name} 的构造参数可能不同", "the source {name} may be made with other arguments", name=name)]


def same_definition(run_data: RunData, one: Scope, other: Scope) -> bool:
    """Whether two functions or classes have one text, and the names that they take from outside mean the same."""
    if ast.dump(one.node) != ast.dump(other.node):
        return False
    project, values = run_data.project, run_data.values
    names = {node.id for node in ast.walk(one.node) if isinstance(node, ast.Name)}
    for name in names:
        bound = [scope.lookup(name)[0] for scope in (one, other)]
        if bound[0] is None and bound[1] is None:
            continue
        if bound[0] is None or bound[1] is None or (bound[0].parent is None) != (bound[1].parent is None):
            return False
        if bound[0].parent is not None:
            continue
        node = ast.Name(id=name, ctx=ast.Load())
        meant = [project.qualified(node, scope) for scope in bound]
        if meant[0] == meant[1] and meant[0] is not None:
            continue
        stated = [values.of(ast.Name(id=name, ctx=ast.Load()), scope) for scope in bound]
        if UNKNOWN in stated or not same(*stated):
            return False
    return True


def _made_alike(run_data: RunData, made: Instance, there: Fact) -> bool:
    """Whether the source of training is made with the same arguments, but for texts (paths, parts of the set), seeds, counts."""
    others = [one for one in _training_sources(run_data, there) if isinstance(one, Instance)]
    mine = _telling(_arguments(run_data, made))
    if not others:  # then no parameter may be left that training could have set
        init = run_data.project.method(made.scope, "__init__")
        wanted = len(init.node.args.args) - 1 + len(init.node.args.kwonlyargs) if init is not None else 0
        return not mine and wanted <= len(_arguments(run_data, made))
    return all(
        mine.keys() == theirs.keys() and all(_same_argument(run_data, mine[name], theirs[name]) for name in mine)
        for theirs in (_telling(_arguments(run_data, one)) for one in others)
    )


def _telling(given: dict) -> dict:
    return {name: value for name, value in given.items() if not _is_neutral(name, value)}


def _arguments(run_data: RunData, made: Instance) -> dict:
    """The arguments that an object was made with, by parameter where that is known."""
    init = run_data.project.method(made.scope, "__init__")
    names = [arg.arg for arg in init.node.args.args[1:]] if init is not None else []
    placed = {names[n] if n < len(names) else f"#{n}": value for n, value in enumerate(made.args)}
    return {**placed, **made.keywords}


def _is_neutral(name: str, value) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) or value is None or (whole and bool(_COUNTS.search(name)))


def _same_argument(run_data: RunData, one, other) -> bool:
    if isinstance(one, Data) and isinstance(other, Data):
        origin = origin_of(one)
        return origin is not None and origin == origin_of(other) and not _branches(run_data, origin)
    plain = all(isinstance(value, (bool, int, float)) or type(value) is tuple for value in (one, other))
    return plain and same(one, other)


def _around(run_data: RunData, reading: ReadScript, use: Use) -> list:
    """What is calculated from the batches after their delivery, there or in training."""
    found = []
    if use.pipe in reading.altered:
        found.append(
            Text(
                "{place} 之后还对 batch 作了计算",
                "the batches are calculated with after {place}",
                place=at(place(*use.place)),
            )
        )
    scalings = [one for one in input_scaling(run_data, 0, "") if not _in_network(run_data, one.place)]
    if scalings:
        found.append(
            Text(
                "训练在送出之后还作了缩放（{place}）",
                "training scales its data after delivery ({place})",
                place=at(scalings[0].place),
            )
        )
    return found


def _in_network(run_data: RunData, spot: Fact) -> bool:
    """Whether a place lies in a network, which evaluation runs as well."""
    around = run_data.source.enclosing(spot.file or "", spot.line or 0)
    return any(isinstance(node, ast.FunctionDef) and node.name == "construct" for node in around)


class _ReadPair(DatasetPair):
    """A recorded training pipeline and one that was read."""

    def __init__(self, run_data: RunData, train: Fact, other: Fact):
        super().__init__(run_data, train, other)
        script = run_data.project.module_at(run_data.run.script or "") or next(iter(run_data.entries), None)
        self.script = script.name if script is not None else ""

    def compare(self, mine: list, theirs: list) -> ComparedPipelines:
        """The transforms of one column."""
        mine, theirs = [self._recorded(one) for one in mine], list(theirs)
        a, b = Prepared(mine), Prepared(theirs)
        random, faults = [self._kept_random(b.random)] if b.random else [], []
        if not self._same_functions(a.opaque, b.opaque):
            odd = [*b.opaque, *a.opaque]
            return ComparedPipelines(
                random,
                [],
                [
                    Text(
                        "步骤 {names} 无法比较",
                        "the {noun} {names} cannot be compared",
                        noun=english("step", len(odd)),
                        names=listed(_name(one) for one in odd),
                    )
                ],
            )
        unclear = []
        if not a.same_values(b):
            faults.append(self._scaled_otherwise(a, b))
        if a.layout != b.layout:
            faults.append(self._steps_differ(mine, theirs, ("HWC2CHW", "CHW2HWC", "ToTensor")))
        for kind in ("geometry", "colour", "other"):
            one, other = getattr(a, kind), getattr(b, kind)
            if kind == "geometry" and (a.random_geometry or b.random_geometry):
                unclear += _sizes(mine, theirs)
                continue
            known = _alike_in_order(one, other)
            if known is False:
                apart = _apart(one, other)
                faults.append(self._steps_differ(apart[0], apart[1], None))
            elif known is None:
                unclear.append(
                    Text(
                        "{names} 的参数无法比较",
                        "the arguments of {names} cannot be compared",
                        names=listed(_name(step) for step in other or one),
                    )
                )
        return ComparedPipelines(random, faults, unclear)

    def _same_functions(self, one: list, other: list) -> bool:
        """Whether the steps that cannot be read are the very same: functions of one module, or of one text."""
        return len(one) == len(other) and all(map(self._same_function, one, other))

    def _same_function(self, recorded: Transform, read: Transform) -> bool:
        a, b = recorded.text, read.text
        if a.startswith(UNREAD) or b.startswith(UNREAD):
            return False
        if a == b or ("(" not in a + b and "<" not in a + b and (a.endswith(f".{b}") or b.endswith(f".{a}"))):
            return True
        one, other = (self.run_data.project.definition(text) for text in (a, b))
        if one is None or other is None or one.name != other.name:
            return False
        return same_definition(self.run_data, one, other)

    def _recorded(self, one: Transform) -> Transform:
        """A recorded function by its module, also one of the script itself; a lambda by its place."""
        head, bracket, _ = one.text.partition("(")
        if "<lambda>#" in head and not bracket and one.place:
            return one._replace(text=f"<lambda>@{at(one.place)}")
        if re.fullmatch(r"[A-Za-z_]\w*", head) and not bracket and head not in SIGNATURES and self.script:
            return one._replace(text=f"{self.script}.{head}", name=f"{self.script}.{head}")
        return one


def _name(one: Transform) -> str:
    return re.sub(r"\s+", " ", one.text.lstrip(UNREAD))[:60]


def _apart(mine: list, theirs: list) -> tuple:
    """The steps of two lists that make the difference: those whose arguments differ, or that only one has; else all."""
    if [one.name for one in mine] == [one.name for one in theirs]:
        pairs = [(one, other) for one, other in zip(mine, theirs) if _alike(one, other) is False]
        return [one for one, _ in pairs], [other for _, other in pairs]
    names = [[one.name for one in some] for some in (mine, theirs)]
    only = [one for one in mine if one.name not in names[1]], [one for one in theirs if one.name not in names[0]]
    return only if any(only) else (mine, theirs)


def _alike_in_order(mine: list, theirs: list) -> Optional[bool]:
    """Whether two lists of known transforms are the same; None where an argument is not known."""
    if [one.name for one in mine] != [one.name for one in theirs]:
        return False
    known = [_alike(one, other) for one, other in zip(mine, theirs)]
    return False if False in known else None if None in known else True


def _alike(recorded: Transform, read: Transform) -> Optional[bool]:
    signature = SIGNATURES.get(read.name)
    if signature is None:
        return True if recorded.text == read.text else None
    states: list[Optional[bool]] = []
    for name, default in signature:
        mine, theirs = _argument(recorded, name), _argument(read, name)
        if theirs == "UNKNOWN":
            states.append(None)
        elif mine is None:  # a value of None, or one that was not recorded
            unset = default != REQUIRED and _argument(read._replace(args={name: default}), name) == theirs
            states.append(True if theirs is None or unset else None)
        else:
            states.append(_equal(mine, theirs))
    return False if False in states else None if None in states else True


def _argument(one: Transform, name: str):
    """An argument as the transform keeps it: sizes, paddings and fillings in full."""
    value = one.args.get(name)
    if name == "size" and value is None:
        value = one.args.get("c_size", one.args.get("py_size"))
    if isinstance(value, list):
        value = tuple(value)
    if name == "size" and isinstance(value, int):
        return (value,) if one.name.startswith("Resize") and one.name != "ResizedCrop" else (value, value)
    if name == "padding" and isinstance(value, int):
        return (value,) * 4
    if name == "padding" and isinstance(value, tuple) and len(value) == 2:
        return (value[0], value[1], value[0], value[1])
    if name == "fill_value" and isinstance(value, int) and one.name in ("Pad", "PadToSize", "Rotate"):
        return (value,) * 3
    if isinstance(value, str):
        text = ".".join(value.split(".")[-2:])
        return _ALIASES.get(text, text)
    return value


def _equal(one, other) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other)) if numbers else one == other


def _sizes(mine: list, theirs: list) -> list:
    """Where training crops at random, the pictures have to end with the same size."""
    ends = [next((one for one in reversed(some) if one.name in _SIZED), None) for some in (mine, theirs)]
    sizes = [_argument(one, "size") if one is not None else None for one in ends]
    if all(isinstance(size, tuple) and len(size) == 2 for size in sizes) and _equal(*sizes):
        return []
    shown = [one.text if one is not None else Text("无", "nothing") for one in ends]
    return [
        Text(
            "训练以 {a} 定大小，这里以 {b}",
            "training sizes its pictures by {a}, here it is {b}",
            a=shown[0],
            b=shown[1],
        )
    ]
