"""Remedies put into a running script: MindSpore's own functions patched before the script uses them.

Each function of `HOOKS` is given the `Patches` of the process and the parameters that the plan names; a place is compared
with the user's line of the call.
"""

import gc
import os
import random
from typing import Callable, Optional

import numpy as np

from msprec.runtime.patching import Patches
from msprec.runtime.source_locations import user_place

_SEED = 1


def install(hooks: list, patches: Optional[Patches] = None) -> None:
    """Puts in ``[{"name": ..., **parameters}]``.

    Raises:
        KeyError: There is no hook of a name.
    """
    patches = patches or Patches()
    for entry in hooks:
        given = dict(entry)
        HOOKS[given.pop("name")](patches, **given)


def seeds(patches: Patches, offset: int, script_sets: bool) -> None:
    """Adds ``offset`` to the seeds that the script sets; where it sets none, sets them."""
    import mindspore as ms

    random.seed(_SEED + offset)
    np.random.seed(_SEED + offset)
    if not script_sets:
        ms.set_seed(_SEED + offset)
    if offset:
        patches.wrap_function(ms, "set_seed", lambda original: lambda seed: original(seed + offset))


def standardise(patches: Patches, columns: dict) -> None:
    """Data sets that have all the columns deliver them as ``(value - mean) / std``, float32."""
    from mindspore.dataset.engine.datasets import Dataset

    made = {}

    def make(original):
        def iterate(dataset, *args, **kwargs):
            return original(_mapped(dataset, columns, made), *args, **kwargs)

        return iterate

    for name in ("create_tuple_iterator", "create_dict_iterator", "device_que"):
        patches.wrap(Dataset, name, make)


def _mapped(dataset, columns: dict, made: dict):
    """The data set with its columns standardised: made once, since a node of a pipeline may have one consumer only."""
    if id(dataset) not in made:
        kept, names = dataset, dataset.get_col_names()
        if all(name in names for name in columns):
            for name, (mean, std) in columns.items():
                dataset = dataset.map(_standardised(mean, std), input_columns=[name])
        made[id(kept)] = kept, dataset  # kept as well, so that its id stays its own
        return dataset
    return made[id(dataset)][1]


def _standardised(mean, std):
    mean, std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
    return lambda value: ((value - mean) / std).astype(np.float32)


def source_argument(patches: Patches, operation: str, file: str, line: int, **given) -> None:
    """The data set ``operation`` made at a place is made with other arguments."""
    import mindspore.dataset as ds

    _with_arguments(patches, getattr(ds, operation), (file, line), given)


def _with_arguments(patches: Patches, kind: type, place: tuple, given: dict) -> None:
    import inspect

    def make(original):
        signature = inspect.signature(original)

        def __init__(self, *args, **kwargs):
            if type(self) is kind and is_at(place):
                bound = signature.bind(self, *args, **kwargs)
                bound.arguments.update(given)
                args, kwargs = bound.args[1:], bound.kwargs
            original(self, *args, **kwargs)

        return __init__

    patches.wrap(kind, "__init__", make)


def shuffle_before_batch(patches: Patches, file: str, line: int, size: int) -> None:
    """The data set that is batched at a place is shuffled before that."""
    from mindspore.dataset.engine.datasets import Dataset

    def make(original):
        def batch(dataset, *args, **kwargs):
            return original(dataset.shuffle(size) if is_at((file, line)) else dataset, *args, **kwargs)

        return batch

    patches.wrap(Dataset, "batch", make)


def batch_size(patches: Patches, file: str, line: int, size: int) -> None:
    """The data set that is batched at a place has batches of ``size`` samples."""
    from mindspore.dataset.engine.datasets import Dataset

    def make(original):
        def batch(dataset, batch_size, *args, **kwargs):
            return original(dataset, size if is_at((file, line)) else batch_size, *args, **kwargs)

        return batch

    patches.wrap(Dataset, "batch", make)


def learning_rate(patches: Patches, factor: float) -> None:
    """Every learning rate of every optimizer, constant, list or schedule, times ``factor``."""

    def make(original):
        def __init__(self, learning_rate, parameters, *args, **kwargs):
            original(self, _scaled(learning_rate, factor), _scaled_groups(parameters, factor), *args, **kwargs)

        return __init__

    def make_experimental(original):
        def __init__(self, params, defaults, *args, **kwargs):
            defaults = {**defaults, **({"lr": _scaled(defaults["lr"], factor)} if "lr" in defaults else {})}
            original(self, _scaled_groups(params, factor), defaults, *args, **kwargs)

        return __init__

    patches.hook("optimizer_init", make)
    patches.hook("experimental_optimizer_init", make_experimental)


