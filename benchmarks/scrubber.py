"""How many planted secrets `msprec bundle` leaves, and how many harmless lines it changes.

    python benchmarks/scrubber.py [--show] [--tree FOLDER]

Everything is made from a fixed seed: secrets of more than 60 kinds, each in several ways of writing and several kinds of file, and
2 000 harmless lines: of the scripts in `tests/cases` and `examples`, and of forms that look like secrets and are none. No value has
ever been anybody's; they are made here, so that none stands in the repository. FOLDER: a tree of Python files, of which the share
of changed lines is told too. Where detect-secrets is installed, its plugins are run over the same corpus.
"""

import argparse
import ast
import base64
import json
import random
import string
import tempfile
import time
from collections import Counter
from pathlib import Path, PurePosixPath

from msprec.bundle.archive import scrubbed
from msprec.bundle.scrub import Scrubber

SEED, EACH = 20261122, 12
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, HEX = LOWER + UPPER + DIGITS, DIGITS + "abcdef"
USER, HOST, PERSON, CHINESE, OTHER = "qiangwu", "trainer-node17", "Qiang Wu", "吴志强", "hanmm"


class Maker:
    """Values of every form, from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, count: int) -> str:
        return "".join(self.random.choices(alphabet, k=count))

    def mixed(self, count: int) -> str:
        """Letters of both cases and digits, each at least once."""
        value = [*self.of(ALNUM, count - 3), self.of(LOWER, 1), self.of(UPPER, 1), self.of(DIGITS, 1)]
        self.random.shuffle(value)
        return "".join(value)

    def password(self) -> str:
        return (
            self.of(UPPER, 1) + self.of(LOWER, self.random.randint(4, 7)) + self.of("!@%^*+~", 1) + self.of(DIGITS, 3)
        )

    def plain_password(self) -> str:
        return self.of("bcdfghjklmnp", 1) + self.of(LOWER, 5) + self.of(DIGITS, 3)

    def hex(self, count: int) -> str:
        return self.of("abcdef", 1) + self.of(HEX, count - 2) + self.of(DIGITS, 1)

    def uuid(self) -> str:
        return "-".join(self.hex(n) for n in (8, 4, 4, 4, 12))

    def base64(self, count: int) -> str:
        return base64.b64encode(self.random.randbytes(count)).decode()

    def mobile(self) -> str:
        return self.random.choice(("138", "139", "150", "186", "199")) + self.of(DIGITS, 8)

    def id_card(self) -> str:
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        first = (
            "110105"
            + f"{self.random.randint(1950, 2005)}{self.random.randint(1, 12):02}{self.random.randint(1, 28):02}"
            + self.of(DIGITS, 3)
        )
        return first + "10X98765432"[sum(w * int(d) for w, d in zip(weights, first)) % 11]

    def mac(self) -> str:
        return ":".join([self.of("abcdef", 1) + self.of(DIGITS, 1), *(self.hex(2) for _ in range(5))])

    def ip(self) -> str:
        return ".".join(["10", *(str(self.random.randint(1, 254)) for _ in range(3))])


# --- what is planted ------------------------------------------------------------------------------------------------------
TOKEN_FORMS = (
    ("py", 'token = "{0}"'),
    ("py", "x = '{0}'  # of the hub"),
    ("py", 'client = Client("{0}")'),
    ("py", "# was {0}"),
    ("txt", "using {0} now"),
    ("sh", "export SOME_VALUE={0}"),
    ("json", '{{"note": "{0}"}}'),
    ("yaml", "value: {0}"),
    ("log", "ERROR 401 for {0}, giving up"),
    ("csv", "name,value\nx,{0}\n"),
    ("jsonl", '{{"event": "exception", "message": "refused {0}"}}'),
    ("ipynb", "value = '{0}'"),
)
NAMED_FORMS = (
    ("py", '{1} = "{0}"'),
    ("py", "{1}: str = '{0}'"),
    ("py", 'config = {{"{1}": "{0}", "lr": 0.1}}'),
    ("py", 'connect({1}="{0}")'),
    ("py", 'os.environ["{1}"] = "{0}"'),
    ("py", 'x = os.getenv("{1}", "{0}")'),
    ("py", 'parser.add_argument("--{1}", type=str, default="{0}")'),
    ("sh", "export {1}={0}"),
    ("yaml", "{1}: {0}"),
    ("json", '{{"{1}": "{0}"}}'),
    ("ini", "[a]\n{1} = {0}"),
    ("sh", "python train.py --{1} {0} --lr 0.1"),
)


def kinds(m: Maker) -> dict:
    """By kind: (what makes the value, the ways of writing); a name in {1} is the third part."""
    known = {
        "aws access key": lambda: "AKIA" + m.of(UPPER + DIGITS, 16),
        "github token": lambda: "ghp_" + m.of(ALNUM, 36),
        "github fine-grained token": lambda: "github_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59),
        "gitlab token": lambda: "glpat-" + m.of(ALNUM, 20),
        "hugging face token": lambda: "hf_" + m.of(ALNUM, 34),
        "openai key": lambda: "sk-proj-" + m.mixed(48),
        "deepseek key": lambda: "sk-" + m.hex(32),
        "anthropic key": lambda: "sk-ant-api03-" + m.mixed(90),
        "stripe key": lambda: m.random.choice(("sk", "rk")) + "_live_" + m.of(ALNUM, 24),
        "stripe webhook secret": lambda: "whsec_" + m.of(ALNUM, 32),
        "sendgrid key": lambda: f"SG.{m.mixed(22)}.{m.mixed(43)}",
        "twilio key": lambda: "SK" + m.of(HEX, 32),
        "twilio account": lambda: "AC" + m.of(HEX, 32),
        "google api key": lambda: "AIza" + m.mixed(35),
        "google oauth secret": lambda: "GOCSPX-" + m.mixed(28),
        "google access token": lambda: "ya29." + m.mixed(60),
        "slack token": lambda: f"xoxb-{m.of(DIGITS, 12)}-{m.of(DIGITS, 12)}-{m.of(ALNUM, 24)}",
        "alibaba access key": lambda: "LTAI" + m.mixed(20),
        "tencent secret id": lambda: "AKID" + m.mixed(32),
        "volcengine access key": lambda: "AKLT" + m.mixed(40),
        "npm token": lambda: "npm_" + m.of(ALNUM, 36),
        "pypi token": lambda: "pypi-AgEIcHlwaS5vcmc" + m.mixed(60),
        "modelscope token": lambda: "ms-" + m.uuid(),
        "docker token": lambda: "dckr_pat_" + m.mixed(27),
        "databricks token": lambda: "dapi" + m.hex(32),
        "digitalocean token": lambda: "dop_v1_" + m.hex(64),
        "vault token": lambda: "hvs." + m.mixed(90),
        "nvidia key": lambda: "nvapi-" + m.mixed(64),
        "groq key": lambda: "gsk_" + m.mixed(52),
        "telegram bot": lambda: f"{m.of('123456789', 10)}:AA{m.mixed(33)}",
        "mailchimp key": lambda: m.hex(32) + "-us12",
        "json web token": lambda: f"eyJ{m.mixed(18)}.eyJ{m.mixed(30)}.{m.mixed(43)}",
        "bcrypt hash": lambda: "$2b$12$" + m.mixed(53),
        "azure storage key": lambda: m.base64(64),
        "random, unnamed": lambda: m.mixed(44),
        "slack webhook": lambda: f"T{m.of(UPPER + DIGITS, 8)}/B{m.of(UPPER + DIGITS, 8)}/{m.mixed(24)}",
    }
    table = {kind: (make, TOKEN_FORMS, ("",)) for kind, make in known.items()}
    hook = {
        "slack webhook": "https://hooks.slack.com/services/",
        "feishu webhook": "https://open.feishu.cn/open-apis/bot/v2/hook/",
        "dingtalk webhook": "https://oapi.dingtalk.com/robot/send?access_token=",
        "wecom webhook": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
        "discord webhook": "https://discord.com/api/webhooks/",
    }
    for kind, head in hook.items():
        forms = tuple((suffix, form.replace("{0}", head + "{0}")) for suffix, form in TOKEN_FORMS)
        make = known.get(kind) or (lambda: m.hex(64)) if "ding" in kind else known.get(kind) or m.uuid
        table[kind] = (make, forms, ("",))
    named = {
        "password": (m.password, ("password", "db_password", "DB_PASSWD", "smtp_pwd", "redisPassword")),
        "password of letters": (lambda: m.of(LOWER, 9), ("password", "root_password", "passphrase")),
        "wandb key": (lambda: m.hex(40), ("WANDB_API_KEY", "wandb_key", "wandb_api_key")),
        "hexadecimal key": (lambda: m.hex(32), ("api_key", "secret_key", "aes_key", "hmac_key")),
        "aws secret": (lambda: m.mixed(40), ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY")),
        "huawei access key": (
            lambda: m.of(UPPER, 2) + m.of(UPPER + DIGITS, 17) + m.of(DIGITS, 1),
            ("AK", "HUAWEICLOUD_SDK_AK", "OBS_ACCESS_KEY_ID", "obs_ak"),
        ),
        "huawei secret key": (lambda: m.mixed(40), ("SK", "HUAWEICLOUD_SDK_SK", "OBS_SECRET_ACCESS_KEY", "obs_sk")),
        "alibaba secret": (
            lambda: m.mixed(30),
            ("OSS_ACCESS_KEY_SECRET", "accessKeySecret", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"),
        ),
        "tencent secret": (lambda: m.mixed(32), ("TENCENTCLOUD_SECRET_KEY", "SecretKey", "cos_secret_key")),
        "swanlab key": (lambda: m.mixed(21), ("SWANLAB_API_KEY", "swanlab_api_key")),
        "named token": (
            lambda: m.mixed(16),
            ("auth_token", "access_token", "refresh_token", "apikey", "client_secret"),
        ),
    }
    table.update({kind: (make, NAMED_FORMS, names) for kind, (make, names) in named.items()})
    special = {
        "mysql -p": (m.password, ("sh", "mysql -u root -p{0} -h db"), ("sh", "mysqldump -uroot -p'{0}' train"), ("py", 'os.system("mysql -uroot -p{0} -e status")')),
        "docker login": (m.password, ("sh", "docker login -u bob -p {0} swr.cn-north-4.myhuaweicloud.com"), ("txt", "RUN docker login --username bob --password {0}"), ("sh", "echo {0} | docker login -u bob --password-stdin")),
        "curl -u": (m.plain_password, ("sh", "curl -u bob:{0} https://example.com/x"), ("sh", "curl --user 'bob:{0}' -O https://example.com/x"), ("sh", "curl -s -H 'X-Api-Key: {0}' https://example.com")),
        "command of a cloud": (lambda: m.mixed(40), ("sh", "obsutil config -i=X -k={0} -e=obs.example.com"), ("sh", "ossutil config -e oss.example.com -i X -k {0}"), ("sh", "aws configure set aws_secret_access_key {0}")),
        "command with a password": (m.password, ("sh", "sshpass -p {0} scp a b"), ("sh", "redis-cli -h cache -a {0} ping"), ("sh", "7z x data.7z -p{0}"), ("sh", "unzip -P {0} data.zip"), ("sh", "echo '{0}' | sudo -S apt update")),
        "bytes": (m.password, ("py", 'password = b"{0}"'), ("py", "SECRET_KEY: bytes = b'{0}'"), ("py", 'secret = "{0}".encode("utf-8")')),
        "tuple": (m.password, ("py", 'auth = ("bob", "{0}")'), ("py", 'requests.get(url, auth=("bob", "{0}"))'), ("py", 'credentials = ("bob", "{0}")'), ("py", 'user, password = "bob", "{0}"'), ("py", 'server.login("bob", "{0}")'), ("py", 'auth=HTTPBasicAuth("bob", "{0}")')),
        "list of tokens": (lambda: m.mixed(24), ("py", 'tokens = ["{0}", "{0}x"]'), ("json", '{{"tokens": ["{0}"]}}'), ("json", '{{"credentials": {{"main": {{"value": "{0}"}}}}}}'), ("yaml", "tokens:\n  - {0}\nlr: 0.1"), ("yaml", "credentials:\n  user: bob\n  value: {0}\n"), ("toml", 'tokens = ["{0}"]'), ("json", '{{"api_keys": {{"a": "{0}"}}}}')),
        "block of yaml": (lambda: m.password() + " " + m.password(), ("yaml", "password: |\n  {0}\nlr: 0.1"), ("yaml", "a:\n  secret: >-\n    {0}\n  b: 1"), ("yaml", "private_key: |\n    {0}\n")),
        "entry of name and value": (m.password, ("yaml", "env:\n  - name: DB_PASSWORD\n    value: {0}"), ("json", '[{{"name": "DB_PASSWORD", "value": "{0}"}}]'), ("xml", '<add key="DbPassword" value="{0}"/>'), ("txt", "ENV DB_PASSWORD {0}")),
        "prose": (m.password, ("txt", "The password is {0}."), ("md", "log in as bob with password {0}"), ("py", '"""The password of the server is {0}"""'), ("txt", "username/password: bob/{0}"), ("txt", "default pwd is `{0}`"), ("py", "# pw {0}")),
        "prose in Chinese": (m.plain_password, ("txt", "密码：{0}"), ("txt", "登录口令={0}"), ("md", "账号/密码：bob/{0}"), ("py", "# 数据库密码是{0}，勿外传"), ("txt", "密码改为 {0}"), ("yaml", "密码: {0}"), ("txt", "用户名 bob 密码 {0}")),
        "login in a url": (m.plain_password, ("py", 'url = "postgresql://bob:{0}@db.example.com/x"'), ("sh", "git clone https://bob:{0}@git.example.com/x.git"), ("py", 'redis = f"redis://:{0}@cache:6379/{{db}}"'), ("sh", "pip install -i https://bob:{0}@pypi.example.com/simple x")),
        "connection string": (m.password, ("txt", "Server=db;Database=x;User Id=sa;Password={0};"), ("py", 'dsn = "host=db user=bob password={0} dbname=x"'), ("txt", "jdbc:mysql://db/x?user=root&password={0}")),
        "authorization header": (lambda: m.mixed(30), ("py", 'headers = {{"Authorization": "Bearer {0}"}}'), ("sh", "curl -H 'Authorization: Bearer {0}' https://example.com"), ("txt", "Authorization: Token {0}"), ("txt", "Cookie: session={0}; theme=dark")),
        "signed address": (lambda: m.mixed(40), ("txt", "https://b.obs.example.com/x?AccessKeyId=X&Signature={0}"), ("txt", "https://b.s3.amazonaws.com/x?X-Amz-Signature={0}"), ("txt", "https://x.blob.core.windows.net/c?sv=2024&sig={0}")),
        "number": (lambda: m.of("123456789", 8), ("py", "password = {0}"), ("json", '{{"password": {0}}}'), ("csv", "user,password\nbob,{0}\n")),
        "netrc": (m.password, ("txt", "machine api.wandb.ai login user password {0}"), ("txt", "machine x.org\n  login bob\n  password {0}\n"), ("sql", "CREATE USER bob IDENTIFIED BY '{0}';")),
        "private key": (lambda: m.base64(45), ("txt", "-----BEGIN " + "RSA PRIVATE KEY-----\n{0}\n-----END RSA PRIVATE KEY-----"), ("py", 'K = """-----BEGIN ' + 'PRIVATE KEY-----\n{0}\n-----END PRIVATE KEY-----"""'), ("json", '{{"k": "-----BEGIN ' + 'PRIVATE KEY-----\\n{0}\\n-----END PRIVATE KEY-----"}}')),
        "mobile number": (m.mobile, ("txt", "联系人电话 {0}"), ("py", "# call {0} when it stops"), ("json", '{{"phone": {0}}}'), ("csv", "name,phone\nx,{0}\n"), ("txt", "+86 {0}"), ("py", 'mobile = "{0}"')),
        "identity card": (m.id_card, ("txt", "身份证 {0}"), ("py", 'x = "{0}"'), ("json", '{{"id": "{0}"}}'), ("md", "| {0} | a |")),
        "mac address": (m.mac, ("txt", "ether {0} txqueuelen 1000"), ("py", 'mac = "{0}"'), ("json", '{{"mac": "{0}"}}')),
        "ip address": (m.ip, ("txt", "connect {0}:8118"), ("py", 'hosts = ["{0}"]'), ("json", '{{"server_list": ["{0}"]}}'), ("log", "[INFO] rank 3 at {0}")),
        "e-mail": (lambda: f"{m.of(LOWER, 6)}.{m.of(LOWER, 4)}@{m.of(LOWER, 7)}.com", ("py", '"""By <{0}>."""'), ("txt", "mail {0}"), ("json", '{{"by": "{0}"}}')),
        "user": (lambda: USER, ("txt", "/home/{0}/data/x.ckpt"), ("py", 'path = "/cache/{0}_run/a.npz"'), ("py", "model_{0} = 1"), ("json", '{{"owner": "{0}"}}'), ("name", "notes_{0}.txt"), ("name", "{0}/train.py"), ("txt", "saved by {0}2")),
        "host": (lambda: HOST, ("txt", "on {0} since 10:00"), ("py", 'log = "run-{0}.log"'), ("name", "events.{0}.txt"), ("txt", "bob@{0}:~$ ls")),
        "person": (lambda: PERSON, ("txt", "asked {0} for it"), ("py", "# {0}: check the mask"), ("py", '__author__ = "{0}"'), ("json", '{{"by": "{0}"}}'), ("name", "report of {0}.txt")),
        "person in Chinese": (lambda: CHINESE, ("txt", "请联系{0}。"), ("py", "# {0} 修改"), ("json", '{{"负责人": "{0}"}}'), ("name", "{0}的报告.txt")),
        "user of a path": (lambda: OTHER, ("txt", "/data/home/{0}/x; model_{0}.ckpt"), ("txt", "C:\\Users\\{0}\\x and by {0}"), ("txt", "/Users/{0}/x")),
    }  # fmt: skip
    table.update({kind: (make, forms, ("",)) for kind, (make, *forms) in special.items()})
    split = (
        ("py", 'key = "{a}" + "{b}"'),
        ("py", 'key = ("{a}"\n       "{b}")'),
        ("py", 'login("".join(["{a}", "{b}"]))'),
        ("py", 'token = "{a}" "{b}"'),
    )
    table["joined literals"] = (lambda: "ghp_" + m.of(ALNUM, 36), split, ("",))
    return table


def notebook(source: str) -> str:
    cell = {
        "cell_type": "code",
        "source": ("import os\n" + source).splitlines(keepends=True),
        "metadata": {},
        "outputs": [],
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def secrets() -> list:
    """(kind, name of the file, its text, what must not be left)."""
    maker, planted = Maker(SEED), []
    for kind, (make, forms, names) in kinds(maker).items():
        for number in range(max(EACH, len(forms))):
            value, (suffix, form) = make(), forms[number % len(forms)]
            cut = len(value) // 2
            text = form.format(value, names[number % len(names)], a=value[:cut], b=value[cut:])
            left = [value[:cut], value[cut:]] if "{a}" in form else [value]
            if suffix == "name":
                planted.append((kind, text, "nothing\n", left))
            else:
                planted.append(
                    (kind, f"run/f{number}.{suffix}", notebook(text) if suffix == "ipynb" else text + "\n", left)
                )
    return planted


# --- what is harmless ------------------------------------------------------------------------------------------------------
FORMS = r'''
py|pad_token = "[PAD]"; eos_token_id = {n}
py|tokens = tokenizer.encode(text, max_tokens={n})
py|tokens = ["the", "cat", "sat", "w{n}"]
py|token = tokens[{n}]
py|net = nn.Dense({n}, {n}); h = x@self.weight + x[1::2]@b.T
py|key = "label_smoothing"
py|sort_key = "epoch_{n}"
py|q, k, v = self.query_key(x, {n})
py|from sklearn.metrics import accuracy_score  # pip install sk-learn
py|"""A basic block of ResNet-{n}, a basic building unit of the network."""
py|class BasicBlock(nn.Cell):  # basic block {n}
py|assert x.shape == (32, 3, {n}, 224), f"shape {{x.shape}}"
py|version = "4.10.0.{n2}"
py|# see section 3.2.1.{n2} and table 4.1.2.3
py|# requires mindspore==2.7.0.{n2} or opencv-python 4.8.1.{n2}
py|checkpoint = "resnet50@v2"
py|model = load("bert_base@v{n2}")
py|metrics = ["acc@top1", "recall@k10", "mAP@0.5", "hit@{n2}"]
py|md5 = "{hex32}"
py|sha256 = "{hex64}"
py|commit = "{hex40}"  # of the model zoo
py|checksum = {{"train.tar": "{hex32}"}}
py|password = getpass.getpass("Password: ")
py|password = os.environ["DB_PASSWORD"]
py|token = os.getenv("HF_TOKEN")
py|parser.add_argument("--token", type=str, default=None, help="token of the hub")
py|parser.add_argument("--password_file", default="secrets/password.txt")
py|def login(user, password=None, token=""):
py|    """password : str, the password to use."""
py|raise ValueError("password is required for {n} users")
py|print("密码错误，请重新输入第 {n} 次")
py|# 密码：请输入密码
py|if token == "<pad>" or token == "[MASK]":
py|config = {{"num_tokens": {n}, "token_type": "wordpiece", "key_dim": {n}}}
py|self.cls_token = Parameter(initializer("normal", (1, 1, {n})))
py|secret = None
py|signature = "serving_default"
py|auth = config.auth
py|params = 13015864320  # {n} of them frozen
py|stamp = 1700000{n}{n}
py|image = "data:image/png;base64,{b64}"
py|lr = 1e-{n2}; beta = (0.9, 0.999)
py|np.random.seed({n}{n})
py|url = "https://github.com/mindspore-ai/mindspore/blob/master/README.md"
py|download("https://example.com/resnet50-{hex8}.ckpt")
py|@ms.jit
py|x = a@b; y = w@x + c[1:2:3]
py|cell = "Default/network-WithLossCell/_backbone-Net/conv{n2}-Conv2d/Conv2D-op{n}"
py|name = "mobilenet_v2_1.0_224_quant_int8_imagenet1k"
py|layer = "model.layers.{n2}.self_attn.q_proj.weight"
py|pattern = re.compile(r"\d{{4}}-\d{{2}}-\d{{2}}T\d{{2}}:\d{{2}}:\d{{2}}")
py|uuid = "{uuid}"
py|opts = dict(pass_mode="two-pass", pin_memory=True, n_pass={n2})
py|assert password_length >= 8 and max_tokens < {n}
py|from mindspore.train.callback import ModelCheckpoint, CheckpointConfig
py|BatchNorm2dConvertToInferenceMode{n2}(Conv2dTransposeBackpropInput{n2})
py|loss_scale_manager = DynamicLossScaleManager(init_loss_scale=2**{n2}, scale_factor=2, scale_window={n})
log|epoch: {n2} step: {n}, loss is 0.{n}{n}
log|[WARNING] ME({n}:1403{n}{n}2944,MainProcess):2026-11-22-10:15:30.{n}.{n} [mindspore/train/model.py:{n}]
log|per step time: {n}.{n2} ms, 12:30:45 elapsed, ETA 1:02:03
log|opencv-python             4.10.0.{n2}
log|Successfully installed numpy-1.26.4 msprec-0.1.0.{n2}
log|total params: 13800138000, trainable params: {n}
log|  File "/usr/local/lib/python3.9/site-packages/mindspore/nn/cell.py", line {n}, in __call__
log|driver version 23.0.3.{n2}, CANN 8.0.0.{n2}
log|listening on 127.0.0.1:8080 and 0.0.0.0:{n}
log|saved run_2026-11-22-10-15-{n2}
log|undefined symbol: _ZN9mindspore6kernel15CpuKernelFactory8RegisterERKNSt7__cxx1112basic_stringIcE
log|grad norm {n}.{n2}, tokens: {n}, tokens/s: {n}{n}
md|The token is split into pieces; the key is then looked up in a table of {n} rows.
md|Basic usage: basic training with {n} epochs, basic blocks as in the paper (section 4.2.1.{n2}).
md|A secret of good training is a warm-up of {n} steps; pass the tokens through the encoder.
md|The password is never stored; a token is required to download.
yaml|optimizer: momentum
yaml|tokenizer: bert-base-chinese
yaml|token_embedding_dim: {n}
yaml|keys: [image, label, mask_{n2}]
yaml|key: label_{n2}
yaml|version: 1.2.3.{n2}
yaml|image: ascend/mindspore:2.7.{n2}@sha256:{hex64}
yaml|revision: {hex40}
sh|python train.py --max_tokens {n} --pad_token_id 0 --key image --sort-key len
sh|export GLOG_v=3 MS_DEV_RUNTIME_CONF="a:b" RANK_SIZE={n2}
sh|pip install scikit-learn==1.3.{n2} sk-learn
sh|mkdir -p output/resnet50 && cp -p data/train.csv output/{n}
json|{{"tokens": ["un", "##aff", "##able", "x{n}"], "key": "image"}}
json|{{"packages": {{"opencv-python": "4.10.0.{n2}"}}, "lr": 0.{n}}}
json|{{"sha256": "{hex64}", "shape": [32, 3, 224, {n}]}}
csv|step,token,loss,key|{n},{n},0.{n},label
'''  # fmt: skip


def harmless(count: int = 2000) -> list:
    """(name of the file, a line): half of scripts of this project, half of forms that look like secrets."""
    maker, found, root = Maker(SEED + 1), [], Path(__file__).resolve().parents[1]
    forms = [line.split("|", 1) for line in FORMS.strip().splitlines()]
    while len(found) < count // 2:
        suffix, form = forms[len(found) % len(forms)]
        values = {
            "n": maker.random.randint(100, 999),
            "n2": maker.random.randint(1, 9),
            "uuid": maker.uuid(),
            "b64": maker.base64(150),
        }
        values.update({f"hex{n}": maker.hex(n) for n in (8, 32, 40, 64)})
        line = form.format(**values)
        found.append((f"run/h{len(found)}.{suffix}", line.replace("|", "\n") if suffix == "csv" else line))
    scripts = sorted([*root.glob("tests/cases/*/*/train.py"), *root.glob("examples/*/*.py")])
    lines = [
        line for path in scripts for line in path.read_text(encoding="utf-8").splitlines() if len(line.strip()) > 12
    ]
    lines = sorted(set(lines))
    maker.random.shuffle(lines)
    return found + [(f"run/s{i}.py", line) for i, line in enumerate(lines[: count - len(found)])]


# --- measuring -----------------------------------------------------------------------------------------------------------
def scrubber() -> Scrubber:
    made = Scrubber([USER], [HOST], [], (), [PERSON, CHINESE])
    made.learn(f"/home/{OTHER}/project")
    return made


def cleaned(name: str, text: str) -> tuple:
    """The file's name and text as they would be packed."""
    known = scrubber()
    return known.name_of_file(name), scrubbed(name, text.encode("utf-8"), known).decode("utf-8")


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def measure() -> dict:
    """Secrets that are left, lines that are changed, code that no longer parses."""
    planted, plain = secrets(), harmless()
    left, changed, broken = [], [], []
    for kind, name, text, values in planted:
        new_name, new = cleaned(name, text)
        whole = new.replace("\\n", "\n") + new_name
        if any(value in whole for value in values):
            left.append((kind, name, text, new))
        if name.endswith(".py") and parses(text) and not parses(new):
            broken.append((kind, name, text, new))
    for name, line in plain:
        new = cleaned(name, line + "\n")[1]
        if new != line + "\n":
            changed.append(("harmless", name, line, new))
    return {"planted": planted, "plain": plain, "left": left, "changed": changed, "broken": broken}


