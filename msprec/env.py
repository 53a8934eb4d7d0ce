"""What a help desk asks first: versions, hardware, driver, the variables that MindSpore reads. MindSpore is not imported."""

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Optional

from msprec.bilingual import Text

SCHEMA = 1
# what matters for a training's numbers, or for msprec itself
_PACKAGES_TEXT = """
    mindspore msprec numpy pandas scipy protobuf pillow opencv-python torch torch-npu mindspore-lite mindformers mindnlp mindcv
    mindyolo mindone mindspore-gs mindinsight hccl te topi hccl-parser auto-tune schedule-search op-compile-tool transformers
    datasets tokenizers safetensors scikit-learn h5py matplotlib python-docx tensorboardX setuptools pip
"""
PACKAGES = tuple(_PACKAGES_TEXT.split())
_VARIABLES = re.compile(
    r"(?:MS|MINDSPORE|ASCEND|HCCL|NPU|GLOG|GE|TE|OP|DUMP|LCCL|ATB|ASDOPS|INF_NAN|CUDA|NCCL|OMP|KMP|MKL|OPENBLAS|DEVICE|RANK|SERVER|"
    r"MSRUN|RUN|MALLOC|LD|PYTHON)_\w+|PYTHONPATH|PYTHONHASHSEED|PYTHONSAFEPATH|PYTHONOPTIMIZE|PYTHONUNBUFFERED|LD_LIBRARY_PATH|"
    r"PATH|DEVICE_ID|RANK_ID|RANK_SIZE|RANK_TABLE_FILE|LOCAL_RANK|CONDA_DEFAULT_ENV|VIRTUAL_ENV|LANG|LC_ALL|TZ"
    r"|(?:https?|all|no)_proxy|(?:HTTPS?|ALL|NO)_PROXY"
)
_CANN_TEXT = """
    driver/version.info firmware/version.info ascend-toolkit/latest/version.cfg ascend-toolkit/latest/compiler/version.info
    latest/version.cfg latest/compiler/version.info cann/version.cfg nnae/latest/version.cfg nnrt/latest/version.cfg
    version.cfg compiler/version.info
"""
_CANN = tuple(_CANN_TEXT.split())


def environment(
    environ: Optional[dict] = None, ascend: Path = Path("/usr/local/Ascend"), ask_devices: bool = True
) -> dict:
    """The environment as plain data: keys ``schema, tool, python, system, hardware, devices, packages, variables, notes``.

    Args:
        environ: Environment variables; default: this process's. Only those that matter are kept.
        ascend: Where CANN and its driver are looked for, besides ``ASCEND_HOME_PATH``.
        ask_devices: Whether `npu-smi` and `nvidia-smi`, where they are, are asked for the devices.
    """
    environ = dict(os.environ if environ is None else environ)
    packages = installed()
    return {
        "schema": SCHEMA,
        "tool": {"name": "msprec", "version": packages.get("msprec")},
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "compiler": platform.python_compiler(),
            "executable": sys.executable,
        },
        "system": _system(),
        "hardware": {
            "cpu": _cpu(),
            "cpus": os.cpu_count(),
            "usable_cpus": _usable_cpus(),
            "memory_bytes": _memory("MemTotal"),
            "free_memory_bytes": _memory("MemAvailable"),
        },
        "cann": _cann([ascend, Path(environ.get("ASCEND_HOME_PATH") or ascend)]),
        "devices": _devices() if ask_devices else [],
        "packages": packages,
        "variables": {name: environ[name] for name in sorted(environ) if _VARIABLES.fullmatch(name)},
        "notes": [{"zh": note.render("zh"), "en": note.render("en")} for note in known_trouble(packages)],
    }


