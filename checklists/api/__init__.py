"""Use of APIs: api.01 to api.02 of the guide."""

from msprec.engine.family import Family

FAMILY = Family(
    "api",
    zh="常见API使用问题",
    en="Use of APIs",
    package=__name__,
    items=("argument_differences", "train_eval_mode"),
    guide=4,
)