def _scaled_groups(parameters, factor: float):
    parameters = list(parameters)
    if not parameters or not isinstance(parameters[0], dict):
        return parameters
    return [{**group, **({"lr": _scaled(group["lr"], factor)} if "lr" in group else {})} for group in parameters]


def _scaled(rate, factor: float):
    from mindspore.nn.learning_rate_schedule import LearningRateSchedule

    if isinstance(rate, LearningRateSchedule):
        from msprec.experiment.scaled_schedule import Scaled

        return Scaled(rate, factor)
    return [one * factor for one in rate] if isinstance(rate, (list, tuple)) else rate * factor


def all_parameters(patches: Patches, names: list) -> None:
    """The optimizer is given these parameters of its network as well, and they require gradients."""

    def make(original):
        def __init__(self, learning_rate, parameters, *args, **kwargs):
            parameters = list(parameters)
            original(self, learning_rate, parameters + _missing(parameters, names), *args, **kwargs)

        return __init__

    patches.hook("optimizer_init", make)


def _missing(parameters: list, names: list) -> list:
    grouped = bool(parameters) and isinstance(parameters[0], dict)
    given = [p for group in parameters for p in group["params"]] if grouped else parameters
    held = _network_of(given, names)
    if held is None:
        return []
    found = [held[name] for name in names if not any(held[name] is one for one in given)]
    for parameter in found:
        parameter.requires_grad = True
    return [{"params": found}] if grouped and found else found


def _network_of(given: list, names: list) -> Optional[dict]:
    """``{name: parameter}`` of the cell that holds the parameters given and those of the names."""
    known = {id(parameter) for parameter in given}
    for cell in _cells(gc.get_objects()):
        try:
            held = {parameter.name: parameter for parameter in cell.get_parameters()}
        except AttributeError:  # a cell that is being made, such as this optimizer
            continue
        if all(name in held for name in names) and known <= {id(parameter) for parameter in held.values()}:
            return held
    return None


def _cells(objects: list) -> list:
    """The cells among any objects. By ``type``: `isinstance` asks a weak proxy for what it stood for, which may be gone."""
    from mindspore import nn

    return [one for one in objects if issubclass(type(one), nn.Cell)]


def initial_weights(patches: Patches, names: list) -> None:
    """Parameters of these names begin with He's uniform initial values, biases at 0."""

    def make(original):
        def __init__(self, learning_rate, parameters, *args, **kwargs):
            parameters = list(parameters)
            grouped = bool(parameters) and isinstance(parameters[0], dict)
            for parameter in [p for group in parameters for p in group["params"]] if grouped else parameters:
                if parameter.name in names:
                    _draw(parameter)
            original(self, learning_rate, parameters, *args, **kwargs)

        return __init__

    patches.hook("optimizer_init", make)


def _draw(parameter) -> None:
    import mindspore as ms
    from mindspore.common.initializer import HeUniform, initializer

    drawn = initializer(
        HeUniform() if len(parameter.shape) > 1 else "zeros", parameter.shape, parameter.dtype
    ).init_data()
    parameter.set_data(ms.Tensor(drawn.asnumpy(), parameter.dtype))


def float32(patches: Patches, cells: Optional[list] = None, network: Optional[str] = None) -> None:
    """Nothing is computed in float16 or bfloat16; ``cells``: only these are not, by their path in the cell of class
    ``network``. What holds them casts its own inputs, so it computes in float32 as well."""
    import mindspore as ms

    if cells is None:
        patches.hook("to_float", lambda original: _to_float_without(original, (ms.float16, ms.bfloat16)))
        patches.hook("auto_mixed_precision", lambda original: lambda network, *args, **kwargs: network)
        patches.hook("model_init", _full_precision_model)
        return
    inner = {path for cell in cells for path in _outer(cell)}

    def make(original):
        def to_float(cell, dtype):
            original(cell, dtype)
            _in_float32([cell], network, inner)
            return cell

        return to_float

    def make_optimizer(original):
        def __init__(self, *args, **kwargs):
            # the script may have called to_float of the cells themselves
            _in_float32(gc.get_objects(), network, inner)
            original(self, *args, **kwargs)

        return __init__

    patches.hook("to_float", make)
    patches.hook("optimizer_init", make_optimizer)


def _to_float_without(original, left_out: tuple):
    return lambda cell, dtype: cell if dtype in left_out else original(cell, dtype)


def _outer(path: str) -> list:
    """``a.b.c``, ``a.b``, ``a`` and the network itself."""
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _in_float32(objects: list, network: Optional[str], paths: set) -> None:
    """The cells at these paths of each cell of class ``network`` compute in float32, those inside them as before."""
    for root in (one for one in _cells(objects) if type(one).__name__ == network):
        for path, cell in root.cells_and_names():
            if path in paths:
                cell.add_flags(fp16=False, bf16=False, fp32=True)


