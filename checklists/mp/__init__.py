"""Mixed precision: mp.01 to mp.04 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "mp",
    zh="常见混合精度和溢出问题",
    en="Mixed precision and overflow",
    package=__name__,
    items=("overflow", "loss_scale", "clip_before_unscale", "gradient_penalty"),
    guide=7,
)
