import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "callbacks"))

from scaled_training import kit  # noqa: F401
