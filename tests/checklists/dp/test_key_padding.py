"""What a key_padding_mask marks (dp.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.padding.key_padding import key_padding

CODE = """class Encoder(nn.Cell):
    def construct(self, tokens):
        ignore = {mask}
        return self.layer(self.embed(tokens), {name}=ignore)
"""


@pytest.mark.parametrize(
    ("mask", "name", "lines"),
    [
        ("tokens != PAD", "src_key_padding_mask", [3, 4]),
        ("tokens > 0", "key_padding_mask", [3, 4]),
        ("ops.not_equal(tokens, 0)", "src_key_padding_mask", [3, 4]),
        ("tokens == PAD", "src_key_padding_mask", None),
        ("tokens != PAD", "attention_mask", None),  # where True may mean either
        ("tokens != UNKNOWN", "src_key_padding_mask", None),
        ("make(tokens)", "src_key_padding_mask", None),
    ],
)
def test_masks(tmp_path, mask, name, lines):
    told = key_padding(run_data(tmp_path, Run(source={"train.py": CODE.format(mask=mask, name=name)})))
    assert ([one["line"] for one in told.locations] if told else None) == lines
