"""The formats that providers give their keys, tokens and webhooks: told by their beginning, wherever they stand."""

import base64
import binascii
import re

from msprec.bundle.names import entropy, is_wordy

# (what begins it, what follows); letters, digits, underscores and dashes do not bound it
_BEGINNINGS = (
    (r"(?:ghp|gho|ghu|ghs|ghr)_", r"[A-Za-z0-9]{20,}"),
    (r"github_pat_", r"\w{20,}"),
    (r"gl(?:pat|dt|rt|ft|imt|agent|soat|cbt|ptt|oas)-", r"[\w.-]{16,}"),
    (
        r"(?:hf|api_org|r8|gsk|lin_api|figd|glsa|glc|sntrys|sntryu|rubygems|npm|secret|ntn|fo1|dckr_pat|dckr_oat)_",
        r"[\w-]{16,}={0,2}",
    ),
    (r"sk-(?:proj|svcacct|admin|or-v1|ant-[a-z0-9]+)-", r"[\w-]{16,}"),
    (r"(?:sk|rk|pk)_(?:live|test)_", r"[A-Za-z0-9]{10,}"),
    (r"whsec_", r"[A-Za-z0-9+/]{16,}={0,2}"),
    (r"SG\.", r"[\w-]{16,}\.[\w-]{16,}"),
    (r"(?:AC|SK)(?=[0-9a-f]{32}(?![0-9a-zA-Z]))", r"[0-9a-f]{32}"),
    (r"AIza", r"[\w-]{30,}"),
    (r"ya29\.", r"[\w-]{16,}"),
    (r"1//0", r"[\w-]{30,}"),
    (r"GOCSPX-", r"[\w-]{20,}"),
    (r"xox[abeposr]-", r"[\w-]{10,}"),
    (r"xapp-\d-", r"[\w-]{16,}"),
    (r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (r"LTAI", r"[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    (r"AKID", r"[A-Za-z0-9]{13,36}(?![A-Za-z0-9])"),
    (r"AKLT|ALTAK-?", r"[A-Za-z0-9]{16,46}"),
    (r"HPUA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (r"pypi-", r"[\w-]{30,}"),
    (r"ms-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    (r"(?:nvapi|xai|pplx|fw|tgp_v1|PMAK|NRAK|FLWSECK|EZAK|SWMTKN|dapi|key)-", r"[\w-]{24,}"),
    (r"dapi", r"[0-9a-f]{32}(?:-\d)?"),
    (r"do[opr]_v1_", r"[0-9a-f]{40,}"),
    (r"shp(?:at|ca|pa|ss)_", r"[0-9a-fA-F]{32}"),
    (r"sq0(?:atp|csp|idp)-", r"[\w-]{20,}"),
    (r"hv[sbr]\.", r"[\w-]{20,}"),
    (r"dp\.(?:pt|st|ct)\.", r"[\w.-]{20,}"),
    (r"AKCp", r"[A-Za-z0-9]{10,}"),
    (r"AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}"),
    (
        r"tvly-|fc-|jina_|lsv2_(?:pt|sk)_|dop_|sbp_|pat-(?:na|eu)1-|CLOJARS_|pscale_(?:tkn|pw)_|PKCE_|EAACEdEose0cBA",
        r"[\w-]{20,}",
    ),
)
_KNOWN = re.compile(
    "|".join(rf"(?<![A-Za-z0-9_-])(?:{head}){tail}" for head, tail in _BEGINNINGS)
    + r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,4}"
    + r"|(?<![\d:])\d{8,10}:AA[\w-]{32,34}(?![\w-])"  # Telegram
    + r"|\b[0-9a-f]{32}-us\d{1,2}\b"  # Mailchimp
    + r"|\b\w{14}\.atlasv1\.[\w-]{40,}"
    + r"|\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:1|5|6|y)\$[./A-Za-z0-9$=]{20,}"  # hashes of passwords
    + r"|\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}\b"  # Discord
)
# sk- is also the beginning of names (`sk-learn-contrib`): what follows must not be words
_SK = re.compile(r"(?<![A-Za-z0-9_-])sk-([A-Za-z0-9_-]{16,200})")
_HYPHENED = re.compile(r"[a-z]+\d?(?:[-_][a-z]*[\d.]*)+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|PuTTY-User-Key-File-\d:.*?(?:Private-MAC: ?\w+|\Z)",
    re.DOTALL,
)
# addresses that let anybody post: what names the receiver goes
_WEBHOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/"
    r"|(?:discord|discordapp)\.com/api/webhooks/|\.webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/"
    r"|api\.telegram\.org/bot|oapi\.dingtalk\.com/robot/send\?access_token=|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key="
    r"|maker\.ifttt\.com/trigger/\w+/with/key/|sctapi\.ftqq\.com/|api\.day\.app/|www\.pushplus\.plus/send\?token=|@sentry\.io/)"
    r"([\w/:.@-]{6,200})"
)
_AZURE = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])")
_BEARER = re.compile(r"(?i)\bbearer\s{1,9}([A-Za-z0-9+/=._~-]{8,})")
_BASIC = re.compile(r"(?i)\bbasic\s{1,9}([A-Za-z0-9+/]{6,}={0,2})")
# a picture or an array in a text: long, of base64 only, or said to be one
_BINARY = re.compile(r"data:[\w/+.-]{0,60};base64,[A-Za-z0-9+/=\s\\n]{1,10000000}|[A-Za-z0-9+/]{200,}={0,2}")
# no name, no beginning, but letters of both cases and digits mixed
_RANDOM = re.compile(r"(?<![\w+/.-])[A-Za-z0-9_-]{30,100}(?![\w+/-])")


def find_formats(text: str) -> list:
    """The spans (start, end) of keys that their form alone tells."""
    pictures = [m.span() for m in _BINARY.finditer(text)]
    found = [m.span() for pattern in (_KNOWN, _AZURE) for m in pattern.finditer(text)]
    found += [m.span() for m in _SK.finditer(text) if re.search(r"\d", m[1]) and not _HYPHENED.fullmatch(m[1])]
    found += [m.span(1) for m in _WEBHOOK.finditer(text)]
    found += [
        m.span(1) for m in _BEARER.finditer(text) if re.search(r"\d", m[1]) or (len(m[1]) > 19 and not is_wordy(m[1]))
    ]
    found += [m.span(1) for m in _BASIC.finditer(text) if _is_login(m[1])]
    found += [m.span() for m in _RANDOM.finditer(text) if _is_random(m.group())]
    found = [f for f in found if not any(start <= f[0] and f[1] <= end for start, end in pictures)]
    return found + [m.span() for m in _PRIVATE_KEY.finditer(text)]


def _is_login(text: str) -> bool:
    """Whether a text is user:password in base64."""
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def _is_random(text: str) -> bool:
    return (
        all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", r"\d"))
        and not text.startswith(("_Z", "sha256-", "sha384-", "sha512-"))
        and text.count("_") + text.count("-") <= 2
        and not is_wordy(text, 0.6)
        and entropy(text) >= 4.0
        and len(re.findall(r"(?<=[a-z])[A-Z\d]|(?<=[A-Z])[a-z\d]|(?<=\d)[A-Za-z]", text)) >= len(text) / 4
    )
