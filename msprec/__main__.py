"""``python -m msprec`` is the command ``msprec``."""

from msprec.cli import main

main(prog_name="msprec")
