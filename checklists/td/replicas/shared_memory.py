"""A target, an average or a reference whose weights lie in the trained network's memory: it follows every update (td.07)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Names of networks that are to lag behind the trained one, or to stay as they are.
_APART = (
    r"(?i)(?<![a-z])(target|ema|average|momentum|shadow|polyak|slow|old|prev\w*|ref|reference|frozen|teacher|anchor|prior|best|"
    r"snapshot|backup|behaviou?r|initial)"
)
#: What puts the weights of one network into another without copying them.
_SHARES = r"\.set_data\((?!.*(clone|copy|asnumpy|Tensor)\()"


def shared_memory(run_data: RunData) -> Optional[Finding]:
    """A problem where a network that is called in the training step, or is by its name to lag behind, has all its weights in the
    memory of the trained one, into which they were put once: `load_param_into_net` and `Parameter.set_data` hand over the
    memory of the tensor that they are given. Undecided where they are put there again and again; None of any other.

    A network that is only evaluated may share its weights on purpose.
    """
    for copy in run_data.copies:
        if not copy.shared or copy.distance != 0:
            continue
        named = run_data.find_lines(rf"{_APART}\w*\s*=[^=].*\b({copy.class_}|deepcopy|clone)\(", 1)
        if named or run_data.matches_at(rf"{_APART}\w*\(", copy.called):
            put = [one for one in run_data.loads if one.network == copy.class_ and not one.file]
            return _finding(run_data, copy, put, undecided if any(one.step for one in put) else problem)
    return None


def _finding(run_data: RunData, copy: Fact, put: list, make) -> Finding:
    shares = run_data.find_lines(_SHARES, 4)
    places = [one for one in (*(load.place for load in put[:2]), *shares, copy.called, copy.created) if one]
    return make(
        Text(
            "{name}{called}的 {n} 个权重就在被训练的网络的内存里：每次更新都同时改变两者，它从来不是副本。",
            "{name}{called} has its {n} weights in the memory of the network that trains: each update changes both, and it never "
            "is a copy.",
            name=copy.class_,
            called=Text("（{at} 处调用）", ", called at {at},", at=at(copy.called)) if copy.called else Text("", ""),
            n=copy.shared,
        ),
        Text(
            "复制数值而不是交出张量：对每个参数写 q.set_data(p.clone())；load_param_into_net(copy, net.parameters_dict()) 和 "
            "q.set_data(p) 共用内存。",
            "Copy the values, do not hand over the tensor: q.set_data(p.clone()) for each parameter; "
            "load_param_into_net(copy, net.parameters_dict()) and q.set_data(p) share the memory.",
        ),
        [
            run_data.code_at(
                places, Text("权重放进副本之处，与它的调用", "Where the weights are put into it, and its call")
            )
        ],
        places,
    )
