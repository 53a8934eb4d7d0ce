"""``msprec lr``: the range test of the learning rate."""

from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language, plain_console
from msprec.cli.ending import end_as_python
from msprec.cli.mindspore_needed import require_mindspore, require_script
from msprec.cli.run_folder import forget, new_run_folder, own_folder


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--low", type=float, default=1e-7, show_default=True, help="The first learning rate.")
@click.option("--high", type=float, default=10.0, show_default=True, help="The last learning rate.")
@click.option("--steps", type=int, default=100, show_default=True, help="Training steps.")
@click.option("--linear", is_flag=True, help="Let the rate grow by equal steps; default: by equal factors.")
@click.option("--out", metavar="DIR", help="The folder to write; default: msprec_runs/SCRIPT-TIME.")
@LANG
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def lr(
    low: float, high: float, steps: int, linear: bool, out: Optional[str], lang: Optional[str], script: str, args: tuple
) -> None:
    """Find between which learning rates SCRIPT trains: Smith's range test.

    The script runs as it is, with ARGS, but its optimizer is given a rate that grows from step to step. The script is ended
    when the loss diverges or the sweep is over; checkpoints are not written meanwhile. Loss by rate, the bounds and the rate
    that the script would have used go to the terminal and to lr/curve.png, curve.csv and curve.json in the folder.

    \b
    Examples:
      msprec lr train.py
      msprec lr --low 1e-5 --high 1 --steps 200 train.py --batch 64
    """
    require_script(script)
    require_mindspore(script)
    from msprec.rerun.range_test import CannotTest, run_range_test

    folder = own_folder(new_run_folder(script, out))
    try:
        run_range_test(
            script, list(args), folder, (low, high, steps, linear), language(lang), plain_console(stderr=True)
        )
    except (CannotTest, ValueError) as error:
        raise Failure(str(error)) from None
    except SyntaxError as error:
        forget(folder)
        end_as_python(error)
    except OSError as error:
        raise Failure(f"cannot read {script} or write {folder}: {error}") from None
