"""A network of token sequences in which nothing tells the places apart, of targets that depend on the place (cg.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.cg.connectivity.unsolved import unsolved_gain
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_token_order(run_data: RunData) -> Optional[Finding]:
    """The finding, where equal tokens of one sample have different targets in cg.03.contradicted of all pairs, the network cannot
    but predict the same for them, and the training did not come cg.03.solved below a constant prediction; else None."""
    facts = run_data.probes.token_use
    gain = learning_outcome(run_data).gain
    if not facts.order_lost or not facts.pairs or (gain is not None and unsolved_gain(run_data) is None):
        return None
    share = facts.different / facts.pairs
    if share < run_data.limit("cg.03.contradicted"):
        return None
    places = [facts.place] if facts.place else []
    return problem(
        Text(
            "网络中没有任何信息区分序列的位置：把各位置的 token 与目标以同样的顺序打乱，loss 不变"
            "（权重随机改变后也一样），因此同一样本中相同的 token 得到相同的预测；"
            "而 {pairs} 对相同的 token 中，{share}的目标不同：任何权重都无法同时拟合它们。",
            "Nothing in the network tells the places of a sequence apart: with the tokens and targets of all places in another "
            "order the loss is the same, for weights changed at random too, so that equal tokens of a sample get equal "
            "predictions. Of {pairs} pairs of equal tokens, {share} have different targets: no weights can fit these.",
            pairs=facts.pairs,
            share=percent(share),
        ),
        Text(
            "在 embedding 之后加上位置编码（可学习的位置向量或正弦编码），或使用因果掩码、循环层、卷积。",
            "Add positions to the embedding (learnt or sinusoidal), or use a causal mask, a recurrent layer or a convolution.",
        ),
        run_data.code_at(places, Text("token 的 embedding", "The embedding of the tokens")),
        places,
    )
