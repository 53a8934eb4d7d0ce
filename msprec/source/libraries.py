"""Modules that are no part of a user's own project: the two frameworks, widely used libraries, the standard library."""

_WIDELY_USED = """
    mindspore torch torchvision torchaudio numpy scipy pandas sklearn skimage cv2 PIL matplotlib
    seaborn plotly tqdm yaml easydict addict omegaconf hydra requests h5py lmdb tensorboardX
    tensorboard wandb swanlab rich click absl fire termcolor loguru msgpack psutil transformers
    tokenizers sentencepiece jieba nltk datasets librosa soundfile pycocotools shapely rdkit
    networkx Bio sympy numba joblib packaging six attr pydantic gym gymnasium imageio albumentations
    moxing safetensors ml_collections pytest setuptools pkg_resources typing_extensions tabulate
    prettytable regex einops toml msprec torch_npu apex timm jsonlines ftfy tiktoken pydub
    mindspore_gl acl te
"""
_STANDARD = """
    abc argparse ast asyncio base64 bisect builtins calendar cmath codecs collections concurrent
    configparser contextlib copy csv ctypes dataclasses datetime decimal difflib enum errno fnmatch
    fractions functools gc getopt getpass glob gzip hashlib heapq html http importlib inspect io
    itertools json keyword linecache locale logging lzma math mimetypes multiprocessing numbers
    operator os pathlib pickle pickletools pkgutil platform pprint queue random re resource sched
    secrets select selectors shelve shlex shutil signal site socket sqlite3 ssl stat statistics
    string struct subprocess sys sysconfig tarfile tempfile textwrap threading time timeit tokenize
    traceback types typing unicodedata unittest urllib uuid warnings weakref xml zipfile zlib
    __future__
"""
LIBRARIES = frozenset(_WIDELY_USED.split()) | frozenset(_STANDARD.split())
