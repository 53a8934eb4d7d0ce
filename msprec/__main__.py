"""``python -m msprec`` is the command ``msprec``."""

import os
import sys

# as the command has it: no module that lies in the working directory takes the place of one that msprec needs
if sys.path and sys.path[0] in ("", os.getcwd()):
    sys.path[0] = os.path.dirname(sys.executable)

from msprec.cli import main

main(prog_name="msprec")
