"""Samples that an autoencoder gives back on the scale that it was given, compared with them in their own unit (dp.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.script.network_outputs import Output, compared_outputs
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.checklists.dp.preprocessing_consistency.not_scaled_back import scaled_array
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place


def rebuilt_beside_raw(run_data: RunData) -> Optional[Finding]:
    """A problem where the one loss is a regression's of what the step is given alone, the network is called with
    ``test = (raw - mean) / std``, and the difference of what it gives is taken to ``raw``."""
    losses, sets = run_data.probes.losses, train_sets(run_data)
    if len(losses) != 1 or losses[0].kind not in REGRESSION or any(len(one.columns) != 1 for one in sets):
        return None
    for file, output, differences in compared_outputs(run_data):
        made = run_data.source.only_value(file, output.given)
        raw = scaled_array(made) if made is not None else ""
        line = next((line for line, name in differences if name == raw), None)
        if made is not None and line is not None:
            return _finding(run_data, output, raw, [place(file, one) for one in (line, made.lineno, output.line)])
    return None


def _finding(run_data: RunData, output: Output, raw: str, places: list) -> Finding:
    return problem(
        Text(
            "{where} 把网络的输出 {output} 与原始单位的 {raw} 比较，而网络收到并还原的是标准化之后的 {given}（{made}）："
            "两者单位不同，误差没有意义。",
            "{where} compares the output {output} with {raw} in its own unit, and what the network is given and gives back is "
            "{given}, which is standardised ({made}): the two are in different units, and the error means nothing.",
            where=at(places[0]),
            output=output.name,
            raw=raw,
            given=output.given,
            made=at(places[1]),
        ),
        Text(
            "先还原单位：{output} * std + mean，再与 {raw} 比较；或与 {given} 比较。",
            "Bring it back to the unit first, {output} * std + mean, or compare with {given}.",
            output=output.name,
            raw=raw,
            given=output.given,
        ),
        run_data.code_at(places, Text("比较与标准化", "The comparison, and where the samples are standardised")),
        places,
    )
