"""Every name of MindSpore that is patched, read although it is private, or recognised by its name: one table.

A `HookPoint` is a row; `find` looks its name up, and a name that this MindSpore does not have costs one line on standard error,
an entry of ``hooks_missing`` in ``run.json``, and the items that the row names. Nobody else imports such a name.
"""

import importlib
import sys
import types
from typing import Any, NamedTuple, Optional

from msprec.bilingual import LANGUAGES, Text

#: The versions of MindSpore that msprec was tried with: the oldest and the newest.
TRIED = ("2.7.1", "2.10.0")

#: Functions told by their names: what ``mindspore.grad`` returns, and what it makes of a function with auxiliary outputs.
GRADIENT_FUNCTION = "after_grad"
WRAPPING_FUNCTIONS = (GRADIENT_FUNCTION, "aux_fn", "inner_aux_fn")
#: What ``mindspore.amp.all_finite`` compiles.
ALL_FINITE = "_all_finite"
#: Classes whose instances differentiate a function.
GRADIENT_CLASSES = ("GradOperation", "_Grad")
LOSS_SCALERS = ("DynamicLossScaler", "StaticLossScaler")
LOSS_BASES = ("LossBase", "_Loss", "Loss")
LISTED_RATE, CONSTANT_RATE = "_IteratorLearningRate", "_ConvertToCell"

_DATA = ("ds.01", "ds.02", "ds.03", "ds.04", "dp.01", "dp.02", "dp.03", "dp.04", "dp.05")
_OF_DATA = (*_DATA, "hp.02", "hp.03")
_MIXED_PRECISION = ("mp.01", "mp.02", "mp.03", "mp.04")
_NETWORK = ("api.01", "api.02", "cg.01", "cg.02", "cg.03", "wi.01", "ds.02", "ds.03", "hp.01", "hp.02")
_LOSS = ("cg.04", "ds.02", "ds.03")
_OPTIMIZER = ("hp.01", "hp.02", "hp.03", "cg.01", "cg.02", "cg.03", "wi.01", "mp.02", "mp.03", "mp.04")
_ALL = (
    *_DATA,
    *("hp.01", "hp.02", "hp.03", "api.01", "api.02", "cg.01", "cg.02", "cg.03", "cg.04", "wi.01", "wi.02"),
    *_MIXED_PRECISION,
)
_STEPS = ("train_step", "steps", "network", "parameters", "modes", "inputs", "loss")


class HookPoint(NamedTuple):
    """A name of MindSpore that msprec depends on.

    ``places``: where it stands, ``module:attribute.attribute``, tried in this order, the newest first. ``inside``: a name
    that the code found there must mention, such as a private attribute that it sets; empty: what is found is enough.
    ``versions``: the oldest and the newest MindSpore it was seen in. ``learns``: what is known by it. ``facts``: what of the
    run folder depends on it; ``items``: the items that cannot be judged without it. ``without``: what happens without it.
    """

    name: str
    places: tuple
    learns: Text
    facts: tuple = ()
    items: tuple = ()
    without: Optional[Text] = None
    inside: str = ""
    versions: tuple = TRIED

    @property
    def title(self) -> str:
        """The name as MindSpore has it, in its newest place."""
        return self.places[0].replace(":", ".") + (f" ({self.inside})" if self.inside else "")


class HookPlace(NamedTuple):
    """Where a name was found: ``attribute`` of ``owner``, at ``places[at]``."""

    owner: Any
    attribute: str
    value: Any
    at: int


