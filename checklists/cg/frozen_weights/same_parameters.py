"""Two optimizers that were given the same weights, beside a network that neither has (cg.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.cg.frozen_weights.adversaries import take_turns
from msprec.checklists.common.findings import at
from msprec.checklists.common.weights.weight_updates import by_network, is_trainable_kind, untrained
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def given_the_same(run_data: RunData) -> Optional[Finding]:
    """A problem where two optimizers that take turns hold the very same weights, and the weights of another network, which runs
    in training steps, are in none and did not move: one was to have them, as the generator's optimizer has the generator's.

    Where weights were loaded, the other network may have come with them, and nothing is said.
    """
    if run_data.loads:
        return None
    used = [
        one for one in run_data.optimizers if one.used and (one.updates or 0) >= run_data.limit("cg.02.min_updates")
    ]
    pairs = [
        (first, second)
        for number, first in enumerate(used)
        for second in used[number + 1 :]
        if first.parameter_names and first.parameter_names == second.parameter_names and take_turns(first, second)
    ]
    trained = {phase.root for phase in run_data.phases if phase.gradient}
    idle = [
        (name, parameters)
        for name, parameters in by_network(run_data)
        if name in trained
        and untrained(parameters)
        and any(is_trainable_kind(one) for one in parameters)
        and not any(one.requires_grad is False for one in parameters if one.kind != "statistic")
    ]
    if not pairs or not idle:
        return None
    (first, second), (name, parameters) = pairs[0], idle[0]
    places = [one for one in (second.place, first.place) if one]
    return problem(
        Text(
            "{second} 与 {first} 处的优化器持有完全相同的权重，而另一个网络（{name}，{n} 个权重，如 {example}）不在任何优化器中，"
            "训练中没有更新。",
            "The optimizers at {second} and {first} hold the very same weights, and those of another network ({name}, {n} "
            "weights, such as {example}) are in none and were not updated.",
            second=at(second.place),
            first=at(first.place),
            name=name,
            n=len(parameters),
            example=parameters[0].name,
        ),
        Text(
            "把各自网络的 trainable_params() 交给各自的优化器，并用同一组权重求梯度。",
            "Give each optimizer the trainable_params() of its own network, and take the gradients of the same weights.",
        ),
        [run_data.code_at(places, Text("两个优化器", "The two optimizers"))],
        places,
    )
