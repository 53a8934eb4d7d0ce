"""`Model`: what it was made of, its training with the callbacks put in, its evaluations."""

import inspect
import sys
from typing import Optional

from msprec.runtime.environment import current_mode
from msprec.runtime.source_locations import place_of_class, user_place


class ModelObserver:
    """Hooks `Model.__init__`, `train`, `fit`, `eval` and `predict`."""

    def __init__(self, observer) -> None:
        self.observer = observer
        self.stack, self.evaluations, self.loss_scales = [], [], {}
        #: Where the script calls the trainings of `Model` that run, the innermost last
        self.places: list = []

    def install(self, patches) -> None:
        patches.hook("model_init", self._watch_init)
        for name in ("train", "fit"):
            patches.hook(f"model_{name}", self._watch_train(name))
        patches.hook("model_eval", self._watch_eval)
        patches.hook("model_predict", self._watch_predict)
        for name in ("model_eval_process", "model_eval_sink"):
            patches.hook(name, self._watch_metrics)

    @property
    def running(self) -> Optional[str]:
        """``train`` inside `Model.train` or `Model.fit`, else None."""
        return "train" if any(name in ("train", "fit") for name, _ in self.stack) else None

    def is_users_call(self, cell) -> bool:
        """Whether a forward call is the script's own: outside `Model`, or in a callback while `Model` trains."""
        if not self.stack:
            return True
        name, model = self.stack[-1]
        return name in ("train", "fit") and cell is not getattr(model, "_eval_network", None)

    def phase_of(self, cell) -> tuple:
        """``(phase, via)`` of a forward call outside any gradient."""
        if self.stack:
            name, model = self.stack[-1]
            if cell is getattr(model, "_eval_network", None):
                return "eval", f"Model.{name}"
            if cell is getattr(model, "_predict_network", None) and name == "predict":
                return "predict", "Model.predict"
        return "forward", "call"

    # --- hooks --------------------------------------------------------------------------------------------------
    def _watch_init(self, original):
        def __init__(model, *args, **kwargs):
            original(model, *args, **kwargs)
            self.observer.guarded_call(self._made, model, original, args, kwargs, user_place(2))

        return __init__

    def _made(self, model, original, args, kwargs, place) -> None:
        given = inspect.signature(original).bind(model, *args, **kwargs)
        given.apply_defaults()
        values = {**given.arguments, **given.arguments.get("kwargs", {})}
        self.observer.precision.note("Model", values.get("amp_level"), None, place)
        loss = values.get("loss_fn")
        if loss is not None:
            self.observer.steps.loss_facts.note_of_model(loss, place)
        manager = values.get("loss_scale_manager")
        if manager is not None:
            self.loss_scales[id(model)] = self._manager_facts(manager, place)

    @staticmethod
    def _manager_facts(manager, place) -> dict:
        dynamic = type(manager).__name__ == "DynamicLossScaleManager"
        return {
            "kind": "dynamic" if dynamic else "fixed",
            "class": type(manager).__name__,
            "initial": float(manager.get_loss_scale()),
            "factor": getattr(manager, "scale_factor", None),
            "window": getattr(manager, "scale_window", None),
            "drop_overflow_update": bool(manager.get_drop_overflow_update()),
            "place": place,
            "floor": 1.0,
        }

    def _watch_train(self, name: str):
        def make(original):
            signature = inspect.signature(original)

            def run(model, *args, **kwargs):
                call = self.observer.guarded_call(self._with_monitors, signature, model, args, kwargs)
                args, kwargs = call if call is not None else (args, kwargs)
                place = user_place(2)
                self.observer.guarded_call(self._note_train, model, name, place)
                self.stack.append((name, model))
                self.places.append(place)
                try:
                    return original(model, *args, **kwargs)
                finally:
                    self.stack.pop()
                    self.places.pop()
                    self.observer.guarded_call(self.observer.model_train_ended)

            return run

        return make

    def _with_monitors(self, signature, model, args, kwargs):
        """The same call with the monitors in front of the user's callbacks, so that a callback that raises hides nothing; None
        where nothing is trained."""
        if _only_computes(model):
            return None
        bound = signature.bind(model, *args, **kwargs)
        given = bound.arguments.get("callbacks")
        listed = [] if given is None else (list(given) if isinstance(given, (list, tuple)) else [given])
        bound.arguments["callbacks"] = [*self.observer.make_monitors(listed), *listed]
        return bound.args[1:], bound.kwargs

    def _note_train(self, model, name: str, place) -> None:
        if _only_computes(model):
            self.observer.steps.style_facts.without_optimizer.append(place)
            return
        scale = self.loss_scales.get(id(model))
        network = getattr(model, "_network", None)
        self.observer.steps.style_facts.of_models.append(
            {
                "style": "model",
                "class": None,
                "function": f"Model.{name}",
                "mode": current_mode(),
                "place": place,
                "loss_scale": scale,
                "network_place": place_of_class(type(network)) if network is not None else None,
            }
        )

    def _watch_eval(self, original):
        def eval(model, *args, **kwargs):
            self.observer.guarded_call(self.observer.steps.close_open)
            self.stack.append(("eval", model))
            try:
                return original(model, *args, **kwargs)
            finally:
                self.stack.pop()

        return eval

    def _watch_metrics(self, original):
        def _eval_process(model, *args, **kwargs):
            result = original(model, *args, **kwargs)
            self.observer.guarded_call(self._evaluated, result, user_place(2))
            return result

        return _eval_process

    def _evaluated(self, metrics, place) -> None:
        """Records the metrics of one evaluation, as numbers where they are numbers."""
        plain = {str(k): _number(v) for k, v in dict(metrics or {}).items()}
        via = f"Model.{self.stack[-1][0]}" if self.stack else "Model.eval"
        self.evaluations.append(
            {
                "step": self.observer.steps.done,
                "epoch": self.observer.datasets.epoch,
                "metrics": plain,
                "place": place,
                "via": via,
            }
        )

    def _watch_predict(self, original):
        def predict(model, *args, **kwargs):
            self.stack.append(("predict", model))
            try:
                return original(model, *args, **kwargs)
            finally:
                self.stack.pop()
                steps = self.observer.steps.updated
                self.observer.guarded_call(self.observer.evaluating.assigned.predicted, sys._getframe(1), steps)

        return predict

    def facts(self) -> dict:
        return {"evaluations": self.evaluations}


def _only_computes(model) -> bool:
    """Whether a model has a loss and no optimizer: ``train`` computes the loss of each batch and changes no weight."""
    return getattr(model, "_loss_fn", None) is not None and getattr(model, "_optimizer", None) is None


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)[:200]
