"""Trainers of other projects, as users start them, on small generated data: `pytest -m trainers`; deselected by default.

Nothing is installed or fetched here. The packages come from pip (each beside the MindSpore that it asks for), and
`MSPREC_TRAINERS` names a folder with the repositories whose scripts are started:

    git clone --branch v0.3.0 https://github.com/mindspore-lab/mindcv      (pip install mindcv==0.3.0 tqdm)
    git clone --branch v0.5.0 https://github.com/mindspore-lab/mindyolo    (pip install mindyolo==0.5.0 opencv-python-headless)
    pip install mindspore==2.7.0 mindnlp==0.5.1 transformers==4.57.1 "peft<0.18" "diffusers<0.36"
    pip install mindspore==2.7.1 mindformers==1.7.0
"""

import os
import re
import shutil
from importlib import metadata
from pathlib import Path

import pytest
from generated import boxes, class_folders

pytestmark = pytest.mark.trainers
LONG = 1500


def asks_for(package: str, version: str) -> None:
    """Skips where the package is not installed in that version."""
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{package} {version} is not installed")
    if not found.startswith(version):
        pytest.skip(f"{package} {version} is asked for, {found} is installed")


def checkout(name: str, tag: str, into: Path) -> Path:
    """A copy of the repository that MSPREC_TRAINERS holds."""
    root = os.environ.get("MSPREC_TRAINERS")
    if not root or not (Path(root) / name / "train.py").is_file():
        pytest.skip(f"MSPREC_TRAINERS names no folder with the repository of {name} at {tag}")
    shutil.copytree(Path(root) / name, into, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "docs"))
    return into


def concluded(scripts, ran, steps: int) -> dict:
    """The conclusions by item, of a run that was seen whole and has no problem."""
    assert ran.status == 0, ran.err[-3000:]
    scripts.no_own_errors()
    assert scripts.json("run.json")["training_steps"] == steps
    checklist = scripts.json("checklist.json")
    items = {item["id"]: item for item in [*checklist["items"], *checklist["beyond"]]}
    problems = {id: item["summary"] for id, item in items.items() if item["conclusion"] == "problem"}
    assert problems == {}
    return {id: item["conclusion"] for id, item in items.items()}


def ends_alike(scripts, *words: str) -> None:
    """With msprec the script ends as it does without, be it with an error of its own, and nothing of msprec's fails."""
    bare = scripts.bare(*words, timeout=LONG)
    ran = scripts.observed(*words, timeout=LONG)
    assert ran.status == bare.status
    assert scripts.json("run.json")["script_imports_mindspore"]
    scripts.no_own_errors()
    errors = [line for line in bare.err.splitlines() if re.match(r"\w+Error: ", line)]
    assert bool(errors) == bool(bare.status)
    assert set(errors) <= set(ran.err.splitlines())


@pytest.mark.parametrize("script", ["train.py", "train_with_func.py"])
def test_mindcv(scripts, tmp_path, script):
    asks_for("mindcv", "0.3")
    checkout("mindcv", "v0.3.0", scripts.folder)
    data = class_folders(tmp_path / "pictures")
    words = (
        f"--model resnet18 --dataset imagenet --data_dir {data} --num_classes 3 --image_resize 32 --batch_size 16 --epoch_size 3 "
        "--val_while_train True --val_split val --opt adam --lr 0.001 --num_parallel_workers 1 --dataset_sink_mode False "
        f"--ckpt_save_dir {tmp_path / 'checkpoints'}"
    )
    ran = scripts.observed(*words.split(), script=script, timeout=LONG)
    found = concluded(scripts, ran, steps=21)
    assert {id for id, conclusion in found.items() if conclusion == "ok"} >= {
        "ds.03",
        "dp.03",
        "api.02",
        "cg.02",
        "wi.01",
        "mp.01",
    }


def test_mindyolo_as_far_as_it_starts(scripts, tmp_path):
    """`Tensor.max` gives a pair in PyNative mode on MindSpore 2.10, which its loss does not take."""
    asks_for("mindyolo", "0.5")
    checkout("mindyolo", "v0.5.0", scripts.folder)
    data = boxes(tmp_path / "boxes")
    config = scripts.folder / "configs" / "yolov5" / "small_pictures.yaml"
    config.write_text(
        f"""__BASE__: ['./yolov5n.yaml']
img_size: 64
data:
  dataset_name: small
  train_set: {data / "train.txt"}
  val_set: {data / "val.txt"}
  nc: 2
  names: ['red', 'green']
  num_parallel_workers: 1
optimizer: {{warmup_epochs: 1, min_warmup_step: 4}}
""",
        encoding="utf-8",
    )
    words = (
        f"--config {config} --device_target CPU --ms_mode 1 --ms_jit False --ms_amp_level O0 --per_batch_size 4 --epochs 2 "
        f"--log_interval 1 --save_dir {tmp_path / 'saved'}"
    )
    ends_alike(scripts, *words.split())


def test_mindnlp_as_far_as_it_starts(scripts, tmp_path):
    """Its optimizers do not step on a CPU."""
    asks_for("mindnlp", "0.5.1")
    scripts.write((Path(__file__).parent / "mindnlp_trainer.py").read_text(encoding="utf-8"))
    ends_alike(scripts, str(tmp_path / "saved"))


def test_mindformers_as_far_as_it_starts(scripts, tmp_path):
    """Its rotary embedding asks for a product of matrices that a CPU does not have: it ends there, with msprec and without."""
    asks_for("mindformers", "1.7")
    scripts.write((Path(__file__).parent / "mindformers_trainer.py").read_text(encoding="utf-8"))
    ends_alike(scripts, str(tmp_path / "saved"))
