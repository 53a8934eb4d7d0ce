"""Training dynamics, beyond the guide: td.01 to td.09."""

from msprec.engine.family import Family

# fmt: off
FAMILY = Family(
    "td",
    zh="训练动态",
    en="Training dynamics",
    package=__name__,
    items=(
        "outcome",
        "gradient_flow",
        "units",
        "update_gradients",
        "received_batches",
        "random_draws",
        "replicas",
        "scales",
        "spikes",
    ),
)
# fmt: on
