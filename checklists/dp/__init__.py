"""Data processing: dp.01 to dp.05 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "dp",
    zh="常见数据处理算法问题",
    en="Data processing",
    package=__name__,
    items=("normalization", "preprocessing_consistency", "shuffling", "padding", "sharding"),
    guide=2,
)
