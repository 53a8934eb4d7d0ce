"""The declared design: read strictly, and compared with the run."""

import pytest

from msprec.references.declared_design import KEYS, read_design
from msprec.references.errors import BadReference


def _written(tmp_path, text: str) -> str:
    (tmp_path / "msprec.toml").write_text(text, encoding="utf-8")
    return str(tmp_path / "msprec.toml")


def test_all_keys(tmp_path):
    facts = read_design(
        _written(
            tmp_path,
            """
frozen_parameters = ["backbone.*"]
shared_parameters = [["embedding.embedding_table", "head.weight"]]
layers = ["Conv2d", "Conv2d", "Dense"]
loss = "CrossEntropyLoss"
shuffle = false
batch_size = 64
padding = {side = "right", value = 0, length = 128}
""",
        )
    )
    assert set(facts) == {"file", *KEYS}
    assert facts["file"] == "msprec.toml" and facts["batch_size"] == 64


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("frozen = ['a']", "no key 'frozen'"),
        ("frozen_parameters = 'backbone'", "list of names"),
        ("shared_parameters = [['one']]", "groups"),
        ("shuffle = 'no'", "true or false"),
        ("batch_size = 0", "above 0"),
        ("batch_size = true", "above 0"),
        ("padding = {side = 'top'}", "padding"),
        ("loss = ", "no TOML"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, text, told):
    with pytest.raises(BadReference) as raised:
        read_design(_written(tmp_path, text))
    assert told in str(raised.value) and "\n" not in str(raised.value)


def test_missing_and_binary_files(tmp_path):
    with pytest.raises(BadReference, match="cannot be read"):
        read_design(str(tmp_path / "none.toml"))
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadReference, match="cannot be read"):
        read_design(str(tmp_path / "b.toml"))
