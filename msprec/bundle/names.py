"""What a name says of its value (``db_password``, ``pad_token``), and whether a value looks like a secret. No files here."""

import re
from collections import Counter
from functools import lru_cache
from math import log2
from typing import NamedTuple, Optional

KINDS = ("secret", "proxy", "email", "person", "user", "host", "home", "ip", "mac", "phone", "idcard")


class SecretSpan(NamedTuple):
    """A piece of a text to be replaced: ``text[start:end]``."""

    start: int
    end: int
    kind: str


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(text: str) -> frozenset:
    """The words of a text, as a set."""
    return frozenset(text.split())


_PASSWORDS = words(
    "password passwords passwd passphrase passphrases pwd pswd psw passcode secret secrets credential credentials creds mnemonic"
)
_TOKENS = words("token apikey authorization auth authtoken cookie bearer signature sig otp totp jwt passkey")
# what makes a key one of a lock rather than of a dictionary
_LOCKS = words(
    """api access private auth encryption signing ssh account subscription license wandb swanlab aws obs oss cos azure openai client
    deploy user master secret aes des hmac crypto cipher session app bot webhook service storage shared admin root jwt hex huawei
    aliyun alibaba tencent qcloud baidu google gcp gcs minio stripe sendgrid twilio slack feishu dingtalk github gitlab gitee hf
    modelscope comet neptune cohere anthropic deepseek dashscope zhipu moonshot qwen pinecone server primary ak sk"""
)
# beside one of these, a token or a key is a matter of language models, of sorting or of tables
_HARMLESS = words(
    """num max min n pad eos bos unk cls sep mask special per count id ids type len length size tokens tokenizer tokenize embedding
    embed vocab dim padding start end seq sequence image text prefix index shape weight bias file path name word position head query
    value table class function def loss rate ratio step steps column field prompt learnable input output target"""
)
# beside one of these even a password is none: its length, its field, the file that has it
_STRUCTURE = words(
    """file path dir length len min max num count field fields policy attempts retries prompt regex pattern hint label required
    enabled strength column name names env var variable validator rules error errors message seed type expired expires timeout"""
)
_COOKIES = words("sessionid jsessionid phpsessid csrftoken sid xsrf")
_ONE_WORD = re.compile(
    r"passw(?:or)?d|passphrase|(?:api|access|secret|private|auth|session|account)_?key|(?:auth|access|secret|refresh)_?token"
    r"|密码|口令|密钥|秘钥|令牌|凭证",
    re.IGNORECASE,
)
_PHONES = words("phone mobile tel telephone cellphone")


def is_distinctive(value: str) -> bool:
    """Whether a secret, once told, is one wherever it stands: no word, no number."""
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", r"\d", r"[^\w\s]"))
    return (
        len(value) >= 6
        and "\n" not in value
        and (kinds >= 3 or (kinds == 2 and len(value) >= 8 and bool(re.search(r"\d", value))))
    )


@lru_cache(maxsize=10_000)
def sort_of_name(name: str) -> Optional[str]:
    """What a value under this name is; None for a harmless name.

    ``password``: secret whatever it is; ``pass``, ``token``, ``key``, ``tokens``: secret when it looks like one; ``webhook``: an
    address that lets anybody post; ``proxy``: an address; ``phone``: a telephone number.
    """
    parts = [word.lower() for word in _WORDS.findall(name)]
    found = set(parts)
    if parts[-1:] == ["proxy"] and len(parts) <= 3:
        return "proxy"
    if found & _STRUCTURE:
        return None
    if "webhook" in found:
        return "webhook"
    if found & _PHONES or name in ("手机", "手机号", "电话"):
        return "phone"
    if found & _PASSWORDS or _ONE_WORD.search(name):
        # an identifier of an account (`aws_access_key_id`) has the form of a key
        return "token" if "id" in found or ("access" in found and not found & _PASSWORDS) else "password"
    if parts[-1:] in (["pass"], ["pw"]) and found <= words("pass pw user db smtp ftp mail ssh my root admin login"):
        return "pass"
    if parts[-1:] == ["tokens"] and not (found - {"tokens"}) & _HARMLESS:
        return "tokens"
    if parts[-1:] in (["ak"], ["sk"]):
        return "token"
    if parts[-1:] == ["keys"] and found & _LOCKS:
        return "tokens"
    if found & _HARMLESS:
        return None
    if found & _TOKENS or found & _COOKIES or ("key" in found and found & _LOCKS):
        return "token"
    return "key" if parts == ["key"] else None