_STEP_CALLS = Text("训练步由哪些调用构成", "which calls are training steps")
_OPTIMIZERS = Text("脚本创建了哪些优化器", "which optimizers the script makes")
_SCALERS = Text("使用了哪个 loss scale 器", "which loss scaler is used")
_PASSES = Text("数据集送出了什么", "what the data sets deliver")
_PIPELINES = Text("数据集的数据处理流程由哪些操作构成", "of which operations the pipelines consist")
_EVALUATED = Text("哪些调用属于评估", "which calls belong to an evaluation")
_METRICS = Text("评估得出的指标", "the metrics of evaluations")
_PREDICTED = Text("哪些调用属于推理", "which calls belong to an inference")
_LOADED = Text("加载了哪些检查点", "which checkpoints are loaded")
_PRECISION = Text("要求了哪种混合精度", "which mixed precision is asked for")
_CELLS = Text("网络由哪些 Cell 和参数构成", "of which cells and parameters networks consist")
_GRADIENTS = Text("哪个函数被求导", "which function is differentiated")
_LOSSES = Text("哪些 Cell 是损失函数", "which cells are losses")
_RATES = Text("学习率如何变化", "how the learning rate goes")
_RANDOM = Text("随机函数所用的种子", "the seeds of random functions")
_SCALED = Text("Model 如何缩放损失", "how Model scales the loss")
_RANKS = Text("梯度是否在各卡间归约", "whether gradients are reduced over the ranks")
_ON_MODE = Text("哪些 Cell 在训练与推理模式下不同", "which cells differ between training and inference mode")
_CPU_SCALING = Text(
    "CPU 上带 loss scale 的训练 Cell的溢出检查", "the overflow check of training cells with a loss scale on a CPU"
)
_LOG = Text("MindSpore 的日志", "the log of MindSpore")
_SEEDS = Text("脚本设置了哪些种子与上下文", "which seeds and contexts the script sets")

