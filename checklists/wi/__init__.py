"""Weight initialisation: wi.01 to wi.02 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "wi",
    zh="常见权重初始化问题",
    en="Weight initialisation",
    package=__name__,
    items=("zero_initialization", "pretrained_weights"),
    guide=6,
)
