"""Sentences in both languages at once: a check writes ``Text(zh, en, n=3)``, the runner renders one of them."""

import math
import re
from collections.abc import Mapping
from typing import Any

LANGUAGES = ("zh", "en")
_YES_NO = {"zh": ("否", "是"), "en": ("no", "yes")}


class Text:
    """A sentence in Chinese and English with the same ``{placeholders}``; values may be Texts themselves."""

    __slots__ = ("en", "values", "zh")

    def __init__(self, zh: str, en: str, **values):
        self.zh, self.en, self.values = zh, en, values

    def render(self, lang: str) -> str:
        template = self.zh if lang == "zh" else self.en
        return template.format(**{name: show(value, lang) for name, value in self.values.items()})

    def __repr__(self) -> str:
        return f"Text({self.render('en')!r})"


class Joined(Text):
    """Several Texts one after the other."""

    __slots__ = ("parts",)

    def __init__(self, parts, zh: str = "", en: str = " "):
        super().__init__(zh, en)
        self.parts = [part for part in parts if part is not None]

    def render(self, lang: str) -> str:
        return (self.zh if lang == "zh" else self.en).join(show(part, lang) for part in self.parts)


def listed(names, most: int = 5) -> Text:
    """A list in a sentence, cut after ``most`` with the number of the rest."""
    names = [name if isinstance(name, Text) else str(name) for name in names]
    shown = Joined(names[:most], zh="、", en=", ")
    if len(names) <= most:
        return shown
    return Text("{shown} 等共 {n} 个", "{shown} and {rest} more", shown=shown, n=len(names), rest=len(names) - most)


def show(value: Any, lang: str = "en") -> str:
    """A value as it reads in a sentence: 1 000, 0.0361, yes."""
    if isinstance(value, Text):
        return value.render(lang)
    if value is None:
        return "—"
    if isinstance(value, bool):
        return _YES_NO[lang][value]
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ") if abs(value) < 10**18 else f"{float_of(value):.4g}"
    if isinstance(value, float):
        return f"{int(value):,}".replace(",", " ") if _is_whole(value) else f"{value:.4g}"
    return str(value)


def _is_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 1e6 and value == int(value)


def float_of(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def percent(share: float) -> str:
    """A share as a percentage with as many digits as it needs."""
    return f"{100 * share:.3g} %"


def english(singular: str, n, plural: str = "") -> str:
    """The English noun for a count."""
    return singular if n == 1 else plural or singular + "s"


def plain(value: Any, lang: str) -> Any:
    """The value as strict JSON can hold it: Texts rendered, NaN and infinity as strings, tuples as lists."""
    if isinstance(value, Text):
        return value.render(lang)
    if isinstance(value, dict):
        return {str(key): plain(item, lang) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, lang) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else plain(float_of(value), lang)
    if isinstance(value, float):
        return value if math.isfinite(value) else ("nan" if value != value else "inf" if value > 0 else "-inf")
    return plain(value.item(), lang) if hasattr(value, "item") else str(value)


def literal(words: Mapping) -> Text:
    """Words of the run folder in both languages; they are no templates."""
    return Text(*(words.get(lang, "").replace("{", "{{").replace("}", "}}") for lang in LANGUAGES))


def sentence(text: str) -> str:
    """English sentences that were put together begin with a capital; names of code stay as they are."""
    return text[:1].upper() + text[1:] if re.match(r"(the|all|none|features?|labels?|column|accuracy) ", text) else text


def yes_no(value: Any) -> Any:
    """True and False as words in both languages; anything else as it is."""
    return (Text("是", "yes") if value else Text("否", "no")) if isinstance(value, bool) else value