HOOK_POINTS = (
    # training steps
    HookPoint(
        "cell_call",
        ("mindspore.nn.cell:Cell.__call__", "mindspore.nn:Cell.__call__"),
        _STEP_CALLS,
        _STEPS,
        _ALL,
        Text("看不到网络与训练 Cell的调用", "calls of networks and training cells are not seen"),
    ),
    HookPoint(
        "jit_call",
        ("mindspore.graph.api:_JitExecutor.__call__", "mindspore.common.api:_JitExecutor.__call__"),
        _STEP_CALLS,
        _STEPS,
        _ALL,
        Text("看不到由 jit 编译的训练步", "steps compiled by jit are not seen"),
    ),
    HookPoint(
        "gradient_run",
        (
            "mindspore.ops.composite.base:_pynative_forward_run",
            "mindspore.ops.composite.base:_Grad._pynative_forward_run",
        ),
        _GRADIENTS,
        _STEPS,
        _ALL,
        Text("看不到函数式训练循环的求导", "the gradient computations of functional loops are not seen"),
    ),
    HookPoint(
        "gradient_operation_run",
        (
            "mindspore.ops.composite.base:_pynative_forward_run",
            "mindspore.ops.composite.base:GradOperation._pynative_forward_run",
        ),
        _GRADIENTS,
        _STEPS,
        _ALL,
        Text("看不到 GradOperation 的求导", "the gradient computations of GradOperation are not seen"),
    ),
    HookPoint(
        "gradient_function",
        ("mindspore.ops.composite.base:_Grad.__call__",),
        _GRADIENTS,
        _STEPS,
        _ALL,
        Text("认不出编译后的求导函数", "compiled gradient functions are not recognised"),
        GRADIENT_FUNCTION,
    ),
    HookPoint(
        "auxiliary_function",
        ("mindspore.ops.composite.base:_Grad.__call__",),
        _GRADIENTS,
        ("probes",),
        ("cg.03", "cg.04"),
        Text("认不出带辅助输出的函数", "functions with auxiliary outputs are not recognised"),
        "aux_fn",
    ),
    *(
        HookPoint(
            f"gradient_class_{name}",
            (f"mindspore.ops.composite.base:{name}", f"mindspore.ops:{name}"),
            _GRADIENTS,
            _STEPS,
            _ALL,
            Text("认不出求导对象", "objects that differentiate a function are not recognised"),
        )
        for name in GRADIENT_CLASSES
    ),
    HookPoint(
        "forward_value_and_grad",
        ("mindspore.nn.wrap.cell_wrapper:ForwardValueAndGrad", "mindspore.nn:ForwardValueAndGrad"),
        _GRADIENTS,
        _STEPS,
        _ALL,
        Text("认不出 ForwardValueAndGrad", "ForwardValueAndGrad is not recognised"),
    ),
    HookPoint(
        "all_finite",
        (f"mindspore.amp:{ALL_FINITE}",),
        Text("脚本是否检查了梯度溢出", "whether the script checks gradients for overflow"),
        ("train_step", "steps"),
        ("mp.01", "mp.02"),
        Text("看不到 all_finite 的结果", "the result of all_finite is not seen"),
    ),
    # networks
    HookPoint(
        "cell_cells",
        ("mindspore.nn.cell:Cell.__init__", "mindspore.nn:Cell.__init__"),
        _CELLS,
        _STEPS,
        _ALL,
        Text("无法遍历网络", "networks cannot be walked"),
        "_cells",
    ),
    HookPoint(
        "cell_params",
        ("mindspore.nn.cell:Cell.__init__", "mindspore.nn:Cell.__init__"),
        _CELLS,
        _STEPS,
        _ALL,
        Text("无法读取网络的参数", "the parameters of networks cannot be read"),
        "_params",
    ),
    HookPoint(
        "cell_init",
        ("mindspore.nn.cell:Cell.__init__", "mindspore.nn:Cell.__init__"),
        Text("每个 Cell 在何处创建", "where each cell is made"),
        ("network", "precision"),
        ("api.01", *_MIXED_PRECISION),
        Text("不知道 Cell 在何处创建", "where cells are made is not known"),
    ),
    HookPoint(
        "cell_init_args",
        ("mindspore.nn.cell:Cell.cell_init_args", "mindspore.nn.cell:Cell.__init__"),
        Text("Cell 的构造参数", "the arguments that cells are made with"),
        ("network",),
        ("api.01",),
        Text("部分 Cell 的参数未知", "the arguments of some cells are not known"),
    ),
    HookPoint(
        "train_one_step_cell",
        ("mindspore.nn.wrap.cell_wrapper:TrainOneStepCell",),
        _CELLS,
        ("network", "modes"),
        _NETWORK,
        Text("认不出 MindSpore 的包装单元", "MindSpore's wrapper cells are not recognised"),
    ),
    *(
        HookPoint(
            f"mode_dependent_{name}",
            (f"{module}:{name}", f"mindspore.nn:{name}"),
            _ON_MODE,
            ("network", "modes"),
            ("api.02",),
            Text("认不出 {name}", "{name} is not recognised", name=name),
        )
        for module, name in (
            ("mindspore.nn.layer.basic", "Dropout"),
            ("mindspore.nn.layer.normalization", "_BatchNorm"),
        )
    ),
    HookPoint(
        "recompute_cell",
        ("mindspore.nn.cell:Cell.__init__", "mindspore.nn:Cell.__init__"),
        Text("哪些 Cell 会重计算", "which cells recompute"),
        without=Text("重放时会再次重计算", "a replay recomputes too"),
        inside="_recompute_cell",
    ),
    HookPoint(
        "cell_setattr",
        ("mindspore.nn.cell:Cell.__setattr__", "mindspore.nn:Cell.__setattr__"),
        Text("重放时对参数的赋值", "assignments to parameters in a replay"),
        ("events", "probes"),
        without=Text("不重放训练步", "steps are not replayed"),
    ),
    HookPoint(
        "loss_base",
        ("mindspore.nn.loss.loss:LossBase", "mindspore.nn:LossBase"),
        _LOSSES,
        ("loss",),
        _LOSS,
        Text("认不出损失函数", "losses are not recognised"),
    ),
    # optimizers and loss scaling
    *(
        HookPoint(
            name,
            places,
            _OPTIMIZERS,
            ("optimizer", "parameters", "network"),
            _OPTIMIZER,
            Text("看不到优化器的创建", "the making of optimizers is not seen"),
        )
        for name, places in (
            ("optimizer_init", ("mindspore.nn.optim.optimizer:Optimizer.__init__", "mindspore.nn:Optimizer.__init__")),
            (
                "experimental_optimizer_init",
                (
                    "mindspore.experimental.optim.optimizer:Optimizer.__init__",
                    "mindspore.experimental.optim:Optimizer.__init__",
                ),
            ),
        )
    ),
    *(
        HookPoint(
            name,
            (f"mindspore.nn.optim.optimizer:{kind}",),
            _RATES,
            ("optimizer", "steps"),
            ("hp.01",),
            Text("认不出列表形式的学习率", "learning rates given as a list or in groups are not recognised"),
        )
        for name, kind in (("listed_rate", LISTED_RATE), ("constant_rate", CONSTANT_RATE))
    ),
    *(
        HookPoint(
            name,
            (f"{module}:{kind}", f"mindspore.train:{kind}"),
            _RATES,
            ("steps",),
            ("hp.01",),
            Text("不知道回调改变学习率", "a callback that sets the learning rate is not recognised"),
        )
        for name, module, kind in (
            ("rate_scheduler", "mindspore.train.callback._lr_scheduler_callback", "LearningRateScheduler"),
            ("rate_on_plateau", "mindspore.train.callback._reduce_lr_on_plateau", "ReduceLROnPlateau"),
        )
    ),
    *(
        HookPoint(
            name,
            (f"mindspore.amp:{kind}.__init__",),
            _SCALERS,
            ("train_step", "steps"),
            _MIXED_PRECISION,
            Text("看不到 loss scale 器", "loss scalers are not seen"),
        )
        for name, kind in zip(("dynamic_loss_scaler", "static_loss_scaler"), LOSS_SCALERS)
    ),
    HookPoint(
        "dynamic_loss_scale_manager",
        ("mindspore.train.loss_scale_manager:DynamicLossScaleManager", "mindspore.train:DynamicLossScaleManager"),
        _SCALED,
        ("train_step",),
        _MIXED_PRECISION,
        Text("认不出动态 loss scale", "dynamic loss scaling is not recognised"),
    ),
    *(
        HookPoint(name, places, _PRECISION, ("precision",), _MIXED_PRECISION, Text("看不到精度设置", "it is not seen"))
        for name, places in (
            ("to_float", ("mindspore.nn.cell:Cell.to_float", "mindspore.nn:Cell.to_float")),
            ("auto_mixed_precision", ("mindspore.train.amp:auto_mixed_precision",)),
            ("build_train_network", ("mindspore.train.amp:build_train_network",)),
        )
    ),
    HookPoint(
        "overflow_status",
        ("mindspore.nn.wrap.loss_scale:TrainOneStepWithLossScaleCell.get_overflow_status",),
        _CPU_SCALING,
        without=Text("该单元在 CPU 上不能训练", "the cell does not train on a CPU"),
    ),
    HookPoint(
        "overflow_status_over_ranks",
        ("mindspore.nn.wrap.loss_scale:TrainOneStepWithLossScaleCell._get_distributed_overflow_status_on_infnan_mode",),
        _CPU_SCALING,
        without=Text("该单元在 CPU 上不能训练", "the cell does not train on a CPU"),
    ),
    HookPoint(
        "gradient_overflow",
        ("mindspore.nn.wrap.loss_scale:_ascend_grad_overflow",),
        _CPU_SCALING,
        without=Text("该单元在 CPU 上不能训练", "the cell does not train on a CPU"),
    ),
    HookPoint(
        "amp_context",
        ("mindspore.train.amp:context",),
        _CPU_SCALING,
        without=Text("Model 在 CPU 上仍拒绝动态 loss scale", "Model goes on refusing dynamic loss scaling on a CPU"),
    ),
    # Model
    *(
        HookPoint(
            name,
            (f"mindspore.train.model:Model.{method}", f"mindspore.train:Model.{method}"),
            learns,
            facts,
            items,
            Text("看不到 Model.{method}", "Model.{method} is not seen", method=method),
        )
        for name, method, learns, facts, items in (
            ("model_init", "__init__", _SCALED, ("train_step", "precision", "loss"), (*_MIXED_PRECISION, *_LOSS)),
            ("model_train", "train", _STEP_CALLS, _STEPS, _ALL),
            ("model_fit", "fit", _STEP_CALLS, _STEPS, _ALL),
            ("model_eval", "eval", _EVALUATED, ("modes", "evaluation", "datasets"), ("api.02", *_OF_DATA)),
            (
                "model_predict",
                "predict",
                _PREDICTED,
                ("modes", "inputs", "datasets"),
                ("api.02", "dp.01", "dp.02", "dp.04"),
            ),
            ("model_eval_process", "_eval_process", _METRICS, ("evaluation",), ("hp.02", "ds.02")),
            ("model_eval_sink", "_eval_dataset_sink_process", _METRICS, ("evaluation",), ("hp.02", "ds.02")),
        )
    ),
    *(
        HookPoint(
            name,
            ("mindspore.train.model:Model.__init__", "mindspore.train:Model.__init__"),
            learns,
            facts,
            items,
            Text("认不出该网络", "that network is not recognised"),
            attribute,
        )
        for name, attribute, learns, facts, items in (
            ("model_eval_network", "_eval_network", _EVALUATED, ("modes", "inputs"), ("api.02", "dp.02", "hp.02")),
            ("model_network", "_network", _CELLS, ("train_step",), ()),
        )
    ),
    HookPoint(
        "model_predict_network",
        ("mindspore.train.model:Model._build_predict_network", "mindspore.train.model:Model.__init__"),
        _PREDICTED,
        ("modes", "inputs"),
        ("api.02", "dp.02"),
        Text("认不出该网络", "that network is not recognised"),
        "_predict_network",
    ),
    HookPoint(
        "model_train_network",
        ("mindspore.train.model:Model.__init__",),
        Text("Model 的训练 Cell", "the training cell of a Model"),
        without=Text("keep_steps 不能用于 Model", "keep_steps takes no Model"),
        inside="_train_network",
    ),
    *(
        HookPoint(
            f"callbacks_{name}",
            (f"mindspore.train.callback:_CallbackManager.{name}",),
            Text("一步中回调与等待数据各占多少时间", "how a step's time divides among computing, data and callbacks"),
            ("steps",),
            without=Text("不划分步时间", "the time of steps is not divided"),
        )
        for name in ("on_train_step_begin", "on_train_step_end", "on_train_epoch_begin", "on_train_epoch_end")
    ),
    HookPoint(
        "summary_data",
        ("mindspore.train.summary.summary_record:SummaryRecord.__init__",),
        Text("SummaryRecord 中待写的数据", "what a SummaryRecord is about to write"),
        without=Text("摘要写入可能为空", "an empty summary may be written"),
        inside="_data_pool",
    ),
    # data
    HookPoint(
        "dataset_init",
        ("mindspore.dataset.engine.datasets:Dataset.__init__",),
        Text("数据集在何处创建", "where data sets are made"),
        ("datasets",),
        _OF_DATA,
        Text("分不清相同的数据处理流程", "equal pipelines are not told apart"),
    ),
    HookPoint(
        "iterator_next",
        ("mindspore.dataset.engine.iterators:Iterator.__next__",),
        _PASSES,
        ("datasets",),
        _OF_DATA,
        Text("看不到送出的 batch", "the batches are not seen"),
    ),
    HookPoint(
        "tensor_from_numpy",
        ("mindspore.common.tensor:Tensor.from_numpy",),
        _PASSES,
        ("datasets",),
        (),
        Text("查看 batch 时要等待已下发的算子", "looking at a batch waits for what was launched before"),
    ),
    HookPoint(
        "iterator_dataset",
        ("mindspore.dataset.engine.iterators:Iterator.__init__",),
        _PASSES,
        ("datasets",),
        _OF_DATA,
        Text("不知道 batch 来自哪个数据集", "the data set of a batch is not known"),
        "_Iterator__ori_dataset",
    ),
    *(
        HookPoint(
            f"pipeline_{name}",
            (f"mindspore.dataset.engine.datasets:{name}",),
            _PIPELINES,
            ("datasets",),
            _OF_DATA,
            Text("认不出该操作", "that operation is not recognised"),
        )
        for name in ("BatchDataset", "ShuffleDataset", "MapDataset", "RepeatDataset")
    ),
    # weights, metrics, environment
    *(
        HookPoint(
            name,
            (f"mindspore.train.serialization:{name}",),
            _LOADED,
            ("weights_loaded",),
            ("wi.01", "wi.02", "cg.02", "api.01"),
            Text("看不到检查点的加载", "the loading of checkpoints is not seen"),
        )
        for name in ("load_checkpoint", "load_param_into_net")
    ),
    HookPoint(
        "metrics",
        ("mindspore.train.metrics:Metric",),
        _METRICS,
        ("evaluation",),
        ("hp.02", "ds.02"),
        Text("看不到指标对象的结果", "the results of metric objects are not seen"),
    ),
    *(
        HookPoint(name, places, _SEEDS, ("run",), without=Text("看不到该设置", "the setting is not seen"))
        for name, places in (
            ("set_seed", ("mindspore:set_seed",)),
            ("set_context", ("mindspore.context:set_context",)),
            ("set_auto_parallel_context", ("mindspore.context:set_auto_parallel_context",)),
            ("set_device", ("mindspore:set_device",)),
            ("set_deterministic", ("mindspore:set_deterministic",)),
        )
    ),
    HookPoint(
        "gradient_reducer",
        ("mindspore.nn:DistributedGradReducer.__init__",),
        _RANKS,
        ("run",),
        ("dp.05", "wi.01"),
        Text("不知道梯度是否被归约", "whether gradients are reduced is not known"),
    ),
    HookPoint(
        "world_group",
        ("mindspore.communication:GlobalComm",),
        _RANKS,
        ("run",),
        ("dp.05", "wi.01"),
        Text("不知道梯度在哪个通信组内归约", "the group that gradients are reduced in is not known"),
    ),
    HookPoint(
        "pynative_executor",
        ("mindspore.graph.api:_pynative_executor", "mindspore.common.api:_pynative_executor"),
        _LOG,
        without=Text(
            "重放失败之后，脚本的下一步可能仍被当作求导的一部分",
            "after a replay that failed, the script's next step may still count as part of a gradient",
        ),
    ),
    HookPoint(
        "log",
        ("mindspore.log:_get_logger",),
        _LOG,
        without=Text(
            "重放时 MindSpore 的日志会出现在终端上", "what MindSpore logs in a replay is seen on the terminal"
        ),
    ),
    HookPoint(
        "log_once",
        ("mindspore.log:_LogActionOnce",),
        _LOG,
        without=Text("只说一次的日志可能不再出现", "a line that is logged once may be missing after a replay"),
    ),
    HookPoint(
        "kernel_seeds",
        ("mindspore.common.seed:_KERNEL_SEED",),
        _RANDOM,
        without=Text("重放的随机数可能不同", "a replay may draw other random numbers"),
    ),
    *(
        HookPoint(
            name,
            (place,),
            Text("检查点的写入", "the writing of checkpoints"),
            without=Text(
                "`msprec lr` 不阻止写检查点", "`msprec lr` does not keep this function from writing checkpoints"
            ),
        )
        for name, place in (
            ("save_checkpoint", "mindspore:save_checkpoint"),
            ("save_checkpoint_train", "mindspore.train:save_checkpoint"),
            ("save_checkpoint_serialization", "mindspore.train.serialization:save_checkpoint"),
            ("save_checkpoint_callback", "mindspore.train.callback._checkpoint:save_checkpoint"),
        )
    ),
)
BY_NAME = {row.name: row for row in HOOK_POINTS}