# what stands where a secret would, and is none
_PLACEHOLDER = re.compile(
    r"(?:none|null|nil|true|false|nan|yes|no|str|string|bool|int|bytes|any|optional|required|default|undefined|unset|empty|hidden|"
    r"redacted|removed|todo|tbd|n/?a|changeme|xxx+|\*+|\.+|•+|-+|_+|your[-_ ].*|my[-_ ](?:password|token|secret|key)|<.*>|\[.*\]|"
    r"\{.*\}|\|.*\||\$\{?\w+\}?|\$\(.*|%\(?\w*\)?s?|%\w+%|\w*(?:_here|-here))",
    re.IGNORECASE | re.DOTALL,
)
#: Types as annotations and docstrings have them.
_TYPE = re.compile(r"(?:Optional|Union|List|Dict|Tuple|list|dict|tuple|SecretStr|Tensor)(?:\[.*|$)")


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret that is elsewhere: empty, ``None``, ``<token>``, ``${PASSWORD}``, ``***``."""
    value = value.strip()
    return not value or value.startswith("REMOVED_") or bool(_PLACEHOLDER.fullmatch(value) or _TYPE.match(value))


def entropy(value: str) -> float:
    """Shannon's entropy of the characters, in bits a character."""
    return -sum(n / len(value) * log2(n / len(value)) for n in Counter(value).values()) if value else 0.0


def is_wordy(value: str, share: float = 0.45) -> bool:
    """Whether that share of a text stands in runs of letters as words have them (``serving_default``, ``Conv2dBatchNorm2d``)."""
    runs = re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}", value)
    return sum(len(run) for run in runs if re.search("(?i)[aeiouy]", run)) >= share * len(value)


def looks_random(value: str) -> bool:
    """Whether a text of 16 or more characters seems drawn at random: letters and digits mixed, few words, many different characters."""
    return (
        len(value) >= 16
        and bool(re.fullmatch(r"[\w+/=.~-]+", value, re.ASCII))
        and bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))
        and not is_wordy(value, 0.6)
        and entropy(value) >= 3.0
    )


def looks_secret(value: str, sort: str) -> bool:
    """Whether the value under a name of that sort is to go."""
    value = value.strip()
    if is_placeholder(value):
        return False
    if sort in ("password", "proxy"):
        return True
    if sort == "pass":  # a pass over the data has a number
        return len(value) > 2 and not re.fullmatch(r"[\d.]+%?|.*`.*", value)
    if sort == "phone":
        return bool(re.fullmatch(r"\+?[\d() -]{7,20}", value))
    if sort == "webhook":
        return bool(re.match(r"https?://[^/\s]+/\S{8,}", value)) or looks_random(value)
    if re.match(r"(?i)(bearer|basic|token|digest)\s+\S", value):
        return True
    if sort in ("key", "tokens"):  # the word of a sentence, the key of a dictionary are no such thing
        return looks_random(value) and (sort == "tokens" or len(value) >= 20)
    return _looks_token(value)


def _looks_token(value: str) -> bool:
    # eight characters or more without spaces; no number, no name of a variable, no words
    if (
        len(value) < 8
        or re.search(r"\s", value)
        or re.fullmatch(r"[\d.,:+-]+", value)
        or re.search(r"^https?://|^/|[\\()\[\]{}<>|`]", value)
    ):
        return False
    if re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", value) and is_wordy(value):
        return False
    return bool(re.search(r"\d", value)) or not is_wordy(value) or bool(re.search(r"[^\w.-]", value))


def in_container(value: str, sort: str, key: str = "") -> bool:
    """Whether a value in a list or a map under a name of that sort is to go; ``key`` is its own name in the map."""
    if key and re.fullmatch(
        r"(?i)type|kind|enabled|scopes?|provider|method|version|expires\w*|expiry|created\w*|region|format", key
    ):
        return False
    own = sort_of_name(key) if key else None
    return looks_secret(value, own or sort)


def is_container(name: str) -> bool:
    """Whether what lies below the name is secret: ``tokens``, ``credentials``, ``api_keys``."""
    return sort_of_name(name) in ("password", "tokens") or name.lower() in (
        "auth",
        "login",
        "token",
        "api_key",
        "apikey",
    )
