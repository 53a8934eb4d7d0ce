"""``msprec dump``: runs the script up to the last step wanted, each of the steps dumped before it runs."""

import tempfile
from pathlib import Path
from typing import Optional

from msprec.compare.dumps.msprec_dump import DumpWriter
from msprec.observe import launch
from msprec.observe.observer import Options
from msprec.probe.steps.mindspore_capture import StepDumper


def dump(script: str, args: list, writer: DumpWriter, steps: frozenset) -> Optional[str]:
    """Runs a script up to the last step wanted and dumps them.

    Returns:
        Why not all were dumped, in a line; None: they were.

    Raises:
        OSError, SyntaxError: The script cannot be read or compiled.
    """
    dumper = StepDumper(writer, steps)
    with tempfile.TemporaryDirectory() as scratch:
        outcome = launch.run_script(script, args, Path(scratch) / "run", Options(locate=False, again=dumper))
    writer.end()
    missing = sorted(steps - set(writer.steps))
    if dumper.failure or writer.failure:
        return dumper.failure or f"the dump cannot be written: {writer.failure}"
    if missing:
        how = outcome.facts.get("kind")
        return f"{script} ended ({how}) after {dumper.seen} training steps; step {missing[0]} was not reached"
    return None
