"""dp.02: words and ids that are numbered anew by the data of the evaluation."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.own_numbering import own_numbering

_CLASS = """class Words:
    def __init__(self, texts):
        self.ids = {}
        for text in texts:
            for word in text.split():
                self.ids.setdefault(word, len(self.ids))
"""
_COUNTED = """def build(texts):
    counts = Counter()
    for text in texts:
        counts.update(text)
    return {w: i + 1 for i, (w, n) in enumerate(counts.most_common(100))}
"""
_SORTED = """class Ids:
    def __init__(self, values):
        self.values = np.unique(values)
"""
_CLASSES = (
    "def load(rows):\n    numbers = {c: i for i, c in enumerate(CLASSES)}\n    return [numbers[r] for r in rows]\n"
)
_READ = "def load(path):\n    words = open(path).read().split()\n    return {w: i for i, w in enumerate(words)}\n"
_APPEARANCE = "def read(path):\n    table = pd.read_csv(path)\n    return pd.factorize(table['kind']{0})[0]\n"
_FROM_FILES = "a = read(os.path.join(home, 'train.csv'))\nb = read(os.path.join(home, 'test.csv'))\n"
_UNIQUE = "def build(column):\n    return {{raw: n for n, raw in enumerate({0})}}\n"
_LETTERS = """def letters(words):
    known = {}
    for word in words:
        for letter in word:
            if letter not in known:
                known[letter] = len(known) + 1
    return known
"""
_PARTS = "known, others = table.iloc[:9].copy(), table.iloc[9:].copy()\n"
_SPLIT = "known, others = split(table, 0.2)\n"
_EACH = "for n, part in enumerate(parts):\n    ids = encode(part, {0})\n    sets.append(NumpySlicesDataset(ids))\n"
_KEPT = """def encode(part, known=None):
    known = {} if known is None else known
    for c in columns:
        if c not in known:
            known[c] = pd.unique(part[c])
    return [pd.Categorical(part[c], categories=known[c]).codes for c in columns], known
"""
_ONE_FOR_ALL = """known = {}
def number(texts):
    for word in texts:
        known.setdefault(word, len(known))
    return [known[word] for word in texts]
def prepare(texts):
    return number(texts)
"""
_OF_AN_OBJECT = """class Words:
    def __init__(self):
        self.ids = {}
    def number(self, texts):
        for word in texts:
            self.ids[word] = len(self.ids)
        return [self.ids[word] for word in texts]
words = Words()
"""
_HANDED_ON = """def encode(column):
    return pd.factorize(column)[0]

def arrays(table{0}):
    return scaled(table), encode({1})
"""
_ASKED = """def prepare(texts, known=None):
    known = known if known is not None else build(texts)
    return [known[one] for one in texts]