def installed() -> dict:
    """Version by name of the packages that matter, without importing any."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except Exception:  # not there, or its metadata is broken
            continue
    return found


def known_trouble(versions: dict) -> list:
    """Combinations of versions that are known not to work together."""
    notes = []
    if _major(versions, "numpy") >= 2 and versions.get("mindspore") and _major(versions, "mindspore") == 2:
        notes.append(
            Text(
                "mindspore {mindspore} 与 numpy {numpy} 不兼容：数据源产出 NumPy 标量时 GeneratorDataset 会报错"
                "（Unable to avoid copy）。请安装 numpy<2。",
                "mindspore {mindspore} and numpy {numpy} do not work together: GeneratorDataset fails where the source "
                "yields NumPy scalars (Unable to avoid copy). Install numpy<2.",
                mindspore=versions["mindspore"],
                numpy=versions["numpy"],
            )
        )
    if _major(versions, "pandas") >= 3 and _minor(versions, "pandas") >= 1 and 0 < _major(versions, "numpy") < 2:
        notes.append(
            Text(
                "pandas {pandas} 需要 numpy 2，而 mindspore 需要 numpy<2。请安装 pandas<3.1。",
                "pandas {pandas} asks for numpy 2, and mindspore for numpy<2. Install pandas<3.1.",
                pandas=versions["pandas"],
            )
        )
    return notes


def as_text(found: dict, lang: str) -> str:
    """The environment as lines to paste."""
    zh = lang == "zh"
    names = {
        "python": "Python",
        "system": "系统" if zh else "System",
        "hardware": "硬件" if zh else "Hardware",
        "cann": "CANN",
        "devices": "设备" if zh else "Devices",
        "packages": "软件包" if zh else "Packages",
        "variables": "环境变量" if zh else "Variables",
        "notes": "注意" if zh else "Notes",
    }
    lines = [f"msprec {found['tool']['version']}"]
    for key, title in names.items():
        value = found[key]
        if not value:
            if key in ("cann", "devices"):
                lines += ["", f"{title}: {'未找到' if zh else 'none found'}"]
            continue
        lines += ["", title]
        if key == "notes":
            lines += [f"  {note['zh' if zh else 'en']}" for note in value]
        elif isinstance(value, dict):
            width = max(map(len, value))
            lines += [f"  {name:<{width}}  {_shown(name, item)}" for name, item in value.items()]
        else:
            lines += [f"  {item}" for item in value]
    return "\n".join(lines) + "\n"


def _shown(name: str, value) -> str:
    if name.endswith("bytes") and isinstance(value, int):
        return f"{value / 2**30:.1f} GiB"
    return "—" if value is None else str(value)


def _numbers(versions: dict, name: str) -> list:
    return [int(part) for part in re.findall(r"\d+", str(versions.get(name) or ""))[:2]]


def _major(versions: dict, name: str) -> int:
    return (_numbers(versions, name) or [0])[0]


def _minor(versions: dict, name: str) -> int:
    return [*_numbers(versions, name), 0, 0][1]


def _system() -> dict:
    libc = "-".join(filter(None, platform.libc_ver()))
    release = {}
    for line in _text(Path("/etc/os-release")).splitlines():
        key, _, value = line.partition("=")
        release[key] = value.strip("\"' ")
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "distribution": release.get("PRETTY_NAME"),
        "libc": libc or None,
        "container": _in_container(),
        "locale": os.environ.get("LC_ALL") or os.environ.get("LANG"),
    }


def _in_container() -> bool:
    return Path("/.dockerenv").exists() or bool(
        re.search(r"docker|containerd|kubepods|lxc", _text(Path("/proc/1/cgroup")))
    )


def _cpu() -> Optional[str]:
    match = re.search(r"^(?:model name|Hardware|CPU part)\s*:\s*(.+)$", _text(Path("/proc/cpuinfo")), re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or None


def _usable_cpus() -> Optional[int]:
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return None


def _memory(name: str) -> Optional[int]:
    match = re.search(rf"^{name}:\s+(\d+) kB", _text(Path("/proc/meminfo")), re.MULTILINE)
    if match:
        return int(match.group(1)) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if name == "MemTotal" else None
    except (AttributeError, ValueError, OSError):
        return None


def _cann(homes: list) -> dict:
    """Versions by file, as CANN and the driver note them: ``Version=8.0.RC1`` or ``runtime_running_version=[7.1]``."""
    found = {}
    for home in homes:
        for name in _CANN:
            match = re.search(r"(?im)^\s*\[?[\w-]*version\w*\]?\s*=\s*\[?([^\]\s]+)", _text(home / name))
            if match and name not in found:
                found[name] = match.group(1)
    return found


def _devices() -> list:
    found = []
    for command in (
        ["npu-smi", "info"],
        ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
    ):
        if shutil.which(command[0]):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
            except (OSError, subprocess.SubprocessError):
                continue
            found += [line for line in done.stdout.splitlines() if line.strip()][:80]
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
