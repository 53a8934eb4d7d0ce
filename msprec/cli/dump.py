"""``msprec dump``: the values of a network, step by step."""

from typing import Optional

import click

from msprec.cli.common import Failure
from msprec.cli.ending import end_as_python
from msprec.cli.mindspore_needed import require_mindspore, require_script
from msprec.cli.run_folder import forget, new_run_folder, own_folder


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--steps", default="1", show_default=True, help="Which training steps, from 1: 1-2 or 1,10.")
@click.option("--out", metavar="DIR", help="The folder to write; default: msprec_runs/SCRIPT-TIME.")
@click.option("--statistics", is_flag=True, help="Write statistics only, no values.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def dump(steps: str, out: Optional[str], statistics: bool, script: str, args: tuple) -> None:
    """Dump the inputs and outputs of every cell of SCRIPT's network, forward and backward, and its gradients.

    The script runs unchanged up to the last of the steps, and ends there. Each of the steps is run once more beforehand, in
    PyNative mode, from the same weights, batch and random state, so that graph mode can be dumped too. The same of a PyTorch
    script: msprec.torch.dump(model, DIR).

    \b
    Examples:
      msprec dump --steps 1-2 --out mindspore_dump train.py
      msprec compare tensors pytorch_dump mindspore_dump
    """
    from msprec.compare.dumps.msprec_dump import INDEX, DumpWriter
    from msprec.compare.dumps.tensor_names import wanted_steps
    from msprec.compare.errors import CannotRead

    try:
        wanted = wanted_steps(steps)
    except CannotRead as error:
        raise Failure(str(error)) from None
    require_script(script)
    require_mindspore(script)
    folder = own_folder(new_run_folder(script, out), lambda folder: (folder / INDEX).touch(exist_ok=False))
    try:
        writer = DumpWriter(folder, "mindspore", statistics)
        from msprec.rerun import dump as dumping

        unavailable_reason = dumping.dump(script, list(args), writer, wanted)
    except SyntaxError as error:
        forget(folder, INDEX)
        end_as_python(error)
    except OSError as error:
        raise Failure(f"cannot read {script} or write {folder}: {error}") from None
    if unavailable_reason:
        raise Failure(unavailable_reason)
    click.echo(f"msprec: {writer.count} tensors of {len(writer.steps)} steps: {folder}", err=True)
