"""The commands of ``msprec``, one a file: arguments in, one call, text out.

A command is imported with the group; what it needs is imported inside it, so that ``msprec --help`` stays light. A new command is
a file with a function of that name and a line in `COMMANDS`.
"""

import click

from msprec._version import __version__
from msprec.cli.bundle import bundle
from msprec.cli.checklist import checklist
from msprec.cli.compare import compare
from msprec.cli.dump import dump
from msprec.cli.env import env
from msprec.cli.explain import explain
from msprec.cli.locate import locate
from msprec.cli.lr import lr
from msprec.cli.overflow import overflow
from msprec.cli.remedy import remedy
from msprec.cli.run import run

COMMANDS = (run, checklist, explain, remedy, lr, locate, dump, overflow, compare, bundle, env)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, epilog="More on a command: msprec COMMAND --help"
)
@click.version_option(__version__, prog_name="msprec")
def main() -> None:
    """Find out why a MindSpore training run ends with the wrong accuracy.

    \b
    Examples:
      msprec run train.py --epochs 3             run a script unchanged; write its filled checklist
      msprec checklist --run msprec_runs/train   conclude again from a recorded run
      msprec explain mp.02                       what an item means, how to check it, how to fix it
    """


for command in COMMANDS:
    main.add_command(command)
