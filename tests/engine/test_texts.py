"""The texts of the items: complete, in order, in two languages, with snippets that compile and run."""

import ast
import re
import subprocess
import sys
import unicodedata

import pytest

from msprec.engine import default_thresholds, find, items
from msprec.engine.family import families
from msprec.item_texts import LANGUAGES, ItemText

TITLES = {  # as the guide words them
    "ds.01": "数据集中缺失值过多",
    "ds.02": "数据的标签错误",
    "ds.03": "数据集每个类别的样本数目不均衡或部分类别训练样本不足",
    "ds.04": "训练环境上的数据集同标准数据集不同",
    "dp.01": "未对数据进行归一化或标准化",
    "dp.02": "推理时数据处理方式有误",
    "dp.03": "训练时没有对数据集进行混洗",
    "dp.04": "涉及到数据补齐时，补齐方式错误",
    "dp.05": "并行训练时多节点分片方式错误",
    "hp.01": "学习率过大或过小",
    "hp.02": "epoch数目过大或过小",
    "hp.03": "batch size过大",
    "api.01": "使用API时未注意到MindSpore API和其它框架API的差异",
    "api.02": "使用API时未根据训练/推理场景对应设置模式",
    "cg.01": "权重共享错误",
    "cg.02": "权重冻结错误",
    "cg.03": "节点连接错误",
    "cg.04": "loss函数有误",
    "wi.01": "权重初始值全部为0",
    "wi.02": "加载的预训练模型不正确",
    "mp.01": "训练中存在溢出问题",
    "mp.02": "混合精度训练时，未正确设置loss scale",
    "mp.03": "loss scale和梯度裁剪的应用顺序不正确",
    "mp.04": "计算梯度惩罚时，没有先将梯度恢复为无loss scale的梯度",
}

NUMBERS = {  # thresholds that the texts name, as they write them
    "ds.01": {"min_samples": "32", "gap": "3", "code_gap": "0.5", "share": "0.1 ?%", "count": "3"},
    "ds.03": {"ratio": "10", "few": "5", "per_class": "50"},
    "dp.01": {"rms": "5", "max_abs": "10", "image_abs": "50", "min_abs": "±0.1", "disparity": "100"},
    "dp.03": {"changes": "0.2", "dependence": "0.3"},
    "hp.03": {"safe": "256", "large": "1024", "few_updates": "10", "updates": "50"},
    "api.01": {"keep": "0.5", "drop": "0.8", "momentum": "0.5"},
    "cg.02": {"min_updates": "3", "min_lr": "1e-7"},
    "mp.01": {"tail": "5", "returns": "5", "return_rate": "1 ?%", "skipped": "20 ?%"},
    "mp.02": {"min_scale": "2"},
}

EVERY = pytest.mark.parametrize(("item_id", "lang"), [(i.id, lang) for i in items() for lang in LANGUAGES])


def snippets(text: str) -> list:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def plain(text: str) -> str:
    """Full-width and ordinary punctuation alike."""
    return unicodedata.normalize("NFKC", text)


def without_comments(code: str) -> str:
    return ast.dump(ast.parse(code))


def test_all_24_items_in_the_order_of_the_guide():
    beyond = {family.id for family in families() if family.beyond}
    assert [item.id for item in items() if item.family not in beyond] == list(TITLES)


@EVERY
def test_every_part_has_a_text(item_id, lang):
    text = find(item_id).text(lang)
    assert isinstance(text, ItemText)
    assert all(part.strip() for part in text)
    assert text.check.count("**") == 4, "by hand, and what msprec looks at"


@pytest.mark.parametrize("item_id", TITLES)
def test_chinese_titles_are_those_of_the_guide(item_id):
    assert find(item_id).text("zh").title == TITLES[item_id]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("item_id", NUMBERS)
def test_numbers_are_the_thresholds(item_id, lang):
    basis = find(item_id).text(lang).check.split("**")[4]
    for name, written in NUMBERS[item_id].items():
        assert re.search(rf"(?<![\d.]){written}(?![\d.]*\d)", basis), name
        share = 100 if written.endswith("%") else 1
        assert float(written.strip(" ?%±")) / share == pytest.approx(default_thresholds()[f"{item_id}.{name}"].value)


@EVERY
def test_markdown_is_balanced(item_id, lang):
    for part in find(item_id).text(lang)[1:]:
        assert len(re.findall(r"^```", part, re.MULTILINE)) % 2 == 0
        outside_code = re.sub(r"^```.*?^```$", "", part, flags=re.MULTILINE | re.DOTALL)
        assert outside_code.count("`") % 2 == 0
        assert outside_code.count("**") % 2 == 0
        assert "### " not in outside_code


@EVERY
def test_chinese_and_english_are_not_mixed_up(item_id, lang):
    chinese = re.search("[\u4e00-\u9fff]", "".join(find(item_id).text(lang)))
    assert bool(chinese) == (lang == "zh")


@pytest.mark.parametrize("item_id", TITLES)
def test_both_languages_show_the_same_code(item_id):
    zh, en = (snippets(find(item_id).text(lang).fix) for lang in LANGUAGES)
    assert zh, "how to fix shows code"
    assert [without_comments(code) for code in zh] == [without_comments(code) for code in en]


def test_an_unknown_language_is_named_in_the_error():
    with pytest.raises(KeyError, match="fr"):
        find("ds.01").text("fr")


def test_texts_are_read_without_mindspore():
    code = (
        "import sys; from msprec.engine import items;"
        "[item.text(lang) for item in items() for lang in ('zh', 'en')];"
        "print([m for m in ('mindspore', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
