"""The files that training read beside those of the standard data set, of the other ranks, and of the publishers (ds.04)."""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Text, english, listed
from msprec.checklists.common.findings import first_place, missing, pipeline_table
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import DATA_FILES, REFERENCE_DATA

# MD5 of the published files; the four idx files of MNIST and of Fashion-MNIST bear the same names
_IDX = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
_MNIST = (
    "6bbc9ace898e44ae57da46a324031adb",
    "a25bea736e30d166cdddb491f175f624",
    "2646ac647ad5339dbf082846283269ea",
    "27ae3e4e09519cfbb04c329615203637",
)
_MNIST_GZ = (
    "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "d53e105ee54ea40749a09fcbcd1e9432",
    "9fb629c4189551a2d022fa330f9573f3",
    "ec29112dd5afa0611ce80d1b7f02629c",
)
_FASHION_GZ = (
    "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "25c81989df183df01b3e8a0aad5dffbe",
    "bef4ecab320f06d8554ea6380940ec79",
    "bb300cfdad3c16e7a12a480ee83cd310",
)
_CIFAR10 = {
    "data_batch_1": "c99cafc152244af753f735de768cd75f",
    "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
    "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
    "data_batch_4": "634d18415352ddfa80567beed471001a",
    "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
    "test_batch": "40351d587109b95175f43aff81a1287e",
}
_CIFAR100 = {"train": "16019d7e3df5f24257cddd939b257f8d", "test": "f0ef6b0ae62326f3e7ffdfab6717acfc"}
_READERS = (
    *(
        r"\bimread\(",
        "h5py",
        "lmdb",
        "decord",
        "soundfile",
        "torchaudio",
        "librosa",
        "VideoCapture",
        "rasterio",
        "nibabel",
    ),
    *(r"\bread_csv\(", r"\bloadtxt\(", r"\bnp\.load\(", r"MindDataset\(", r"TFRecordDataset\(", r"\bload_dataset\("),
    # open for reading, of something else than a configuration
    *(r"Image\.open\(", r"(?<![\w.])open\((?![^()]*['\"][wax]b?\+?['\"])(?!.*\.(?:ya?ml|json|toml|ini|cfg)['\"])"),
)
_OTHER_IDX = re.compile(r"fashion|kmnist|emnist|qmnist|kuzushiji|notmnist|medmnist|kannada", re.IGNORECASE)


class PublishedFile(NamedTuple):
    """A file of a well-known set: its name, the set's, and the published MD5 that it may have."""

    entry: Fact
    of: str
    sums: tuple
    sure: bool  # its folder leaves no doubt of which set it is


class Pairs(NamedTuple):
    """Files here beside those of a reference, by name."""

    equal: list
    differing: list  # (here, reference)
    unknown: list  # neither checksums nor different sizes
    extra: list  # here only
    absent: list  # in the reference only, where the whole folder was listed
    unread: list  # in the reference only, beside files that were read


def judge_files(run_data: RunData) -> Finding:
    """The finding on the files of the data sets."""
    files = files_of(run_data, 0)
    given = run_data.file("reference_data", REFERENCE_DATA)
    run = run_data.reference_run
    places = [first_place(dataset) for dataset in run_data.datasets if dataset.pipeline]
    shown = [_manifest(files), *(pipeline_table(dataset) for dataset in run_data.datasets[:2])]
    between = _between_ranks(run_data, shown, places)
    if between is not None:
        return between
    if given.files:
        return _beside(given.source, files, given.files, shown, places)
    others = data_files(run.files)
    if files and others and _in_common(pair(files, others)):
        return _beside(run.name, files, others, shown, places)
    known = [one for one in (published(entry) for entry in files) if one is not None and one.entry.md5]
    if known:
        return _beside_publishers(files, known, shown, places)
    if not run_data.has("data_files"):
        return missing("读取的数据文件", "data file")
    if not files:
        return _no_files(run_data, shown, places)
    return undecided(
        Text(
            "训练读取了 {n} 个数据文件，没有可供比较的标准数据集。",
            "Training read {n} {noun}; there is no standard data set to compare with.",
            n=len(files),
            noun=english("data file", len(files)),
        ),
        Text(
            "用 `--reference-data 目录或清单` 给出标准数据集，或在每台机器上用 `md5sum -c data.md5` 核对运行目录中的清单。",
            "Name the standard data set with `--reference-data DIR|MANIFEST`, or check the manifest in the "
            "run folder on each machine "
            "with `md5sum -c data.md5`.",
        ),
        shown,
        places,
    )


