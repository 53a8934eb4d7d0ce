"""What repeated runs say, in words."""

from msprec.compare.losses.determinism import Repeated, Source

_WORDS = {
    "zh": {
        "same": "{runs} 次运行的 loss 在全部 {steps} 个 step 上逐位相同：训练可复现。",
        "differs": "loss 不可复现：从 step {step} 起不同（相对差 {relative:.1e}）。",
        "length": "各次运行的 step 数不同：{what}。",
        "weights": "初始权重不同（{count} 个参数，如 {what}）：在创建网络之前调用 mindspore.set_seed，初始化不要用未固定种子的 NumPy。{places}",
        "order": "训练数据的次序不同（{what}）：固定 shuffle 的种子（mindspore.dataset.config.set_seed 或 set_seed），或关闭 shuffle。{places}",
        "values": "训练数据的取值不同：随机增强未固定（{what}）：固定 numpy.random、random 和 dataset 的种子，并把 num_parallel_workers 设为 1。{places}",
        "dropout": "初始权重与数据相同；网络中有随机算子（{what}）：固定 mindspore.set_seed，或在比较时把 p 设为 0。{places}",
        "kernels": '初始权重与数据相同，网络中没有 dropout：可能是算子的计算次序不固定（set_context(deterministic="ON")），或脚本中的其他随机性。',
        "no_seeds": "脚本没有设置任何随机种子。",
        "seeds": "脚本设置的种子：{what}。",
        "workers": "多进程/多线程的数据处理：{what}。",
        "none": "未声明",
        "more": "等",
        "at": "位置：{places}。",
    },
    "en": {
        "same": "The losses of {runs} runs are the same to the last bit in all {steps} steps: the training is reproducible.",
        "differs": "The loss does not repeat: it differs from step {step} on (by a relative {relative:.1e}).",
        "length": "The runs have different numbers of steps: {what}.",
        "weights": "The initial weights differ ({count} parameters, such as {what}): call mindspore.set_seed before the network is made, and do not "
        "initialise with NumPy unseeded.{places}",
        "order": "The training data come in another order ({what}): fix the seed of shuffling (mindspore.set_seed or "
        "mindspore.dataset.config.set_seed), or switch it off.{places}",
        "values": "The training data have other values: random augmentation is not fixed ({what}): seed numpy.random, random and the data set, "
        "and use one worker.{places}",
        "dropout": "Initial weights and data are the same; the network draws at random ({what}): fix mindspore.set_seed, or use p=0 while comparing.{places}",
        "kernels": "Initial weights and data are the same and there is no dropout: kernels may add up in another order each time "
        '(set_context(deterministic="ON")), or the script draws elsewhere.',
        "no_seeds": "The script sets no seed.",
        "seeds": "Seeds that the script sets: {what}.",
        "workers": "Data processed in several workers: {what}.",
        "none": "none declared",
        "more": "…",
        "at": " At {places}.",
    },
}
_FEW = 3


def lines(found: Repeated, lang: str) -> list:
    """The conclusion, what is not fixed, and the seeds that are set."""
    say = _WORDS[lang]
    told = [_source(source, say) for source in found.sources if source.kind == "length"]
    if found.differs is None:
        return [say["same"].format(runs=len(found.runs), steps=found.steps), *told]
    told.insert(0, say["differs"].format(step=found.differs, relative=found.relative))
    told += [_source(source, say) for source in found.sources if source.kind != "length"]
    told.append(say["seeds"].format(what=", ".join(found.seeds)) if found.seeds else say["no_seeds"])
    if found.workers:
        told.append(say["workers"].format(what=", ".join(found.workers)))
    return told


def _source(source: Source, say: dict) -> str:
    what = ", ".join(source.what[:_FEW]) + (f" {say['more']}" if len(source.what) > _FEW else "")
    places = say["at"].format(places=", ".join(source.places[:_FEW])) if source.places else ""
    return say[source.kind].format(what=what or say["none"], count=len(source.what), places=places)
