"""Data sets: ds.01 to ds.04 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "ds",
    zh="常见数据集问题",
    en="Data sets",
    package=__name__,
    items=("missing_values", "label_validity", "class_balance", "dataset_checksums"),
    guide=1,
)
