"""The figures of a run's course and the label sheet: drawn from what is there, nothing from nothing, odd data harmless."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reports import write_run

from msprec import figure_style
from msprec.report.figures import draw
from msprec.report.run_figures import DRAWERS
from msprec.report.strings import WORDS


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with gradients, evaluations and a scale whose overflows skip updates."""
    folder = write_run(tmp_path / "run")
    rows = ["step,parameter,size,norm,max_abs,zeros,underflow,subnormal,nonfinite,update_ratio,source"]
    for step in range(5, 60, 5):
        rows += [
            f"{step},a.weight,100,{1 / step},0.1,0,0.1,0.3,0,,optimizer",
            f"{step},b.weight,300,0,0,1,0.5,0,0,,optimizer",
        ]
    (folder / "rank_0" / "gradients.csv").write_text("\n".join(rows) + "\n60,a.wei")
    (folder / "facts").mkdir()
    (folder / "facts" / "train_step.json").write_text(json.dumps({"steps": [{"loss_scale": {"kind": "dynamic"}}]}))
    evaluations = [
        {"step": s, "metrics": {"loss": 1 / s + s / 500, "accuracy": s / 60}, "dataset": None} for s in (15, 30, 45, 60)
    ]
    (folder / "facts" / "evaluation.json").write_text(
        json.dumps({"evaluations": [*evaluations, {"step": None}, "odd"]})
    )
    return folder


def drawn(monkeypatch, name: str, run: Path, lang: str = "en", data=None) -> list:
    """The axes of the figure, and the PNG checked."""
    seen = []
    png_of = figure_style.Canvas.png
    monkeypatch.setattr(figure_style.Canvas, "png", lambda self: seen.append(self) or png_of(self))
    png = draw(name, data or {"steps": True}, run, lang)
    with Image.open(io.BytesIO(png)) as image:
        assert image.width == 945 and image.height < 1000
    return seen[0].all


def lines(axes) -> dict:
    return {line.get_label(): line.get_xydata() for line in axes.get_lines()}


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", sorted(DRAWERS))
def test_every_figure_of_a_run_in_both_languages(run: Path, name: str, lang: str) -> None:
    png = draw(name, {"steps": True}, run, lang)
    assert png.startswith(b"\x89PNG") and len(png) < 200_000
    assert png == draw(name, {"steps": True}, run, lang)


def test_overflows_and_skipped_updates_are_marked(run: Path, monkeypatch) -> None:
    (axes,) = drawn(monkeypatch, "loss_scale", run)
    found = lines(axes)
    assert axes.get_yscale() == "log"
    assert found["overflow"][:, 0].tolist() == found["update skipped"][:, 0].tolist() == [1, 2, 3, 4, 5, 6]
    assert found["overflow"][:, 1].tolist() == [2.0**e for e in range(24, 18, -1)]


def test_gradients_are_those_of_all_parameters(run: Path, monkeypatch) -> None:
    norm, shares = drawn(monkeypatch, "gradients", run)
    assert lines(norm)["gradient norm"][0].tolist() == [5, 0.2] and norm.get_yscale() == "log"
    assert lines(shares)["becomes zero in float16"][:, 1] == pytest.approx(np.full(11, 40.0))
    assert lines(shares)["becomes subnormal in float16"][:, 1] == pytest.approx(np.full(11, 7.5))


def test_validation_beside_training(run: Path, monkeypatch) -> None:
    losses, metrics = drawn(monkeypatch, "validation", run)
    assert {"training loss", "validation loss"} <= set(lines(losses)) and "validation accuracy" in lines(metrics)
    best = [line for line in losses.get_lines() if line.get_marker() == "*"]
    assert best[0].get_xydata()[0].tolist() == pytest.approx([30, 1 / 30 + 0.06])


def test_a_torn_line_is_not_drawn(run: Path, monkeypatch) -> None:
    (axes,) = drawn(monkeypatch, "loss", run)
    assert lines(axes)["loss"][:, 0].tolist() == list(range(1, 61))
    assert lines(axes)["NaN or Inf"][:, 0].tolist() == [41]


