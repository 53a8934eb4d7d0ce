"""`msprec env`: versions and hardware, without MindSpore and without secrets."""

import json
from pathlib import Path

from click.testing import CliRunner

from msprec.cli import main
from msprec.env import as_text, environment, known_trouble


def test_what_a_help_desk_asks() -> None:
    found = environment(
        environ={"GLOG_v": "3", "MS_DEV_X": "1", "EDITOR": "vi", "HOME": "/home/a", "http_proxy": "http://p"}
    )
    assert found["packages"]["mindspore"] and found["packages"]["numpy"] and found["python"]["version"].startswith("3.")
    assert found["hardware"]["cpus"] >= 1 and found["hardware"]["memory_bytes"] > 2**28
    assert set(found["variables"]) == {"GLOG_v", "MS_DEV_X", "http_proxy"}
    for lang in ("zh", "en"):
        assert "mindspore" in as_text(found, lang)


def test_cann_and_driver_are_read_from_their_files(tmp_path: Path) -> None:
    toolkit = "# version: 1.0\nruntime_running_version=[7.5.0.1.129:8.0.RC3]\n"
    for name, text in {
        "driver/version.info": "Version=24.1.rc2\n",
        "ascend-toolkit/latest/version.cfg": toolkit,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = environment(environ={}, ascend=tmp_path, ask_devices=False)
    assert found["cann"] == {
        "driver/version.info": "24.1.rc2",
        "ascend-toolkit/latest/version.cfg": "7.5.0.1.129:8.0.RC3",
    }


def test_bad_pairs_are_named() -> None:
    assert "numpy<2" in known_trouble({"mindspore": "2.10.0", "numpy": "2.1.0"})[0].render("en")
    assert "numpy<2" in known_trouble({"mindspore": "2.7.1", "numpy": "2.0.0"})[0].render("zh")
    assert known_trouble({"mindspore": "2.10.0", "numpy": "1.26.4", "pandas": "2.3.3"}) == []
    assert known_trouble({}) == [] and known_trouble({"numpy": "2.0", "mindspore": None}) == []
    assert "pandas<3.1" in known_trouble({"numpy": "1.26", "pandas": "3.1.0"})[0].render("en")


def test_the_command_hides_secrets(monkeypatch) -> None:
    monkeypatch.setenv("MS_LOGIN_TOKEN", "abcdefgh12345678")
    monkeypatch.setenv("PYTHONPATH", "/home/wangfang/lib")
    done = CliRunner().invoke(main, ["env", "--json"])
    found = json.loads(done.output)
    assert found["schema"] == 1 and found["variables"]["PYTHONPATH"] == "~/lib"
    assert found["variables"]["MS_LOGIN_TOKEN"].startswith("REMOVED_SECRET")
    text = CliRunner().invoke(main, ["env", "--lang", "en"]).output
    assert "abcdefgh12345678" not in text and "Packages" in text
    assert "wangfang" in CliRunner().invoke(main, ["env", "--keep", "home"]).output
