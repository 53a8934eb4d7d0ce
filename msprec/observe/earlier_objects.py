"""What a notebook made before ``%load_ext msprec``, as far as it can be found; what cannot is told."""

import gc

from msprec.bilingual import Text
from msprec.runtime import hook_points

_LOADS = ("load_checkpoint", "load_param_into_net")


def adopt(observer) -> None:
    """Takes up optimizers, loss scalers and the seed that are there. Where networks or a `Model` are, what was done with them
    before is not known: `hooks_missing` names the items that rest on it."""
    import weakref

    import mindspore
    from mindspore import nn
    from mindspore.train import Model

    from msprec.runtime.cells import is_optimizer_class

    cells, models = [], 0
    for one in gc.get_objects():
        kind = type(one)  # not isinstance, which asks proxies of what may be gone
        if issubclass(kind, nn.Cell):
            cells.append(one)
        models += issubclass(kind, Model)
        if kind.__name__ in hook_points.LOSS_SCALERS:
            observer.steps.scaling.scalers.append((weakref.ref(one), one, None))
    for cell in cells:
        if is_optimizer_class(type(cell)):
            observer.optimizers.created(cell, None)
    seed = mindspore.get_seed()
    if seed is not None and not observer.environment.seeds:
        observer.environment.seeds.append({"function": "mindspore.set_seed", "value": seed, "place": None})
    if cells:
        why = Text(
            "网络在 `%load_ext msprec` 之前已创建，不知道是否加载过权重",
            "The network was made before `%load_ext msprec`; whether weights were loaded is not known",
        )
        observer.late += [hook_points.too_late(name, why) for name in _LOADS]
    if models:
        why = Text(
            "`Model` 在 `%load_ext msprec` 之前已创建，不知道其 loss scale 设置",
            "The `Model` was made before `%load_ext msprec`; its loss scale is not known",
        )
        observer.late.append(hook_points.too_late("model_init", why))
