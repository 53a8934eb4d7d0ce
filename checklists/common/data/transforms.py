"""The operations of a pipeline in a form that can be compared: what they do to values, layout and geometry (dp.02)."""

import ast
import re
from typing import NamedTuple, Optional

from msprec.engine.schema import Fact
from msprec.source.names import words

_CALL = re.compile(r"^(?P<name>[\w.<>#]+?)(\((?P<args>.*)\))?$", re.DOTALL)
_RANDOM = re.compile(
    r"^(Random\w*|AutoAugment|RandAugment|TrivialAugmentWide|UniformAugment|CutMixBatch|MixUpBatch|MixUp|CutOut)$"
)
_RANDOM_GEOMETRY = re.compile(
    r"^Random(\w*(Crop|Resize|Resized|Affine|Rotation|Perspective|Zoom|Select|Apply|Choice|Order)\w*)$"
)
_GEOMETRY = words(
    """
    Resize CenterCrop Crop ResizedCrop Pad PadToSize Rotate Affine Perspective FiveCrop TenCrop ResizeWithBBox
    HorizontalFlip VerticalFlip
    """
)
_COLOUR = words(
    """
    ConvertColor Grayscale RgbToBgr RgbToHsv HsvToRgb Invert Equalize AutoContrast AdjustBrightness AdjustContrast
    AdjustGamma AdjustHue AdjustSaturation AdjustSharpness GaussianBlur Posterize Solarize
    """
)
_OTHER = words(
    """
    PadEnd Fill Mask Slice OneHot Concatenate LinearTransformation Lookup Truncate TruncateSequencePair CaseFold
    BasicTokenizer BertTokenizer WhitespaceTokenizer JiebaTokenizer UnicodeCharTokenizer WordpieceTokenizer
    SentencePieceTokenizer RegexReplace MelSpectrogram Spectrogram MFCC AmplitudeToDB Resample
    """
)
# they change how values are stored, not what they are
_STORAGE = ("TypeCast", "ToType", "ToPIL", "ToNumpy", "Decode", "ToNumber", "Duplicate")
_LABEL_NAME = re.compile(r"label|target|^y$|class|^gt$", re.IGNORECASE)


class Transform(NamedTuple):
    """One transform of a map: its name, its arguments where they can be read, the text as recorded."""

    name: str
    args: dict
    text: str
    place: Fact