def files_of(run_data: RunData, rank: int) -> list:
    """The data files that a rank read, with a name each."""
    return [entry for entry in run_data.file("data_files", DATA_FILES, rank).files if entry.name and entry.path]


def data_files(files: list) -> list:
    """The files of a recorded run that are data: those of a pipeline, and what was opened but settings and notes."""
    return [
        entry
        for entry in files
        if entry.name and (entry.via == "pipeline" or not entry.name.lower().endswith((".json", ".txt", ".xml")))
    ]


def _in_common(pairs: Pairs) -> int:
    return len(pairs.equal) + len(pairs.differing) + len(pairs.unknown)


def _reading_lines(run_data: RunData) -> list:
    """Lines that read files; a function of the user's that is called like a reader is none."""
    own = {
        node.name
        for file in run_data.source.trees
        for node in run_data.source.nodes(file, ast.FunctionDef, ast.ClassDef)
    }
    readers = [pattern for pattern in _READERS if pattern[2:-2] not in own]
    return run_data.find_lines("|".join(readers), 3)


def _no_files(run_data: RunData, shown: list, places: list) -> Finding:
    """No file was heard to be opened; libraries that read by themselves, and other processes, are not heard."""
    if (
        not run_data.trained and not run_data.trains_nothing
    ):  # a script that ended before its first step has not come to its data
        return missing("读取的数据文件", "data file")
    reading = _reading_lines(run_data)
    if not reading:
        return not_applicable(
            Text(
                "没有看到训练读取任何数据文件：数据由脚本自己生成。",
                "Training was not seen to read any data file: the script makes its data itself.",
            )
        )
    return undecided(
        Text(
            "源码中有读取文件的调用，但没有看到读取了哪些文件。", "The source reads files, but which ones was not seen."
        ),
        Text(
            "列出标准数据集与训练环境（每台机器）上的文件及其 MD5，逐一比较。",
            "List the files of the standard data set and of every training machine with their MD5, and compare them.",
        ),
        [*shown, run_data.code_at(reading, Text("读取文件之处", "Where files are read"), "script")],
        [*places, *reading],
    )


# --- pairing -------------------------------------------------------------------------------------------------------


def pair(files: list, reference: list) -> Pairs:
    """Brings together files whose paths end alike, as far as the names go; each reference file is used once."""
    by_name: dict = {}
    for entry in reference:
        if entry.name:
            by_name.setdefault(_base(entry.name), []).append(entry)
    pairs, used = Pairs([], [], [], [], [], []), set()
    for entry in files:
        candidates = [other for other in by_name.get(_base(entry.path), []) if id(other) not in used]
        # of files of one name the one whose folders agree furthest; where several do, one with the same checksum
        best = max(
            candidates, key=lambda other: (_common(entry.path, other.name), other.md5 == entry.md5), default=None
        )
        if best is None:
            pairs.extra.append(entry)
            continue
        used.add(id(best))
        _compare(pairs, entry, best)
    rest = [entry for entry in reference if entry.name and id(entry) not in used]
    whole = any(entry.via == "pipeline" for entry in files)
    kinds = {_suffix(entry.path) for entry in files}
    for entry in rest:
        if whole:
            pairs.absent.append(entry)
        elif _suffix(entry.name) in kinds:
            pairs.unread.append(entry)
    return pairs


def _compare(pairs: Pairs, here: Fact, other: Fact) -> None:
    if here.md5 and other.md5:
        (pairs.equal if here.md5.lower() == other.md5.lower() else pairs.differing).append((here, other))
    elif None not in (here.bytes, other.bytes) and here.bytes != other.bytes:
        pairs.differing.append((here, other))
    else:
        pairs.unknown.append((here, other))


