"""The process of one experiment: ``python -m msprec.experiment.child SPEC.json``.

The specification names the script and the working directory (both in the copy), the arguments, the run folder, the hooks,
what is edited in the copy, and what may be written to. The process ends with the script's exit status.
"""

import json
import os
import sys
from pathlib import Path


def main(spec_file: str) -> int:
    """Runs what the specification says; the script's exit status."""
    with open(spec_file, encoding="utf-8") as file:
        spec = json.load(file)
    from msprec.experiment import live
    from msprec.experiment.working_copy import keep_inside
    from msprec.observe import launch
    from msprec.observe.import_hook import when_imported
    from msprec.observe.observer import Options
    from msprec.runtime.patching import Patches

    patches = Patches()

    def put_in() -> None:
        live.seeds(patches, spec["seed"], spec["script_sets_seed"])
        live.install(spec["hooks"], patches)

    os.chdir(spec["cwd"])
    # an installation in development mode names the user's folders: the copy's are meant
    sys.path[:] = [_in_copy(path, spec) for path in sys.path]
    keep_inside(spec["copy"], spec["roots"], [spec["run"]])
    # before the observer, so that it looks at the script as it is with the remedy
    when_imported("mindspore", put_in)
    options = Options(locate=False, module=spec["module"])
    status = launch.run_script(spec["script"], spec["args"], Path(spec["run"]), options).status
    left = {getattr(module, "__file__", None) for module in list(sys.modules.values())} & set(spec["edited"])
    if left:
        print(f"msprec: {min(left)} was imported where it is installed, not from the copy: the edit was not tried")
        return status or 1
    return status


def _in_copy(path: str, spec: dict) -> str:
    mine = any(Path(path) == Path(root) or Path(root) in Path(path).parents for root in spec["roots"])
    return spec["copy"] + path if mine and Path(sys.prefix) not in (Path(path), *Path(path).parents) else path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