def _full_precision_model(original):
    def __init__(self, *args, **kwargs):
        kwargs.pop("amp_level", None)
        original(self, *args, **kwargs)

    return __init__


def loss_scale(patches: Patches, scale: float) -> None:
    """The loss of a functional training is multiplied by ``scale`` before it is differentiated, its gradients divided."""
    import mindspore as ms

    from msprec.experiment.scaled_gradient import scaled_gradient_function

    def make(original):
        def value_and_grad(fn, *args, **kwargs):
            return scaled_gradient_function(original, fn, args, kwargs, scale)

        return value_and_grad

    patches.wrap_function(ms, "value_and_grad", make)


def dynamic_loss_scale(patches: Patches) -> None:
    """`Model` trains with a dynamic loss scale."""
    from mindspore.train import DynamicLossScaleManager

    def make(original):
        def __init__(self, *args, **kwargs):
            original(self, *args, **{**kwargs, "loss_scale_manager": DynamicLossScaleManager()})

        return __init__

    patches.hook("model_init", make)


def class_weights(patches: Patches, loss: str, weights: list) -> None:
    """The loss ``nn.LOSS`` is made with a weight for each class."""
    import mindspore as ms
    from mindspore import nn

    def make(original):
        def __init__(self, *args, **kwargs):
            original(self, *args, **{**kwargs, "weight": ms.Tensor(np.asarray(weights, np.float32))})

        return __init__

    patches.wrap(getattr(nn, loss), "__init__", make)


def context(patches: Patches, **settings) -> None:
    """The context has these settings, whatever the script sets: ``mode`` "graph" or "pynative", and others of `set_context`."""
    import mindspore as ms

    wanted = dict(settings)
    if "mode" in wanted:
        wanted["mode"] = ms.GRAPH_MODE if wanted["mode"] == "graph" else ms.PYNATIVE_MODE

    def make(original):
        def set_context(*args, **kwargs):
            if args:
                kwargs["mode"], args = args[0], ()
            original(**{**kwargs, **{key: value for key, value in wanted.items() if key in kwargs}})

        return set_context

    ms.set_context(**wanted)
    patches.hook("set_context", make)


def no_jit(patches: Patches) -> None:
    """``jit`` returns the function as it is."""
    import mindspore as ms

    def make(original):
        def jit(function=None, *args, **kwargs):
            return function if function is not None else (lambda inner: inner)

        return jit

    patches.wrap_function(ms, "jit", make)


def deterministic(patches: Patches) -> None:
    """Operators are asked to be deterministic."""
    import mindspore as ms

    if hasattr(ms, "set_deterministic"):
        ms.set_deterministic(True)
    else:
        ms.set_context(deterministic="ON")


def no_fusion(patches: Patches) -> None:
    """GE is given a switch file that turns all fusion off. For Ascend: written after the documented format, not tried there."""
    import json
    import tempfile

    import mindspore as ms

    switches = {"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}}
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(switches, file)
    ms.set_context(ascend_config={"ge_options": {"global": {"ge.fusionSwitchFile": file.name}}})


def one_worker(patches: Patches) -> None:
    """Data pipelines run in one worker."""
    import mindspore.dataset as ds
    from mindspore.dataset.engine.datasets import Dataset

    ds.config.set_num_parallel_workers(1)

    def make(original):
        def __init__(self, *args, **kwargs):
            original(self, *args, **kwargs)
            if getattr(self, "num_parallel_workers", None):
                self.num_parallel_workers = 1

        return __init__

    patches.wrap(Dataset, "__init__", make)


def no_sink(patches: Patches) -> None:
    """`Model.train`, `Model.fit` and `Model.eval` hand over batch by batch."""

    def make(original):
        def train(self, *args, **kwargs):
            import inspect

            bound = inspect.signature(original).bind(self, *args, **kwargs)
            bound.arguments["dataset_sink_mode"] = False
            return original(*bound.args, **bound.kwargs)

        return train

    for name in ("model_train", "model_fit", "model_eval"):
        patches.hook(name, make)


def is_at(place: tuple) -> bool:
    """Whether the user's innermost line is the place ``(file, line)``."""
    here = user_place(3)
    return (
        here is not None and here["line"] == place[1] and os.path.realpath(here["file"]) == os.path.realpath(place[0])
    )


HOOKS: dict[str, Callable] = {
    function.__name__: function
    for function in (
        standardise,
        source_argument,
        shuffle_before_batch,
        batch_size,
        learning_rate,
        all_parameters,
        initial_weights,
        float32,
        loss_scale,
        dynamic_loss_scale,
        class_weights,
        context,
        no_jit,
        deterministic,
        no_fusion,
        one_worker,
        no_sink,
    )
}
