"""The table of a run and its machine."""

import json
from pathlib import Path

from msprec.env import known_trouble
from msprec.record.about import script_of
from msprec.report.strings import words


def run_rows(run: dict, lang: str) -> list:
    """What the report tells of the run and its machine: (label, value)."""
    if not run:
        return []
    say = words(lang)
    ended = run.get("exit") or {}
    error = ended.get("exception") or {}
    exit_text = say["killed"] if ended.get("kind") == "running" else f"{ended.get('kind')} ({ended.get('code')})"
    if error:
        exit_text += f" {error.get('type')}: {str(error.get('message'))[:300]}"
    platform = run.get("platform") or {}
    memory = platform.get("memory_bytes")
    machine = f"{platform.get('system')} {platform.get('machine')}, {platform.get('cpus')} CPU"
    machine += f", {memory / 2**30:.0f} GiB" if isinstance(memory, (int, float)) else ""
    seeds = ", ".join(f"{s.get('function')}({s.get('value')})" for s in run.get("seeds") or [])
    notes = [say.get(n, n) for n in run.get("notes") or []]
    notes += [trouble.render(lang) for trouble in known_trouble(run.get("versions") or {})]
    rows = [
        [say["script"], script_of(run)],
        [say["command"], " ".join(map(str, run.get("command") or []))],
        [say["started"], run.get("started")],
        [say["seconds"], run.get("seconds")],
        [say["exit"], exit_text],
        [say["steps"], run.get("training_steps")],
        [say["device"], run.get("device_target")],
        [say["mode"], run.get("mode")],
        [say["seeds"], seeds or say["none"]],
        [say["versions"], ", ".join(f"{k} {v}" for k, v in (run.get("versions") or {}).items())],
        [say["platform"], machine],
    ]
    return [[a, b] for a, b in rows if b is not None] + [[say["notes"], note] for note in notes]


def read_json(path: Path) -> dict:
    """A JSON object, {} where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
