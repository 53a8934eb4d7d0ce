"""Hyper-parameters: hp.01 to hp.03 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "hp",
    zh="常见超参问题",
    en="Hyper-parameters",
    package=__name__,
    items=("learning_rate", "epochs", "batch_size"),
    guide=3,
)