_missing: dict = {}


def find(name: str) -> Optional[HookPlace]:
    """Looks up the row ``name``; a MindSpore without it is told once, and noted in `missing`.

    Raises:
        KeyError: The table has no such row.
    """
    row = BY_NAME[name]
    for at, place in enumerate(row.places):
        found = _at(place)
        if found is not None and (not row.inside or mentions(found[2], row.inside)):
            return HookPlace(*found, at)
    _note(row)
    return None


def value(name: str) -> Any:
    """What stands at the row ``name``; None where this MindSpore does not have it."""
    found = find(name)
    return found.value if found is not None else None


def find_all() -> None:
    """Looks for every name that an item depends on."""
    for row in HOOK_POINTS:
        if row.items:
            find(row.name)


def failed(name: str, error: Exception) -> None:
    """The name is there and could not be used: it counts as missing."""
    _note(BY_NAME[name], f"{type(error).__name__}: {error}".splitlines()[0])


def missing() -> list:
    """``hooks_missing`` of ``run.json``."""
    return list(_missing.values())


def too_late(name: str, why: Text) -> dict:
    """An entry of ``hooks_missing`` for a hook that is there, but was not when the user's code needed it."""
    return {**_as_missing(BY_NAME[name], why), "late": True}


def _as_missing(row: HookPoint, why: Text) -> dict:
    return {
        "hook": row.title,
        "learns": {lang: row.learns.render(lang) for lang in LANGUAGES},
        "why": {lang: why.render(lang) for lang in LANGUAGES},
        "facts": list(row.facts),
        "items": list(row.items),
    }


