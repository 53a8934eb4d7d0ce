"""What a loss of features and class numbers does with classes that lie apart, at one point, and mixed (cg.04)."""

import ast

from msprec.bilingual import Text
from msprec.checklists.common.loss.wrong_loss import Wrong, called
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names

#: Share of the larger of two values by which the loss of classes apart has to be the smaller.
_LESS = 0.02
#: Lines of a loss that are shown.
_MOST = 5
_MASKS = Text(
    "检查选取正、负样本的掩码与符号：同类的距离应减小，不同类的距离应增大；取最近的负样本时要排除同类与样本自身。",
    "See the masks and signs that choose positives and negatives: distances within a class are to become smaller, those between "
    "classes larger; the nearest negative is taken over other classes alone, without the sample itself.",
)


def check_separation(one: Fact, run_data: RunData) -> None:
    """Raises `Wrong` where the whole loss is no smaller with each class at a point of its own than with all classes at one
    point, or with classes mixed."""
    seen = one.separation
    if not one.final or None in (seen.apart, seen.together, seen.mixed):
        return
    places = [one.place, *_mask_lines(run_data, one.place)]
    if not _less(seen.apart, seen.mixed):
        raise Wrong(
            Text(
                "自定义的 {name} 不能区分类别：各类的特征各聚成一点时 loss 为 {apart}，各类混在一起时为 {mixed}，并不更大。",
                "The script's own {name} does not tell classes apart: it is {apart} where the features of each class lie at a "
                "point of their own, and {mixed}, which is no more, where classes are mixed.",
                name=called(one),
                apart=seen.apart,
                mixed=seen.mixed,
            ),
            _MASKS,
            *places,
        )
    if not _less(seen.apart, seen.together):
        raise Wrong(
            Text(
                "自定义的 {name} 不把不同的类推开：所有类的特征聚成同一点时 loss 为 {together}，各类各聚成一点时为 {apart}，"
                "并不更小，网络可以让所有输出相同。",
                "The script's own {name} does not push different classes apart: it is {together} where the features of all "
                "classes lie at one point, and {apart}, which is no less, where each class has a point of its own: a network may "
                "give the same for everything.",
                name=called(one),
                apart=seen.apart,
                together=seen.together,
            ),
            _MASKS,
            *places,
        )


def separates(one: Fact) -> Text:
    """That the loss is smallest where classes lie apart."""
    seen = one.separation
    return Text(
        "自定义的 {name} 能区分类别：各类的特征各聚成一点时为 {apart}，都在同一点时为 {together}，混在一起时为 {mixed}。",
        "The script's own {name} tells classes apart: it is {apart} where the features of each class lie at a point of their "
        "own, {together} with all at one point, and {mixed} where classes are mixed.",
        name=called(one),
        apart=seen.apart,
        together=seen.together,
        mixed=seen.mixed,
    )


def _mask_lines(run_data: RunData, at: Fact) -> list:
    """The lines of the loss that use what compares classes with each other, and those that compare them."""
    function = run_data.source.function_around(at.file or "", at.line or 0) if at else None
    if function is None:
        return []
    stores = [one for one in ast.walk(function) if isinstance(one, ast.Assign)]
    compares = [one for one in stores if any(_is_equality(part) for part in ast.walk(one.value))]
    masks = {name for one in compares for name in bound_names(one.targets)}
    uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id in masks]
    lines = {one.lineno for one in uses if isinstance(one.ctx, ast.Load)} | {one.lineno for one in compares}
    return [place(at.file, line) for line in sorted(lines)][:_MOST]


def _is_equality(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))


def _less(one: float, other: float) -> bool:
    return other - one > _LESS * max(abs(one), abs(other))