def test_nothing_is_drawn_from_nothing(tmp_path: Path) -> None:
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "rank_0" / "steps.csv").write_text("step,epoch,loss\n")
    for name in DRAWERS:
        assert draw(name, {"steps": True}, tmp_path, "en") is None
        assert draw(name, {"steps": True}, tmp_path / "nowhere", "en") is None
        assert draw(name, {"steps": True}, None, "en") is None
        assert draw(name, {"steps": True, "rank": 7}, tmp_path, "en") is None
    for name in ("label_sheet", "histograms", "channels", "histogram", "class_counts"):
        assert draw(name, {}, None, "en") is None


odd_cells = st.sampled_from(["", "1", "2", "nan", "inf", "-inf", "1e308", "-1e308", "0", "x", "1e-320"])


@settings(max_examples=10, deadline=None)
@given(rows=st.lists(st.lists(odd_cells, min_size=9, max_size=9), max_size=12))
def test_odd_steps_are_drawn_or_left(tmp_path_factory, rows: list) -> None:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "rank_0").mkdir()
    head = "step,epoch,loss,overflow,scale,next_scale,lr,seconds,data_seconds"
    body = "".join(f"{i + 1},{','.join(row[1:])}\n" for i, row in enumerate(rows))
    (folder / "rank_0" / "steps.csv").write_text(f"{head}\n{body}")
    (folder / "rank_0" / "gradients.csv").write_text(f"step,size,norm,underflow,subnormal\n{body}")
    for name in DRAWERS:
        png = draw(name, {"steps": True}, folder, "en")
        assert png is None or png.startswith(b"\x89PNG")


def test_label_sheet(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    Image.new("RGB", (40, 30), "green").save(tmp_path / "samples" / "a.png")
    (tmp_path / "samples" / "b.png").write_bytes(b"no picture")
    rng = np.random.default_rng(0)
    samples = [{"label": str(i), "image": rng.random((8, 8)).tolist()} for i in range(20)]
    samples += [{"label": "nan", "image": [[float("nan")]]}, {"image": "odd"}]
    samples += [
        {"label": "猫 $x", "file": "samples/a.png", "suspect": True},
        {"label": "out", "file": "../../etc/passwd"},
        {"label": "broken", "file": "samples/b.png"},
        {"label": "colour", "image": rng.random((3, 8, 8)).tolist()},
        {"label": "text", "text": "一段文本 $ and more " * 9},
    ]
    for lang in ("zh", "en"):
        png = draw("label_sheet", {"samples": samples}, tmp_path, lang)
        with Image.open(io.BytesIO(png)) as image:
            assert image.width == 945
    texts = [{"label": "pos", "text": "good film"}, {"label": "neg", "text": "bad film", "suspect": True}]
    assert draw("label_sheet", {"samples": texts}, None, "en").startswith(b"\x89PNG")


def test_histograms_of_channels() -> None:
    entries = [{"name": f"channel {i}", "edges": [0, 1, 2, 3], "counts": [i, 2, 1]} for i in range(5)]
    png = draw("histograms", {"histograms": [*entries, {"name": "odd", "edges": [1], "counts": []}]}, None, "zh")
    with Image.open(io.BytesIO(png)) as image:
        assert image.width == 945


def test_colours_differ_in_grey() -> None:
    """Printed in black and white, the lines of one figure still differ in lightness or in their dashes."""

    def grey(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    assert abs(grey(figure_style.BLUE) - grey(figure_style.GREY)) > 40
    assert abs(grey(figure_style.BLUE) - grey(figure_style.ORANGE)) > 40


def test_words_of_figures_are_translated() -> None:
    for key in ("skipped", "gradient_norm", "underflow", "learning_rate", "evaluated", "step_time"):
        assert WORDS["zh"][key] != WORDS["en"][key]
    assert "matplotlib.pyplot" not in sys.modules
