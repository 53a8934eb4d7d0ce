"""The commands of the comparisons. Nothing heavy is imported before a command needs it."""

import os
import sys
from pathlib import Path
from typing import Optional

import click

from msprec.compare.cli_common import FAIL, LANG, Failure, language, one_thread_a_product
from msprec.compare.losses.command import losses
from msprec.compare.tensors.command import tensors
from msprec.compare.weights.command import weights


def attach(main: click.Group) -> None:
    """Puts the commands of this module into the group ``main``."""
    for command in (losses, weights, tensors, data):
        compare.add_command(command)
    main.add_command(compare)
    main.add_command(dump)
    main.add_command(overflow)


@click.group()
def compare() -> None:
    """Compare a run with a reference: losses, weights, tensors, data.

    \b
    Examples:
      msprec compare losses pytorch.log msprec_runs/train
      msprec compare weights net.pth net.ckpt
      msprec compare tensors pytorch_dump mindspore_dump
    """


# --- dump ---------------------------------------------------------------------------------------------------------
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
    from msprec.cli import _run_folder
    from msprec.compare.dumps.msprec_dump import DumpWriter
    from msprec.compare.dumps.tensor_names import wanted_steps
    from msprec.compare.errors import CannotRead

    try:
        wanted = wanted_steps(steps)
    except CannotRead as error:
        raise Failure(str(error)) from None
    if not os.path.isfile(script):
        raise Failure(f"no such script: {script}")
    folder = _run_folder(script, out)
    try:
        writer = DumpWriter(folder, "mindspore", statistics)
        from msprec.compare.dumps import mindspore_capture

        unavailable_reason = mindspore_capture.run_script(script, list(args), writer, wanted)
    except SyntaxError as error:
        raise Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except OSError as error:
        raise Failure(f"cannot read {script} or write {folder}: {error}") from None
    if unavailable_reason:
        raise Failure(unavailable_reason)
    click.echo(f"msprec: {writer.count} tensors of {len(writer.steps)} steps: {folder}", err=True)


# --- overflow -----------------------------------------------------------------------------------------------------
@click.command()
@click.argument("folder", metavar="DUMP_DIR")
@click.option("--most", type=click.IntRange(1), default=3, show_default=True, help="Overflow files to describe.")
@click.option("--fail-on-overflow", "fail", is_flag=True, help="Exit with 1 when there is an overflow.")
@LANG
def overflow(folder: str, most: int, fail: bool, lang: Optional[str]) -> None:
    """Name the first operator that overflowed in a dump, with its status, its inputs and outputs, and its source line.

    DUMP_DIR holds Ascend's overflow files (Opdebug.Node_OpDebug…, raw or decoded to JSON) and the operators' data; or the
    values of a dump of MindSpore, msprobe, ptdbg or msprec, of which the first that are not finite are named.

    \b
    Examples:
      msprec overflow dump/rank_0
    """
    one_thread_a_product()
    from msprec.compare.dumps import overflow_text
    from msprec.compare.dumps.overflow import find_overflows
    from msprec.compare.errors import CannotRead

    lang = language(lang)
    try:
        result = find_overflows(folder, most)
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in overflow_text.lines(result, lang):
        click.echo(line)
    if fail and result.found:
        sys.exit(1)


# --- data ---------------------------------------------------------------------------------------------------------
@click.command()
@click.argument("a")
@click.argument("b")
@FAIL
@LANG
def data(a: str, b: str, fail: bool, lang: Optional[str]) -> None:
    """Compare what two data pipelines deliver: samples, order, scale, layout, and which label belongs to which sample.

    A and B are folders of batches (.npz, a column an array), as msprec.compare.data.save_batches(loader, DIR) writes them in a
    PyTorch script as well as in a MindSpore script, or single .npz or .npy files.

    \b
    Examples:
      msprec compare data pytorch_batches mindspore_batches
    """
    from msprec.compare.data import data_text
    from msprec.compare.data.compare import compare_data, read_data
    from msprec.compare.errors import CannotRead

    lang = language(lang)
    try:
        found = compare_data(read_data(a), read_data(b))
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in data_text.lines(found, lang):
        click.echo(line)
    if fail and not data_text.same(found):
        sys.exit(1)


# --- run --repeat -------------------------------------------------------------------------------------------------
def run_repeatedly(
    script: str, args: tuple, folder: Path, times: int, options: tuple, lang: Optional[str], first: tuple = ()
) -> None:
    """The work of `msprec run --twice` and `--repeat N`; ends the process with the script's exit status.

    ``options``: further ones of `msprec run` for all runs; ``first``: for the first alone.
    """
    from msprec.compare.losses import determinism_text
    from msprec.compare.losses.determinism import exit_status, run_repeatedly
    from msprec.record.reader import RunFolderError

    if os.environ.get("MS_ROLE"):
        raise Failure(
            "a distributed run cannot be repeated by one of its workers; run it twice and use msprec compare losses"
        )
    lang = language(lang)
    try:
        found = run_repeatedly(script, list(args), folder, times, ("--lang", lang, *options), first)
    except (OSError, RunFolderError) as error:
        raise Failure(f"the runs cannot be compared: {error}") from None
    for line in determinism_text.lines(found, lang):
        click.echo(f"msprec: {line}", err=True)
    sys.exit(exit_status(found.statuses))
