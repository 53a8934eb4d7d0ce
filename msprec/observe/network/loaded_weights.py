"""Checkpoints that the script loads, and what has become of their values when training begins."""

import os
from pathlib import Path
from typing import Optional

import numpy as np

from msprec.observe.data.datasets import to_array
from msprec.record.checksums import md5_of
from msprec.runtime.cells import is_optimizer_class, parameters_of, unwrap, walk
from msprec.runtime.memory import in_one_place, reference
from msprec.runtime.source_locations import user_place

# values of each parameter that are kept for comparison
SAMPLE = 256
# a layer's name that stands under more prefixes of one file, as an expert's does, says nothing of which is meant
_MOST_PREFIXES = 4
# larger files get no checksum: reading them again would cost seconds
_MOST_BYTES = 1 << 30
_MOST_NAMES = 500


def sample_of(values: np.ndarray) -> np.ndarray:
    """At most `SAMPLE` values, evenly strided, as float64."""
    flat = values.reshape(-1)
    return np.array(flat[:: max(1, flat.size // SAMPLE)][:SAMPLE], dtype=np.float64)


def same_values(a: Optional[np.ndarray], b: Optional[np.ndarray]) -> bool:
    """Whether two samples agree to within the rounding of bfloat16."""
    if a is None or b is None or a.shape != b.shape:
        return False
    scale = float(np.abs(a).max()) if a.size else 0.0
    return bool(np.allclose(a, b, rtol=1e-2, atol=1e-3 * scale, equal_nan=True))


class WeightsObserver:
    """Calls of `load_checkpoint` and `load_param_into_net`, with what was left out and what was kept."""

    def __init__(self, observer) -> None:
        self.observer, self.loads = observer, []
        # id of a file's parameter → (the parameter, file): a renamed dictionary still holds the same objects
        self.origin = {}
        self.running = None
        # of each load: what was put where, and the network that got it
        self.put, self.networks, self.files = {}, {}, {}
        # file → shapes by name, as it was read: the script may take entries out before it loads them
        self.shapes = {}
        self.fates = {}

    def install(self, patches) -> None:
        def watch_load(original):
            def load_checkpoint(ckpt_file_name, net=None, *args, **kwargs):
                outer, self.running = self.running, str(ckpt_file_name)
                try:
                    result = original(ckpt_file_name, net, *args, **kwargs)
                except Exception as error:
                    self.observer.guarded_call(
                        self._failed, "load_checkpoint", str(ckpt_file_name), error, user_place(2)
                    )
                    raise
                finally:
                    self.running = outer
                self.observer.guarded_call(self._loaded, str(ckpt_file_name), net, result, user_place(2))
                return result

            return load_checkpoint

        def watch_into(original):
            def load_param_into_net(net, parameter_dict, *args, **kwargs):
                own = self.observer.guarded_call(_own_memory, net, parameter_dict)
                try:
                    result = original(net, parameter_dict, *args, **kwargs)
                except Exception as error:
                    self.observer.guarded_call(self._failed, "load_param_into_net", self.running, error, user_place(2))
                    raise
                strict = kwargs.get("strict_load", args[0] if args else False)
                self.observer.guarded_call(self._into, net, parameter_dict, own, result, strict, user_place(2))
                return result

            return load_param_into_net

        patches.hook("load_checkpoint", watch_load)
        patches.hook("load_param_into_net", watch_into)

    # --- what happens -------------------------------------------------------------------------------------------
    def _failed(self, function: str, file: Optional[str], error: Exception, place) -> None:
        self._add(function, place, file=file, error=f"{type(error).__name__}: {error}"[:500])

    def _loaded(self, file: str, net, parameters, place) -> None:
        parameters = parameters if isinstance(parameters, dict) else {}
        for value in parameters.values():
            self.origin[id(value)] = (reference(value), file)
        self.shapes[file] = {name: _shape(value) for name, value in parameters.items()}
        entry = self._add("load_checkpoint", place, file=file, parameters=len(parameters), **_checksum(file))
        if entry is not None and net is None:
            samples = {name: _sample(value) for name, value in list(parameters.items())[: 10 * _MOST_NAMES]}
            # what trained before it was read has not got its values from it
            known = len(self.observer.parameters.entries) if self.observer.steps.done else 0
            samples = {name: sample for name, sample in samples.items() if sample is not None}
            self.files[id(entry)] = known, samples, self.shapes[file]

    def _into(self, net, parameters, in_own_memory, result, strict, place) -> None:
        missing, extra = result if isinstance(result, tuple) and len(result) == 2 else (result or [], None)
        own = {p.name: p for _, p, _, _ in parameters_of(net)}
        if extra is None:
            extra = [n for n in parameters if n not in own]
        optimizer = is_optimizer_class(type(net))
        # a training cell holds the optimizer's state too, which a file of weights need not have
        missing = [n for n in missing if optimizer or n in own]
        files = sorted({self.origin[id(v)][1] for v in parameters.values() if self._is_known(v)})
        file = self.running or (files[0] if files else None)
        loaded = [n for n in own if n not in set(missing)]
        in_file = self.shapes.get(file, {})
        entry = self._add(
            "load_param_into_net",
            place,
            file=file,
            parameters=len(parameters),
            network=type(unwrap(net)).__name__,
            optimizer=optimizer,
            network_parameters=len(own),
            loaded=len(loaded),
            in_own_memory=in_own_memory,
            not_loaded=missing,
            not_in_network=list(extra),
            strict=bool(strict),
            missing=_missing(own, missing, {**in_file, **{n: _shape(v) for n, v in parameters.items()}}),
            left_over=[{"name": n, "shape": _shape(parameters.get(n))} for n in extra[:_MOST_NAMES]],
            modules=_modules(net, loaded),
        )
        if entry is not None and not optimizer:
            self.networks[id(entry)] = reference(net)
            known = self.observer.parameters.entries
            if not any(id(own[name]) in known for name in loaded):
                # to see at the first step of this network whether they still have these values
                paths = {p.name: path for path, p, _, _ in parameters_of(net)}
                kept = [(reference(own[n]), n, paths[n], _shape(own[n]), _sample(own[n])) for n in loaded]
                self.put[id(entry)] = len(known), kept

    def _is_known(self, value) -> bool:
        reference = self.origin.get(id(value), (None,))[0]
        return reference is not None and reference() is value

    def _add(self, function, place, **facts) -> Optional[dict]:
        if place is None:
            return None
        entry = {
            "function": function,
            "file": None,
            "parameters": 0,
            "not_loaded": [],
            "not_in_network": None,
            "strict": False,
            **facts,
            "place": place,
            "step": self.observer.steps.done,
        }
        self.loads.append(entry)
        return entry

    # --- what has become of it ----------------------------------------------------------------------------------
    def _fates(self) -> dict:
        """Of each load, what was still there before the first step of its network; final once a step is done."""
        first_values, done = self.observer.parameters.samples, self.observer.steps.done
        fates = dict(self.fates)
        for entry in self.loads if first_values else ():
            fate = None
            if id(entry) in self.put:
                fate = self._fate(*self.put[id(entry)])
            elif id(entry) in self.files:
                fate = self._fate_of_file(*self.files[id(entry)])
            if fate is not None:
                fates[id(entry)] = fate
        if done:
            self.fates = fates
            self.files = {key: held for key, held in self.files.items() if key not in fates}
            self.put = {key: put for key, put in self.put.items() if key not in fates}
        return fates

    def _fate_of_file(self, before: int, samples: dict, shapes: dict) -> Optional[dict]:
        """The same of a file that was read into no network: of the trained parameters or, if it fits better, of a network that is
        called and not trained, as a teacher is.

        Args:
            before: How many trained parameters were known when it was read.
            samples, shapes: Of the file, by name.
        """
        entries, first_values = self.observer.parameters.entries, self.observer.parameters.samples
        later = list(entries)[before:] if before else list(first_values)
        trained = {key: (*first_values[key], _shape(entries[key][0])) for key in later if key in first_values}
        if not trained:
            return None
        called = []
        for root in self.observer.steps.eval_roots:
            own = {id(p): (p.name, _sample(p), _shape(p)) for _, p, _, _ in parameters_of(root)}
            if own and not own.keys() & entries.keys():
                called.append(own)
        fates = []
        for one in (trained, *called):
            own = {name: shape for name, _, shape in one.values()}
            # a layer of another shape has the file's name by chance, as a new head has
            same = {name: sample for name, sample in samples.items() if own.get(name, shapes[name]) == shapes[name]}
            matches = self._matches(same, {key: (name, sample) for key, (name, sample, _) in one.items()})
            fates.append({**matches, "names_alike": _alike(own, shapes)})
        return max(fates, key=lambda one: (one["kept"], one["names_in_network"], one["names_alike"]))

    def _fate(self, before: int, put: list) -> Optional[dict]:
        """``before``: parameters known when they were put in; None where none of them has come to train."""
        samples = self.observer.parameters.samples
        alive = [(reference(), name, path, shape, sample) for reference, name, path, shape, sample in put]
        here = [one for one in alive if one[0] is not None and id(one[0]) in samples]
        if not here:
            return None
        changed = [name for value, name, _, _, sample in here if not same_values(sample, samples[id(value)][1])]
        anew = self._made_anew(alive, here[0], before)
        total = len(here) + len(anew)
        return {"trained": total, "overwritten": [*changed, *anew][:_MOST_NAMES], "kept": len(here) - len(changed)}

    def _made_anew(self, alive: list, one: tuple, before: int) -> list:
        """Names of parameters whose layer gave way to another of the same shapes; one of other shapes is new on purpose.

        ``one`` of those that are still there tells where in the trained network the loaded one stands.
        """
        entries = self.observer.parameters.entries
        value, _, path, *_ = one
        trained = entries[id(value)][1]
        if not trained.endswith(path):
            return []
        prefix = trained[: len(trained) - len(path)]
        new = {entry[1]: entry[0] for entry in list(entries.values())[before:]}
        samples, found, reshaped = self.observer.parameters.samples, [], set()
        for value, name, path, shape, sample in alive:
            if value is not None and id(value) in entries:
                continue
            instead, cell = new.get(prefix + path), path.rpartition(".")[0]
            if instead is None or list(instead.shape) != shape:
                reshaped.add(cell)
            elif not same_values(sample, samples.get(id(instead), ("", None))[1]):
                found.append((name, cell))  # a layer of another kind may have been handed the values
        return [name for name, cell in found if cell not in reshaped]

    @staticmethod
    def _matches(samples: dict, first_values: dict) -> dict:
        """Which trained parameters start with values of the file, by name or by the values themselves."""
        by_sum = {}
        for sample in samples.values():
            by_sum.setdefault(_mark(sample), []).append(sample)
        names = dict(first_values.values())
        here = [name for name in names if name in samples]
        equal = [n for n, s in names.items() if same_values(samples.get(n), s) or _found(by_sum, s)]
        return {"names_in_network": len(here), "kept": len(equal), "trained": len(names)}

    def _used(self, net) -> Optional[bool]:
        """Whether the network that was loaded, or one that holds it or that it holds, was ever run; None: none has run.

        ``net`` None: it is gone, and was not run where those that were are all held.
        """
        steps = self.observer.steps
        roots = [*steps.roots, *steps.eval_roots]
        if net is None:
            return False if roots and steps.holds_all else None
        if not roots:
            return None
        inside = {id(cell) for _, cell in walk(net)}
        return any(id(cell) in inside for root in roots for _, cell in walk(root))

    def facts(self) -> dict:
        listed, fates = [], self._fates()
        for entry in self.loads:
            used = self._used(self.networks[id(entry)]()) if id(entry) in self.networks else None
            listed.append({**entry, "network_used": used, "at_start": fates.get(id(entry))})
        return {"loads": listed}


def _own_memory(net, parameters) -> Optional[int]:
    """How many of the values lie in the memory of the very parameters that they are to be written into."""
    own = {p.name: p for _, p, _, _ in parameters_of(net)}
    return sum(in_one_place(value, own[name]) for name, value in parameters.items() if name in own)


def _alike(own: dict, in_file: dict) -> int:
    """How many parameters of the network have the name and shape of one of the file if one prefix gives way to another.

    Args:
        own, in_file: ``{name: shape}``.
    """
    counts: dict = {}
    heads: dict = {}
    for name, shape in in_file.items():
        for head, tail in _divided(name):
            heads.setdefault((tail, str(shape)), set()).add(head)
    for name, shape in own.items():
        for head, tail in _divided(name):
            others = heads.get((tail, str(shape)), ())
            for other in others if len(others) <= _MOST_PREFIXES else ():
                counts[head, other] = counts.get((head, other), 0) + 1
    return max(counts.values(), default=0)


def _divided(name: str) -> list:
    """The ways to divide a name into a prefix and the name of a layer's parameter, of two parts or more."""
    parts = name.split(".")
    return [(".".join(parts[:at]), ".".join(parts[at:])) for at in range(len(parts) - 1)]


def _found(by_sum: dict, sample: np.ndarray) -> bool:
    varied = sample is not None and sample.size > 3 and float(sample.std()) > 0
    return varied and any(same_values(one, sample) for one in by_sum.get(_mark(sample), []))


def _mark(sample: np.ndarray) -> tuple:
    return sample.size, round(float(sample[0]), 4) if sample.size else None


def _sample(value) -> Optional[np.ndarray]:
    array = to_array(value) if hasattr(value, "asnumpy") else None
    return sample_of(array) if array is not None and array.size and array.dtype.kind in "fiub" else None


def _shape(value) -> Optional[list]:
    shape = getattr(value, "shape", None)
    return list(shape) if shape is not None else None


def _missing(own: dict, missing: list, in_file: dict) -> list:
    """The parameters that got nothing; ``last``: no parameter after it in the network got something."""
    names, lacking = list(own), set(missing)
    end = max((i for i, name in enumerate(names) if name not in lacking), default=-1)
    place = {name: i for i, name in enumerate(names)}
    return [
        {"name": n, "shape": _shape(own.get(n)), "file_shape": in_file.get(n), "last": place.get(n, -1) > end}
        for n in missing[:_MOST_NAMES]
    ]


def _modules(net, loaded: list) -> list:
    """``[first part of the path, parameters, of them loaded]`` of each part of the network, in its order."""
    got, counts = set(loaded), {}
    for path, parameter, _, _ in parameters_of(net):
        count = counts.setdefault(path.split(".")[0], [0, 0])
        count[0] += 1
        count[1] += parameter.name in got
    return [[name, *count] for name, count in list(counts.items())[:_MOST_NAMES]]


def _checksum(file: str) -> dict:
    """Size and MD5 of the file, the latter of files up to 1 GB."""
    try:
        size = os.path.getsize(file)
    except OSError:
        return {}
    if size > _MOST_BYTES:
        return {"bytes": size, "md5": None}
    md5 = md5_of(Path(file))
    return {"bytes": size, "md5": md5} if md5 is not None else {}
