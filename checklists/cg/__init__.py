"""Computing graph: cg.01 to cg.04 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "cg",
    zh="常见计算图结构问题",
    en="Computational graph",
    package=__name__,
    items=("weight_sharing", "frozen_weights", "connectivity", "loss_function"),
    guide=5,
)