def tell_version() -> None:
    """Says where this MindSpore is newer than those that msprec was tried with."""
    version = str(getattr(sys.modules.get("mindspore"), "__version__", ""))
    if _minor(version) > _minor(TRIED[1]):
        tried = f"{TRIED[0]} to {TRIED[1]}"
        print(
            f"msprec: MindSpore {version} is not tried yet ({tried} are); what cannot be observed is told",
            file=sys.stderr,
        )


def _minor(version: str) -> tuple:
    parts = version.split(".")[:2]
    return tuple(map(int, parts)) if len(parts) == 2 and all(part.isdigit() for part in parts) else (0, 0)


def _at(place: str) -> Optional[tuple]:
    """``(owner, attribute, value)``, where it is there."""
    module, _, path = place.partition(":")
    *owners, attribute = path.split(".")
    try:
        owner = importlib.import_module(module)
        for name in owners:
            owner = getattr(owner, name)
        return owner, attribute, getattr(owner, attribute)
    except (AttributeError, ImportError):
        return None


def mentions(function, name: str) -> bool:
    """Whether the code of ``function``, or of a function inside it, uses ``name`` as a name or a text."""
    while function is not None:  # what has replaced it, by msprec or another, keeps the original
        code = getattr(function, "__code__", None)
        if code is not None and _in_code(code, name):
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def _in_code(code: types.CodeType, name: str) -> bool:
    if name == code.co_name or name in code.co_names or name in code.co_consts:
        return True
    return any(_in_code(one, name) for one in code.co_consts if isinstance(one, types.CodeType))


def _note(row: HookPoint, error: str = "") -> None:
    if row.name in _missing:
        return
    _missing[row.name] = _as_missing(row, row.without)
    version = getattr(sys.modules.get("mindspore"), "__version__", "")
    lost = f"; {', '.join(row.items)} cannot be judged" if row.items else ""
    because = f" cannot be used ({error})" if error else " is not there"
    print(f"msprec: MindSpore {version}: {row.title}{because}: {row.without.render('en')}{lost}", file=sys.stderr)