def in_tree(folder: Path) -> tuple:
    """(lines, changed lines, files that no longer parse) of the Python files of a folder."""
    lines = changed = broken = 0
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        new = Scrubber().text(text, "x.py", code=True)
        lines += text.count("\n")
        changed += sum(a != b for a, b in zip(text.splitlines(), new.splitlines()))
        broken += parses(text) and not parses(new)
    return lines, changed, broken


def with_detect_secrets(found: dict) -> str:
    """What detect-secrets tells of the same corpus with its default settings, each secret and each harmless line in a file of its own."""
    try:
        from detect_secrets import SecretsCollection
        from detect_secrets.settings import default_settings
    except ImportError:
        return "detect-secrets is not installed"

    def told(name: str, text: str) -> bool:
        path = folder / f"f{PurePosixPath(name).suffix}"
        path.write_text(text, encoding="utf-8")
        collection = SecretsCollection()
        collection.scan_file(str(path))
        return bool(collection.data)

    with default_settings(), tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        secrets_told = sum(told(name, text) for _, name, text, _ in found["planted"])
        alarms = sum(told(name, line + "\n") for name, line in found["plain"])
    return f"detect-secrets: {secrets_told} of {len(found['planted'])} told, {alarms} of {len(found['plain'])} harmless lines taken for secrets"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--show", action="store_true", help="print what is left and what is changed")
    arguments.add_argument("--tree", type=Path, help="a tree of Python files")
    given = arguments.parse_args()
    begin = time.process_time()
    found = measure()
    count = Counter(kind for kind, *_ in found["planted"])
    print(
        f"{len(found['planted'])} secrets of {len(count)} kinds in {len({PurePosixPath(n).suffix for _, n, *_ in found['planted']})} kinds of file"
    )
    print(
        f"left: {len(found['left'])}; harmless lines changed: {len(found['changed'])} of {len(found['plain'])}; no longer parse: {len(found['broken'])}"
    )
    print(f"{time.process_time() - begin:.1f} s")
    if given.show:
        for group in ("left", "changed", "broken"):
            for kind, name, text, new in found[group]:
                print(f"{group.upper()} {kind} | {name} | {text.strip()!r}\n    -> {new.strip()!r}")
    print(with_detect_secrets(found))
    if given.tree:
        print("{}: {} lines, {} changed, {} files no longer parse".format(given.tree, *in_tree(given.tree)))


if __name__ == "__main__":
    main()
