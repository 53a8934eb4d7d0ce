"""``msprec locate RUN`` with nothing to find, and ``--no-locate``; test_places.py holds that it finds the place again."""

import shutil

from test_places import CASES


def test_a_healthy_run_has_nothing_to_locate(scripts) -> None:
    scripts.write("import mindspore as ms\nprint(ms.Tensor(1))\n")
    assert scripts.observed().status == 0
    ran = scripts.msprec("locate", str(scripts.run_folder))
    assert ran.status == 2 and ran.err.count("\n") == 1 and "kept no bad step" in ran.err


def test_bad_input_is_one_line(scripts, tmp_path) -> None:
    shutil.copytree(CASES / "log_in_nested_block", scripts.folder, dirs_exist_ok=True)
    assert scripts.observed().status == 0
    kept = scripts.run_folder / "rank_0" / "nonfinite"
    assert scripts.msprec("locate", str(tmp_path / "none")).status == 2
    script = scripts.folder / "train.py"
    text = script.read_text(encoding="utf-8")
    script.write_text("print('nothing here')\n", encoding="utf-8")
    changed = scripts.msprec("locate", str(scripts.run_folder))
    assert changed.status == 2 and "has changed since that run" in changed.err
    assert "without a step that fits" in changed.err and "Traceback" not in changed.err
    script.write_text(text, encoding="utf-8")
    (kept / "batch.npz").write_bytes(b"no archive")
    broken = scripts.msprec("locate", str(scripts.run_folder))
    assert broken.status == 2 and "cannot be read" in broken.err and "Traceback" not in broken.err
    script.unlink()
    gone = scripts.msprec("locate", str(scripts.run_folder))
    assert gone.status == 2 and "no longer there" in gone.err


def test_no_locate(scripts) -> None:
    shutil.copytree(CASES / "log_in_nested_block", scripts.folder, dirs_exist_ok=True)
    ran = scripts.observed(options=("--no-locate",))
    assert ran.status == 0, ran.err
    names = [event["event"] for event in scripts.events()]
    assert "located" not in names and "first_nonfinite" in names
