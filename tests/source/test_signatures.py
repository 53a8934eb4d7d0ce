"""The shipped signatures and the table of API differences, against the installed MindSpore and PyTorch."""

import importlib.util
import inspect
from pathlib import Path

import pytest

from msprec.checklists.api.argument_differences.api_mapping import _CONVERSIONS, rows, torch_twin
from msprec.source.build_signatures import read
from msprec.source.signatures import REQUIRED, signature, versions

pytestmark = pytest.mark.versions


def installed(package: str):
    """(folder that holds the package, its version) without importing it."""
    from importlib import metadata

    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parents[1], metadata.version(package)


@pytest.mark.parametrize("package", ["mindspore", "torch"])
def test_the_table_is_what_the_installed_source_says(package):
    site, version = installed(package)
    if package == "torch" or ".".join(version.split(".")[:3]) not in versions(package):
        pytest.skip(f"{package} {version} is not one that the table was built from")
    wanted = {row.mindspore_api for row in rows()} | {
        "mindspore.mint.nn.Conv2d",
        "mindspore.nn.TrainOneStepWithLossScaleCell",
    }
    found = read(package, site, wanted)
    assert len(found) >= len(wanted) - 2
    for name, described in found.items():
        shipped = [[part, default] for part, default in signature(name, version)]
        assert [[*entry, REQUIRED][:2] for entry in described] == shipped, name


def test_the_source_agrees_with_python_itself():
    """What is read from the source is what the imported class has."""
    installed("mindspore")
    import mindspore as ms
    from mindspore import nn

    for name in sorted({row.mindspore_api for row in rows() if row.mindspore_api.startswith("mindspore.nn.")}):
        live = inspect.signature(getattr(nn, name.rpartition(".")[2]).__init__)
        parameters = [p for p in live.parameters.values() if p.name != "self"]
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            continue
        shipped = [(n, d) for n, d in signature(name, ms.__version__) if not n.startswith("*")]
        assert [n for n, _ in shipped] == [p.name for p in parameters if p.kind is not p.VAR_KEYWORD], name
        for (parameter, default), actual in zip(shipped, parameters):
            if isinstance(default, dict):
                continue
            expected = REQUIRED if actual.default is inspect.Parameter.empty else actual.default
            assert default == expected or tuple(expected) == tuple(default), f"{name}({parameter})"


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.mindspore_api}-{row.setting}")
def test_every_row_names_what_exists(row):
    for api, parameter, default in (
        (row.mindspore_api, row.mindspore_parameter, row.mindspore_default),
        (row.torch_api, row.torch_parameter, row.torch_default),
    ):
        if not api:
            continue
        known = signature(api)
        assert known is not None, api
        entries = dict(known)
        assert parameter in entries, f"{api}({parameter})"
        actual = entries[parameter]
        shown = (
            actual["code"] if isinstance(actual, dict) else repr(tuple(actual)) if isinstance(actual, list) else actual
        )
        assert default == (shown if shown == REQUIRED or isinstance(actual, (dict, list)) else repr(shown))
    assert {row.mindspore_as, row.torch_as} <= set(_CONVERSIONS)
    assert row.kind in ("default", "meaning", "renamed", "initialiser", "consistent")
    assert row.severity in ("high", "medium")
    assert row.write.render("zh") and row.write.render("en")


def test_rows_marked_as_risky_really_differ():
    for row in rows():
        if row.ask and row.mindspore_as == row.torch_as == "" and row.torch_api:
            assert row.mindspore_default != row.torch_default, row


def test_mint_has_the_parameters_of_pytorch():
    for row in rows():
        twin = row.torch_api.replace("torch.", "mindspore.mint.", 1)
        known = signature(twin) if row.torch_api else None
        if (
            known is None
            or any(name.startswith("*") for name, _ in known)
            or row.torch_as in ("torch_embedding", "torch_correction")
        ):
            continue
        assert torch_twin(twin) == row.torch_api
        assert row.torch_parameter in dict(known), f"{twin}({row.torch_parameter})"
