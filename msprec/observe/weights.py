"""Checkpoints that the script loads."""

from msprec.observe.places import user_place


class WeightsObserver:
    """Calls of `load_checkpoint` and `load_param_into_net`, with what was left out."""

    def __init__(self, observer) -> None:
        self.observer, self.loads = observer, []

    def install(self, patches) -> None:
        from mindspore.train import serialization

        def watch_load(original):
            def load_checkpoint(ckpt_file_name, net=None, *args, **kwargs):
                result = original(ckpt_file_name, net, *args, **kwargs)
                self.observer.quietly(self._loaded, str(ckpt_file_name), net, result, user_place(2))
                return result

            return load_checkpoint

        def watch_into(original):
            def load_param_into_net(net, parameter_dict, *args, **kwargs):
                result = original(net, parameter_dict, *args, **kwargs)
                strict = kwargs.get("strict_load", args[0] if args else False)
                self.observer.quietly(self._into, net, parameter_dict, result, strict, user_place(2))
                return result

            return load_param_into_net

        patches.wrap_function(serialization, "load_checkpoint", watch_load)
        patches.wrap_function(serialization, "load_param_into_net", watch_into)

    def _loaded(self, file: str, net, parameters, place) -> None:
        self._add("load_checkpoint", file, len(parameters or ()), [], None, False, place)

    def _into(self, net, parameters, result, strict, place) -> None:
        missing, extra = result if isinstance(result, tuple) and len(result) == 2 else (result or [], None)
        if extra is None:
            names = {p.name for p in net.get_parameters()}
            extra = [n for n in parameters if n not in names]
        self._add("load_param_into_net", None, len(parameters), list(missing), list(extra), bool(strict), place)

    def _add(self, function, file, count, missing, extra, strict, place) -> None:
        if place is None:
            return
        self.loads.append({
            "function": function, "file": file, "parameters": count, "not_loaded": missing, "not_in_network": extra,
            "strict": strict, "place": place, "step": self.observer.steps.done,
        })  # fmt: skip

    def facts(self) -> dict:
        return {"loads": self.loads}
