"""Words or ids that a hash puts into a few buckets before they are looked up (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.td.received_batches.zero_discount import name_of, numbers_given
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import plain_number

_HASHES = ("hash", "crc32", "adler32", "md5", "sha1", "sha256", "blake2b", "murmurhash", "hash32", "xxh32", "xxh64")


def few_buckets(run_data: RunData) -> Optional[Finding]:
    """A problem where what a hash gives is taken modulo td.05.buckets or less, and not compared, as what divides samples into
    parts is, in a training that did not come cg.03.solved below a constant prediction: words share buckets."""
    gain = learning_outcome(run_data).gain
    if gain is None or gain >= run_data.limit("cg.03.solved"):
        return None
    for file, call in run_data.source.calls_anywhere(_HASHES):
        for node in run_data.source.nodes_at(file, call.lineno, ast.BinOp):
            if (
                not isinstance(node.op, ast.Mod)
                or call not in ast.walk(node.left)
                or _is_compared(run_data, file, node)
            ):
                continue
            for count, where in _numbers(run_data, file, node.right):
                if 1 < count <= run_data.limit("td.05.buckets"):
                    return _finding(run_data, int(count), [where, place(file, node.lineno)])
    return None


def _numbers(run_data: RunData, file: str, node: ast.expr) -> Iterator[tuple]:
    """``(number, place)`` of what the hash is divided by: as it is written, or what the file gives the name."""
    number = plain_number(node)
    if number is not None:
        yield number, place(file, node.lineno)
    elif name_of(node):
        yield from numbers_given(run_data, file, name_of(node))


def _is_compared(run_data: RunData, file: str, node: ast.BinOp) -> bool:
    compares = run_data.source.nodes_at(file, node.lineno, ast.Compare)
    return any(node in ast.walk(one) for one in compares)


def _finding(run_data: RunData, count: int, places: list) -> Finding:
    return problem(
        Text(
            "{where} 用哈希把词（或 id）分到 {count} 个桶中：许多不同的词落入同一个桶，网络无法区分，而训练远未学会。",
            "{where} puts words (or ids) into {count} buckets by a hash: many different ones share a bucket, the network cannot "
            "tell them apart, and the training is far from having learnt.",
            where=at(places[-1]),
            count=count,
        ),
        Text(
            "桶的数目应数倍于不同词的数目，或建立词表为每个词编号。",
            "Take several times as many buckets as there are different words, or number the words by a vocabulary.",
        ),
        [run_data.code_at(places, Text("哈希与桶的数目", "The hash and the number of buckets"))],
        places,
    )