"""
_TABLES = "a = arrays(train_df)\nb = arrays(test_df)\n"
_BOTH = "a = {0}(train_texts)\nb = {0}(test_texts)\n"


_PIPELINE = "def pipe(x, names):\n    return NumpySlicesDataset((x, build(names)), ['x', 'y'])\n\n"


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        (_CLASS + _BOTH.format("Words"), "problem"),
        (_HANDED_ON.format("", "table['kind']") + _TABLES, "problem"),
        (_HANDED_ON.format(", all_kinds", "all_kinds") + _TABLES, None),  # not of what it is first given
        (_COUNTED + _ASKED + _BOTH.format("prepare"), None),
        (_ONE_FOR_ALL + _BOTH.format("prepare"), None),  # what is known stays known
        (_ONE_FOR_ALL.replace("    for", "    known, n = {}, 0\n    for") + _BOTH.format("number"), "problem"),
        (_OF_AN_OBJECT + _BOTH.format("words.number"), None),
        (_COUNTED + _BOTH.format("build"), "problem"),
        (_UNIQUE.format("column.unique()") + _BOTH.format("build"), "problem"),
        (_UNIQUE.format("pd.unique(column)") + _BOTH.format("build"), "problem"),
        (_UNIQUE.format("np.unique(column)") + _BOTH.format("build"), "undecided"),
        (_KEPT + "a, known = encode(train)\nb, _ = encode(valid)\n", "problem"),
        (_KEPT + "a, known = encode(train)\nb, _ = encode(valid, known)\n", None),
        (
            _KEPT.replace("Categorical", "seen") + "a, known = encode(train)\nb, _ = encode(valid)\n",
            None,
        ),  # to be shown
        (_KEPT + "a, known = encode(train)\nb, _ = encode(valid, known=known)\n", None),
        (
            "v = CountVectorizer()\na = v.fit_transform(train_texts)\nb = CountVectorizer().fit_transform(val_texts)\n",
            None,
        ),
        (
            "vectorizer = make()\na = vectorizer.fit_transform(x_train)\nb = vectorizer.fit_transform(x_test)\n",
            "problem",
        ),
        (_APPEARANCE.format("") + _FROM_FILES, "problem"),
        (_LETTERS + "ids = letters([w for w, _ in train_rows])\nids = letters([w for w, _ in test_rows])\n", "problem"),
        (
            "train_df['k'], names = pd.factorize(train_df['s'])\ntest_df['k'], _ = pd.factorize(test_df['s'])\n",
            "problem",
        ),
        ("tok = Words()\ntok.fit_on_texts(train_texts)\ntok.fit_on_texts(test_texts)\n", "problem"),
        ("scaler = make()\na = scaler.fit_transform(train_x)\nb = scaler.fit_transform(test_x)\n", None),
        ("a = y_train.factorize()[0]\nb = y_test.factorize()[0]\n", "problem"),
        (_APPEARANCE.format(", sort=True") + _FROM_FILES, None),
        ("df['k'], names = pd.factorize(df['s'])\ntest_df = df[900:]\n", None),
        (_PARTS + "a = known['s'].factorize()[0]\nb = others['s'].factorize()[0]\n", "problem"),
        (_SPLIT + "a = known['s'].factorize()[0]\nb = others['s'].factorize()[0]\n", "problem"),
        ("a = known['s'].factorize()[0]\nb = others['s'].factorize()[0]\n", None),  # of tables of their own
        ("a = known['s'].factorize()[0]\nb = known['t'].factorize()[0]\n", None),
        ("a = known['s'].factorize()[0]\nb = others['t'].factorize()[0]\n", None),
        (_COUNTED + _EACH.format("build(part)"), "problem"),
        ("for part in (train, test):\n    part['u'], users = pd.factorize(part['user'])\n", "problem"),
        ("for part in [train_df, dev_df]:\n    part['u'] = part['user'].factorize(sort=True)[0]\n", None),
        ("for part in (train, test):\n    part['u'] = part['user'].map(numbers)\n", None),
        ("for part in (orders, clients):\n    part['u'], users = pd.factorize(part['user'])\n", None),
        (_COUNTED + _PIPELINE + "a = pipe(xa, na)\nb = pipe(xb, nb)\n", "problem"),
        (_COUNTED + _PIPELINE + "a = pipe(xa, na)\n", None),
        (
            _COUNTED
            + _PIPELINE.replace("build(names)", "known or build(names)")
            + "a = pipe(xa, na)\nb = pipe(xb, nb)\n",
            None,
        ),
        (_COUNTED + _PIPELINE.replace("build(names)", "known") + "a = pipe(xa, na)\nb = pipe(xb, nb)\n", None),
        (_COUNTED + "known = build(parts[0])\n" + _EACH.format("known"), None),
        (_COUNTED + "for name in columns:\n    known[name] = build(table[name])\n", None),  # each column has its own
        # sorted members, and what is read from a file, may well have the same numbers
        (_SORTED + _BOTH.format("Ids"), "undecided"),
        (_READ + "a = load(train_path)\nb = load(test_path)\n", "undecided"),
        # numbered by something else; only the training data are; labels; as it should be
        (_CLASSES + _BOTH.format("load"), None),
        (_CLASS + "a = Words(train_texts)\nb = a.encode(test_texts)\n", None),
        (_CLASS + "a = Words(y_train)\nb = Words(y_test)\n", None),
        ("vectorizer = make()\na = vectorizer.fit_transform(x_train)\nb = vectorizer.transform(x_test)\n", None),
    ],
)
def test_numbered_anew(tmp_path, code, conclusion):
    found = own_numbering(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.conclusion if found is not None else None) == conclusion


_ENCODE = "def encode(table, names):\n    return pd.Categorical(table.plan, categories=names).codes\n"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("test_df.plan.unique()", 5),
        ("names", None),
        ("train_df.plan.unique()", None),
        ("np.unique(test_df.plan)", None),
    ],
)
def test_names_that_are_handed_over_with_the_table(tmp_path, given, line):
    code = _ENCODE + f"names = train_df.plan.unique()\na = encode(train_df, names)\nb = encode(test_df, {given})\n"
    told = own_numbering(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line
