"""A recorded run and its findings for the tests of the report: every kind of conclusion and evidence, hostile text among it."""

import json
from pathlib import Path

from msprec.engine import blank

HOSTILE = (
    "bad \x00\x0b\ud800 chars \x85, emoji 🚀👩‍🔬, שלום עולם \u202egnp.exe, مرحبا, 中文, e\u0301, "
    + "long" * 200
    + "\ttab\r\nnext line"
)


def write_run(folder: Path) -> Path:
    """A run folder with a scale that comes down and a loss that goes NaN once."""
    (folder / "rank_0").mkdir(parents=True)
    (folder / "run.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "script": "/home/u/p/train.py",
                "cwd": "/home/u/p",
                "command": ["python", "train.py"],
                "exit": {"kind": "ok", "code": 0},
                "versions": {"mindspore": "2.10.0"},
                "platform": {"system": "Linux"},
                "notes": ["cpu_loss_scale"],
                "training_steps": 60,
                "mode": "graph",
                "device_target": "CPU",
            }
        )
    )
    lines = ["step,epoch,loss,overflow,scale,next_scale,lr,seconds,data_seconds,batch"]
    for i in range(60):
        loss = "nan" if i == 40 else 2.0 / (i + 1)
        lines.append(f"{i + 1},1,{loss},{int(i < 6)},{2.0 ** (24 - min(i, 6))},{2.0**18},0.1,0.01,0.001,32")
    (folder / "rank_0" / "steps.csv").write_text("\n".join(lines) + "\n1,tor")
    return folder


def findings(lang: str = "en", hostile: bool = True) -> dict:
    """The guide's 24 findings, of all four kinds; the first has all kinds of evidence."""
    checklist = blank(lang)
    checklist["beyond"], checklist["families"] = [], [one for one in checklist["families"] if not one["beyond"]]
    kinds = ["problem", "ok", "not_applicable", "undecided"]
    for i, item in enumerate(checklist["items"]):
        item["conclusion"] = kinds[i % 4]
        item["summary"] = f"Reason {i}"
    first = checklist["items"][0]
    first["evidence"] = [
        {"kind": "text", "source": "run", "title": "Text", "text": HOSTILE if hostile else "plain"},
        {
            "kind": "code",
            "source": "script",
            "title": "Code",
            "file": "train.py",
            "first_line": 9,
            "highlight": [10],
            "code": "def f():\n\treturn '中文'\n",
        },
        {
            "kind": "table",
            "source": "run",
            "title": "Table",
            "columns": ["name", "值"],
            "note": "a note",
            "rows": [[f"row {i}", i / 3] for i in range(10000)],
        },
        {"kind": "table", "source": "run", "title": "Empty", "columns": ["a"], "rows": []},
        {
            "kind": "table",
            "source": "run",
            "title": "Wide",
            "columns": [f"a_column_name_{i}" for i in range(12)],
            "rows": [[f"some_value_{i}" for i in range(12)]],
        },
        {"kind": "figure", "source": "run", "title": "Loss", "figure": "loss", "data": {"steps": True}},
        {"kind": "figure", "source": "run", "title": "Scale", "figure": "loss_scale", "data": {"steps": True}},
        {
            "kind": "figure",
            "source": "run",
            "title": "Counts",
            "figure": "class_counts",
            "data": {"counts": {"0": 5, "1": 9}},
        },
        {"kind": "figure", "source": "run", "title": "Nothing", "figure": "histogram", "data": {}},
    ]
    if hostile:
        first["summary"] = HOSTILE
        first["locations"] = [{"file": "src/" + "very_long_name" * 8 + ".py", "line": 3}]
    return checklist