def _base(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _suffix(path: str) -> str:
    base = _base(path)
    return base.rpartition(".")[2].lower() if "." in base else ""


def _common(a: str, b: str) -> int:
    """How many parts of two paths agree, from the end."""
    count = 0
    for x, y in zip(reversed(a.replace("\\", "/").split("/")), reversed(b.replace("\\", "/").split("/"))):
        if x != y:
            break
        count += 1
    return count


# --- the findings --------------------------------------------------------------------------------------------------


def _beside(source: Optional[str], files: list, reference: list, shown: list, places: list) -> Finding:
    if not files:
        return undecided(
            Text(
                "没有看到训练读取任何数据文件，无法与 {source} 比较。",
                "Training was not seen to read any data file to compare with {source}.",
                source=source,
            ),
            Text(
                "若数据由独立进程或 C++ 读取，请手工比较两处的文件与 MD5。",
                "Where another process reads the data, compare the files and their MD5 by hand.",
            ),
            shown,
            places,
        )
    pairs = pair(files, reference)
    matched = _in_common(pairs)
    shown = [_pairs_table(pairs), *shown]
    if not matched:
        return undecided(
            Text(
                "训练读取的 {n} 个文件与 {source} 没有同名的文件。",
                "None of the {n} files that training read has its name in {source}.",
                n=len(files),
                source=source,
            ),
            Text("核对 --reference-data 是否指向同一份数据。", "See whether --reference-data names the same data."),
            shown,
            places,
        )
    # in a folder that was listed whole, files that the reference lacks count; a configuration that was opened does not
    extra = [entry for entry in pairs.extra if entry.via == "pipeline"]
    if pairs.differing or pairs.absent or extra:
        return problem(
            Text(
                "训练的数据与标准数据集 {source} 不同：{a} 个文件内容不同，{b} 个缺少，{c} 个多出（例如 {names}）。",
                "The data of training differ from the standard set {source}: {a} files are different, {b} "
                "are missing, {c} are not in it "
                "(such as {names}).",
                source=source,
                a=len(pairs.differing),
                b=len(pairs.absent),
                c=len(extra),
                names=listed(
                    [
                        *(here.path for here, _ in pairs.differing),
                        *(one.name for one in pairs.absent),
                        *(one.path for one in extra),
                    ],
                    3,
                ),
            ),
            Text(
                "重新复制或下载这些文件，复制后核对 MD5。",
                "Copy or download these files again, and check their MD5 afterwards.",
            ),
            shown,
            places,
        )
    if pairs.unknown or pairs.unread:
        return undecided(
            Text(
                "{n} 个文件与标准数据集相同，{a} 个没有校验和，标准数据集中另有 {b} 个同类文件没有被读取。",
                "{n} files equal the standard set; {a} have no checksum to compare, and {b} more files of "
                "their kind in it were not read.",
                n=len(pairs.equal),
                a=len(pairs.unknown),
                b=len(pairs.unread),
            ),
            Text(
                "确认没有读取的文件本来就不用于训练；没有校验和的文件用 md5sum 核对。",
                "See whether the files that were not read are not meant for training; check those without a "
                "checksum with md5sum.",
            ),
            shown,
            places,
        )
    return ok(
        Text(
            "训练读取的 {n} 个文件与标准数据集 {source} 的 MD5 相同。",
            "The {n} files that training read have the MD5 of the standard set {source}.",
            n=len(pairs.equal),
            source=source,
        ),
        shown,
        places,
    )


def _between_ranks(run_data: RunData, shown: list, places: list) -> Optional[Finding]:
    """Files of one path whose contents differ between ranks; ranks of one machine read the very same files."""
    seen: dict = {}
    apart: list = []
    for rank in run_data.ranks if len(run_data.ranks) > 1 else []:
        for entry in files_of(run_data, rank):
            if not entry.md5:
                continue
            first = seen.setdefault(entry.path, (rank, entry.md5))
            if first[1] != entry.md5:
                apart.append((entry.path, first[0], rank))
    if not apart:
        return None
    return problem(
        Text(
            "{n} 个数据文件在各 rank 上内容不同（例如 {name}：rank {a} 与 rank {b}）。",
            "{n} data files differ between ranks (such as {name} of rank {a} and rank {b}).",
            n=len(apart),
            name=apart[0][0],
            a=apart[0][1],
            b=apart[0][2],
        ),
        Text("让所有机器使用同一份数据，并核对 MD5。", "Give all machines the same copy, and check its MD5."),
        shown,
        places,
    )


def published(entry: Fact) -> Optional[PublishedFile]:
    """The well-known set that a file is named after, or None."""
    base, folder = _base(entry.path), entry.path.replace("\\", "/").rsplit("/", 1)[0].lower()
    plain = base.removesuffix(".gz").replace(".idx", "-idx")
    if plain in _IDX:
        at = _IDX.index(plain)
        if base.endswith(".gz"):
            return PublishedFile(entry, "MNIST / Fashion-MNIST", (_MNIST_GZ[at], _FASHION_GZ[at]), False)
        return PublishedFile(entry, "MNIST", (_MNIST[at],), "mnist" in folder and not _OTHER_IDX.search(folder))
    if "cifar-10-batches-py" in folder and base in _CIFAR10:
        return PublishedFile(entry, "CIFAR-10", (_CIFAR10[base],), True)
    if "cifar-100-python" in folder and base in _CIFAR100:
        return PublishedFile(entry, "CIFAR-100", (_CIFAR100[base],), True)
    return None


def _beside_publishers(files: list, known: list, shown: list, places: list) -> Finding:
    wrong = [one for one in known if one.entry.md5 not in one.sums]
    names = listed((one.entry.path for one in wrong), 4)
    if any(one.sure for one in wrong):
        return problem(
            Text(
                "{n} 个文件的 MD5 与 {of} 公布的不同：{names}。",
                "The MD5 of {n} files is not the one published for {of}: {names}.",
                n=len(wrong),
                of=wrong[0].of,
                names=names,
            ),
            Text(
                "重新下载并解压，核对 MD5；若有意使用修改过的数据，用 --reference-data 给出它的标准副本。",
                "Download and unpack again, and check the MD5; where a changed set is intended, name its "
                "standard copy with --reference-data.",
            ),
            shown,
            places,
        )
    if wrong:
        return undecided(
            Text(
                "{n} 个文件与 {of} 同名，但 MD5 不是公布的值：{names}。",
                "{n} files have the names of {of}, but not the published MD5: {names}.",
                n=len(wrong),
                of=wrong[0].of,
                names=names,
            ),
            Text(
                "若是另一个格式相同的数据集，用 `--reference-data` 给出它的标准副本。",
                "Where this is another set of the same format, name its standard copy with `--reference-data`.",
            ),
            shown,
            places,
        )
    return ok(
        Text(
            "{n} 个数据文件的 MD5 与 {of} 公布的相同。",
            "The MD5 of {n} {noun} is the one published for {of}.",
            n=len(known),
            noun=english("data file", len(known)),
            of=known[0].of,
        ),
        shown,
        places,
    )


def _manifest(files: list):
    if not files:
        return None
    rows = [[entry.path, entry.bytes, entry.md5, entry.dataset] for entry in files]
    heads = [Text("文件", "file"), Text("字节", "bytes"), "MD5", Text("数据集编号", "data set")]
    return table(Text("训练读取的数据文件", "Data files that training read"), heads, rows, most=40)


def _pairs_table(pairs: Pairs):
    rows = [[Text("不同", "different"), a.path, a.md5, a.bytes, b.md5, b.bytes] for a, b in pairs.differing]
    rows += [[Text("缺少", "missing"), b.name, None, None, b.md5, b.bytes] for b in pairs.absent]
    rows += [[Text("多出", "not in the standard set"), a.path, a.md5, a.bytes, None, None] for a in pairs.extra]
    rows += [[Text("没有读取", "not read"), b.name, None, None, b.md5, b.bytes] for b in pairs.unread]
    rows += [[Text("相同", "equal"), a.path, a.md5, a.bytes, b.md5, b.bytes] for a, b in pairs.equal]
    heads = [
        Text("比较", "compared"),
        Text("文件", "file"),
        "MD5",
        Text("字节", "bytes"),
        Text("标准的 MD5", "standard MD5"),
        Text("标准的字节", "standard bytes"),
    ]
    made = table(Text("与标准数据集比较", "Compared with the standard data set"), heads, rows, most=40)
    made.source = "reference"
    return made