class Prepared:
    """What a list of transforms does to one column.

    Values become ``a * x + b``, channel by channel (lists of one entry or of one a channel).
    """

    def __init__(self, operations: list):
        self.operations = operations
        self.a, self.b = [1.0], [0.0]
        self.layout: list[str] = []
        self.geometry: list[Transform] = []
        self.colour: list[Transform] = []
        self.other: list[Transform] = []
        self.opaque: list[Transform] = []
        self.random: list[Transform] = []
        self.random_geometry = False
        for operation in operations:
            self._apply(operation)

    def _apply(self, one: Transform) -> None:
        if _RANDOM.match(one.name):
            if one.args.get("prob", 1) != 0:
                self.random.append(one)
                self.random_geometry |= bool(_RANDOM_GEOMETRY.match(one.name))
            if one.name in ("RandomCropDecodeResize", "RandomResizedCrop"):
                self.random_geometry = True
        elif one.name in ("Rescale", "ToTensor", "Normalize", "NormalizePad"):
            self._scale(one)
        elif one.name in ("HWC2CHW", "CHW2HWC"):
            self.layout.append(one.name)
        elif one.name in _STORAGE:
            return
        else:
            known = {_GEOMETRY: self.geometry, _COLOUR: self.colour, _OTHER: self.other}
            next((held for names, held in known.items() if one.name in names), self.opaque).append(one)

    def _scale(self, one: Transform) -> None:
        if one.name == "ToTensor":
            self.a, self.b = [v / 255 for v in self.a], [v / 255 for v in self.b]
            self.layout.append("HWC2CHW")
            return
        if one.name == "Rescale":
            factor, shift = _numbers(one.args.get("rescale")), _numbers(one.args.get("shift"))
        else:
            mean, std = _numbers(one.args.get("mean")), _numbers(one.args.get("std"))
            factor = shift = None
            if mean and std and len(mean) == len(std) and all(std):
                factor, shift = [1 / s for s in std], [-m / s for m, s in zip(mean, std)]
        if not factor or not shift:
            self.opaque.append(one)
            return
        width = max(len(self.a), len(factor))
        wide = [known for v in (self.a, self.b, factor, shift) if (known := _widened(v, width)) is not None]
        if len(wide) < 4:
            self.opaque.append(one)
            return
        self.a = [x * f for x, f in zip(wide[0], wide[2])]
        self.b = [x * f + s for x, f, s in zip(*wide[1:])]

    def same_opaque(self, other: "Prepared") -> bool:
        """Whether the steps that cannot be read are the very same ones."""
        return [one.text for one in self.opaque] == [one.text for one in other.opaque]

    def near(self, other: "Prepared") -> bool:
        """Whether the factors lie within 30 % of each other, so that statistics could not tell them apart."""
        width = max(len(self.a), len(other.a))
        mine, theirs = _widened(self.a, width), _widened(other.a, width)
        return mine is not None and theirs is not None and all(abs(a - b) <= 0.3 * abs(a) for a, b in zip(mine, theirs))

    def same_values(self, other: "Prepared") -> bool:
        """Whether values end up the same to within 2 % of a standardised unit; constants are often rounded."""
        width = max(len(self.a), len(other.a))
        wide = [_widened(values, width) for values in (self.a, other.a, self.b, other.b)]
        known = [values for values in wide if values is not None]
        if len(known) < 4:
            return False
        return all(abs(a - c) <= 0.02 * abs(a) and abs(b - d) <= 0.02 * max(1.0, abs(b)) for a, c, b, d in zip(*known))


def _numbers(value) -> Optional[list]:
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    good = listed and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in listed)
    return [float(v) for v in listed] if good else None


def _widened(values: list, width: int) -> Optional[list]:
    return values * width if len(values) == 1 else values if len(values) == width else None


def read(text: str, place: Fact) -> Transform:
    """An operation from its text in the facts."""
    match = _CALL.match(text)
    if match is None:
        return Transform(text, {}, text, place)
    args = {}
    try:
        call = ast.parse(f"f({match['args'] or ''})", mode="eval").body
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            try:
                args[keyword.arg] = ast.literal_eval(keyword.value)
            except ValueError:
                args[keyword.arg] = ast.unparse(keyword.value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return Transform(match["name"], args, text, place)


def is_label(dataset: Fact, name: str) -> bool:
    return name == dataset.label.column or bool(_LABEL_NAME.search(name))


def by_column(dataset: Fact) -> dict:
    """``{delivered column: [Operation]}`` of every map on an input column; functions of a batch count as opaque."""
    found: dict[str, list] = {}
    now: dict[str, str] = {}
    for step in dataset.pipeline:
        if step.op == "map":
            inputs, outputs = (_names(step.args.get(key)) for key in ("input_columns", "output_columns"))
            if inputs and all(is_label(dataset, name) for name in inputs):
                continue
            first = next((name for name in inputs if not is_label(dataset, name)), "")
            root = now.get(first, first)
            for name in outputs[:1]:
                now[name] = root
            listed = step.args.get("operations")
            texts = listed if isinstance(listed, list) else [listed]
            found.setdefault(root, []).extend(read(str(text), step.place) for text in texts if text)
        elif step.args.get("per_batch_map"):
            for root in list(found) or [""]:
                text = f"per_batch_map={step.args['per_batch_map']}"
                found.setdefault(root, []).append(Transform("per_batch_map", {}, text, step.place))
    last = {root: name for name, root in now.items()}
    return {last.get(root, root): operations for root, operations in found.items()}


def _names(value) -> list:
    listed = value if isinstance(value, list) else [value]
    return [name for name in listed if isinstance(name, str)]
