"""Helpers shared by the tests: running a script bare and under `msprec run`, in processes of their own."""

import ctypes
import os
import sys
from pathlib import Path

import pytest
from run_scripts import Scripts, on_one_core

# PyNative mode runs each operator when it is called. By default its threads wait for each other in busy loops, which on two
# cores takes three to four times as long; what is observed is the same. test_identical.py runs as users do.
os.environ.setdefault("MS_DEV_LAUNCH_BLOCKING", "1")

# a core for each process of pytest-xdist: gw0, gw1, …, from FIRST_CORE on, where another pytest runs beside this one
if "PYTEST_XDIST_WORKER" in os.environ:
    on_one_core(int(os.environ["PYTEST_XDIST_WORKER"][2:]) + int(os.environ.get("FIRST_CORE", "0")))

#: Users' scripts, whatever their names; `test_cases.py` runs them.
collect_ignore = ["cases"]


@pytest.fixture(autouse=True)
def subnormal_numbers():
    """A kernel that MindSpore runs in this thread (of ops.cosine_similarity) leaves it flushing subnormal numbers to zero, which
    hypothesis refuses to work with: the state is set back to glibc's default (FE_DFL_ENV)."""
    yield
    if sys.float_info.min / 2 == 0 and sys.platform == "linux":
        ctypes.CDLL("libm.so.6").fesetenv(ctypes.c_void_p(-1))


@pytest.fixture(autouse=True)
def gradients_left_open():
    """After an error inside a function that is differentiated MindSpore (2.10) records on, and what the next test differentiates
    fails in ``LayerNormGrad`` or is called twice."""
    yield
    if "mindspore" in sys.modules:
        from mindspore.common.api import _pynative_executor

        if _pynative_executor.grad_flag():
            _pynative_executor.clear_res()


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    """A fresh folder to write and run scripts in; the run folder stands beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Scripts(folder)


#: Files and folders whose tests take up to a minute and more each, and would be collected late.
_LONG = ("test_examples.py", "test_cases.py", "experiment")


def pytest_collection_modifyitems(items: list) -> None:
    """The longest begin first, so that at the end no process is left alone with one of them."""
    items.sort(key=lambda item: item.path.name not in _LONG and item.path.parent.name not in _LONG)
