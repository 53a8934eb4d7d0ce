"""The options that name references (a script, weights, data, a run, the design), and what reads them."""

import os
from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import Failure

REFERENCE_SCRIPT = click.option(
    "--reference-script",
    metavar="F.py",
    help="The benchmark script, PyTorch or MindSpore: it is read, not run, and its API calls are compared (api.01).",
)


def _named_reference(context, option, path: Optional[str]) -> None:
    """Notes a reference file, looked at before the script runs and read after it."""
    if path is None:
        return
    from msprec.references.reference_options import CHECKS, BadReference

    try:
        CHECKS[option.name](path)
    except BadReference as error:
        raise Failure(str(error)) from None
    context.meta.setdefault("msprec.references", {})[option.name] = os.path.abspath(path)


def reference_options(command):
    """The options that name references; what they name is read by `read_references`."""
    weights = click.option(
        "--reference-weights",
        metavar="F",
        expose_value=False,
        callback=_named_reference,
        help="Weights that the training should start from, to compare its initial weights with (wi.02): .ckpt, .pth, "
        ".safetensors, .npz.",
    )
    data = click.option(
        "--reference-data",
        metavar="DIR|MANIFEST",
        expose_value=False,
        callback=_named_reference,
        help="The standard data, to compare the files that were read with (ds.04): a folder, facts/data_files.json of another "
        "run, or the output of md5sum.",
    )
    run = click.option(
        "--reference-run",
        metavar="DIR|CSV|LOG",
        expose_value=False,
        callback=_named_reference,
        help="A run of the benchmark, to compare the losses with, step by step: a run folder (then also rates, optimizer, batch, "
        "initial weights, data), a CSV with the columns step, loss and perhaps lr, TensorBoard events, or a log.",
    )
    design = click.option(
        "--design",
        metavar="F.toml",
        expose_value=False,
        callback=_named_reference,
        help="The declared design (cg.01 to cg.04, dp.03, dp.04, hp.03); default: msprec.toml beside the script.",
    )
    return weights(data(run(design(command))))


def design_beside(script: str) -> None:
    """Takes ``msprec.toml`` beside the script for the design, where none was named."""
    context, file = click.get_current_context(), Path(script).resolve().parent / "msprec.toml"
    if file.is_file() and "design" not in named_references():
        option = next(one for one in context.command.params if one.name == "design")
        _named_reference(context, option, str(file))


def named_references() -> dict:
    """Paths of the references that this command names, by the name of their facts."""
    return click.get_current_context().meta.get("msprec.references", {})


def read_references() -> dict:
    """Facts of the references that this command names, by name."""
    from msprec.references.reference_options import READERS, BadReference

    named = named_references()
    try:
        return {option: READERS[option](path) for option, path in named.items()}
    except BadReference as error:
        raise Failure(str(error)) from None


def read_reference_script(path: Optional[str]):
    """The reference script, read; None where none was named."""
    if path is None:
        return None
    from msprec.source.static_input import NoScripts, read_reference

    try:
        return read_reference(path)
    except NoScripts as error:
        raise Failure(str(error)) from None
