"""What a bundle holds, leaves out and has replaced, as lines for the terminal."""

from collections import Counter

from msprec.bundle.archive import Bundle

_MOST = 60
_WORDS = {
    "zh": {
        "in": "打包内容（字节）",
        "total": "共 {count} 个文件，{size:.0f} KiB（压缩前）",
        "out": "不打包",
        "replaced": "已替换（类别、次数、文件）",
        "none": "没有需要替换的内容",
        "more": "  …… 另有 {count} 个文件",
        "same": "替换后各项结论不变。",
        "differ": "注意：替换后有的结论与原运行目录不同，见 manifest.json。",
        "pictures": "图片不做检查：{names}",
        "review": "逐条替换（文件:行 类别：原文 → 替换为；上下文）。不应替换的，用 --keep 原文 保留",
    },
    "en": {
        "in": "Goes in (bytes)",
        "total": "{count} files, {size:.0f} KiB before compression",
        "out": "Left out",
        "replaced": "Replaced (kind, times, file)",
        "none": "Nothing had to be replaced",
        "more": "  ... and {count} more files",
        "same": "The conclusions are the same after the replacements.",
        "differ": "Note: some conclusions differ from those of the run folder itself; see manifest.json.",
        "pictures": "Pictures are not searched: {names}",
        "review": "Each replacement (file:line kind: what stood there -> replacement | around it). --keep TEXT leaves one as it is",
    },
}


def lines(bundle: Bundle, lang: str) -> list:
    """The listing, in the order: what goes in, what stays out, what was replaced."""
    say = _WORDS["zh" if lang == "zh" else "en"]
    names = sorted(bundle.files)
    out = [say["in"]]
    out += [f"  {len(bundle.files[name]):>10}  {name}" for name in names[:_MOST]]
    if len(names) > _MOST:
        out.append(say["more"].format(count=len(names) - _MOST))
    out.append(say["total"].format(count=len(names), size=sum(map(len, bundle.files.values())) / 1024))
    if bundle.left_out:
        out += [say["out"], *(f"  {entry['file']}: {entry['why']}" for entry in bundle.left_out[:_MOST])]
    counts = Counter()
    for row in bundle.replaced:
        counts[row["kind"], row["file"]] += row["count"]
    out.append(say["replaced"] if counts else say["none"])
    out += [f"  {kind:<7} {count:>5}  {file}" for (kind, file), count in sorted(counts.items())[:_MOST]]
    pictures = [name for name in names if name.endswith((".png", ".jpg", ".jpeg"))]
    if pictures:
        out.append(say["pictures"].format(names=", ".join(pictures[:5]) + (" …" if len(pictures) > 5 else "")))
    out.append(say["same" if bundle.same_conclusions else "differ"])
    return out


def review(bundle: Bundle, lang: str) -> list:
    """Each replacement with what stood there, for the sender alone: it is shown on the terminal and stands in no file."""
    say = _WORDS["zh" if lang == "zh" else "en"]
    out, rows = [say["review"]], Counter(bundle.shown)
    for row, count in rows.items():
        line = f":{row.line}" if row.line else ""
        times = f" ×{count}" if count > 1 else ""
        value, around = (repr(text)[1:-1] for text in (row.value, row.around))
        around = f"  | {around}" if around != value else ""
        out.append(f"  {row.file}{line} {row.kind}{times}: {value} -> {row.by}{around}")
    return out if rows else [*out, f"  {say['none']}"]
