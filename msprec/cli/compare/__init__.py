"""``msprec compare``: a run beside a reference, one comparison a file."""

import click

from msprec.cli.compare.data import data
from msprec.cli.compare.losses import losses
from msprec.cli.compare.tensors import tensors
from msprec.cli.compare.weights import weights

#: What can be compared with a reference, by name. A new comparison is a folder of its own in `msprec.compare` (read, compare,
#: words), a file with its command here, and an entry.
COMPARISONS = {"losses": losses, "weights": weights, "tensors": tensors, "data": data}


@click.group()
def compare() -> None:
    """Compare a run with a reference: losses, weights, tensors, data.

    \b
    Examples:
      msprec compare losses pytorch.log msprec_runs/train
      msprec compare weights net.pth net.ckpt
      msprec compare tensors pytorch_dump mindspore_dump
    """


for name, command in COMPARISONS.items():
    compare.add_command(command, name)
