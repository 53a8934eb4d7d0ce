"""What MindSpore's functions and objects do to loss, scale and gradients."""

import ast
import re
from typing import Any, Optional

from msprec.source.flow import arithmetic
from msprec.source.flow.abstract_values import (
    GRADIENT,
    NORM,
    PLAIN,
    SCALE,
    ZERO,
    Const,
    GradientOf,
    Lib,
    LibObj,
    Mapping,
    Num,
    Obj,
    OneOf,
    Partial,
    Truth,
    Tup,
    Unknown,
    as_num,
    holds_gradient,
    joined,
    plus,
)
from msprec.source.interpreter import Function
from msprec.source.names import words

ONE = frozenset([1.0])
_CLIP = re.compile(r"clip|clamp", re.IGNORECASE)
#: What adds gradients up over devices leaves their degree as it is.
_REDUCES = re.compile(r"reduc|all_?gather|sync|identity|broadcast", re.IGNORECASE)
_GRADIENT_CLIP = re.compile(
    r"clip_by_(global_)?norm|clip_?grad|ClipByNorm|ClipByGlobalNorm|clip_gradient", re.IGNORECASE
)
#: Names that a loss scale goes by, where its value cannot be read.
SCALE_NAME = re.compile(
    r"^(?:_?(?:dynamic_|static_|cur(?:rent)?_|init(?:ial)?_|grad(?:ient)?_)?(?:loss_?)?scal(?:e|ing)"
    r"(?:_?(?:sense|sens|value|factor_?value))?|scaling_sens|sens|loss_?scale\w*)$",
    re.IGNORECASE,
)

OPTIMIZERS = words(
    """
    Adam AdamWeightDecay SGD Momentum RMSProp Adagrad Adadelta AdaMax AdamOffload Lamb LARS FTRL LazyAdam
    ProximalAdagrad ASGD Rprop thor AdaFactor AdamW NAdam RAdam RMSprop Adamax Muon AdaSumByGradWrapCell
    AdaSumByDeltaWeightWrapCell
    """
)
SCALERS = {"DynamicLossScaler", "StaticLossScaler", "LossScaler"}
MANAGERS = {
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "LossScaleManager",
}
STEP_CELLS = {
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "ForwardValueAndGrad",
    "PipelineCell",
    "_TrainGradAccuWithLossScaleCell",
    "TrainAccuStepsCell",
}

#: Operations that hand their first argument on as far as its degree is concerned.
_SAME = words(
    """
    cast Cast depend Depend identity Identity stop_gradient reshape Reshape flatten Flatten transpose squeeze
    Squeeze expand_dims ExpandDims all_reduce AllReduce AllGather Broadcast mean ReduceMean reduce_mean sum
    ReduceSum reduce_sum AddN addn concat Concat cat stack Stack tuple_to_array tensor Tensor Parameter astype to
    float half copy clone contiguous view asnumpy item value deepcopy mutable array asarray Load load neg Neg
    negative DistributedGradReducer list tuple ParameterTuple sorted reversed hook broadcast_to split Split chunk
    unstack gather slice nan_to_num MirrorOperator VirtualDiv init_data ravel permute swapaxes pad roll tril triu
    masked_fill nansum cumsum unsqueeze float32 scalar_to_array scalar_to_tensor numpy detach fill_ from_numpy
    filter values
    """
)
_ABSOLUTE = words(
    """
    abs Abs norm Norm LpNorm vector_norm matrix_norm reduce_max ReduceMax global_norm L2Loss amax max amin std
    """
)
#: The power that each raises to.
_POWERS = {
    **dict.fromkeys(["square", "Square", "square_", "SquareSumAll", "square_sum", "L2NormSquare", "SquareSumV1"], 2.0),
    **dict.fromkeys(["sqrt", "Sqrt"], 0.5),
    **dict.fromkeys(["rsqrt", "Rsqrt"], -0.5),
    **dict.fromkeys(["reciprocal", "Reciprocal", "inv", "Inv"], -1.0),
}
_PRODUCTS = words("mul Mul multiply tensor_mul scalar_mul mul_ BiasAdd")
_QUOTIENTS = words("div Div divide true_divide RealDiv tensor_div DivNoNan div_no_nan div_ Xdivy")
_DOT = words("dot matmul bmm MatMul BatchMatMul inner vdot tensordot einsum")
_SUMS = words("add Add tensor_add add_ AssignAdd")
_DIFFERENCES = words("sub Sub subtract tensor_sub sub_")
_LIMIT = {"minimum", "Minimum", "maximum", "Maximum", "min", "max", "fmin", "fmax"}
_WHERE = {"where", "select", "Select", "masked_select"}
_COMPARE = words(
    """
    greater Greater less Less gt lt ge le GreaterEqual LessEqual greater_equal less_equal
    """
)
_ONES = {"ones_like", "OnesLike", "ones", "Ones"}
_ZEROS = {"zeros_like", "ZerosLike", "zeros", "Zeros", "new_zeros"}
_FILL = {"fill", "Fill", "full", "full_like", "fillv2", "FillV2"}
_TRUTHS = words(
    """
    all_finite isfinite isnan isinf IsFinite FloatStatus equal Equal logical_not logical_or logical_and LogicalNot
    AllFinite not_equal any all NPUGetFloatStatus isinstance hasattr is_tensor callable allclose array_equal
    init_status init_register
    """
)
_QUIET = words(
    """
    print len id type str repr format info debug warning range shape dtype write Print ScalarSummary
    HistogramSummary add_scalar save_checkpoint setattr append update_value histogram rank size getattr assert_
    summary error set_data ReLU sign Sign
    """
)
_SELF = words(
    """
    set_train set_grad to_float add_flags add_flags_recursive recompute shard set_broadcast_flag get_update_cell
    half to set_auto_parallel set_comm_fusion train eval
    """
)
_JIT = words(
    """
    mindspore.jit mindspore.ms_function mindspore.jit_class mindspore.lazy_inline mindspore.ops.constexpr
    mindspore.recompute mindspore.ms_memory_recycle functools.lru_cache
    """
)


def last(name: str) -> str:
    return name.rpartition(".")[2]


class Semantics:
    """The semantics, for one `Machine`, which runs the project's own code and keeps the events."""

    def __init__(self, machine):
        self.machine = machine

    # --- calls

    def call(self, name: str, args: list, keywords: dict, node) -> Any:
        """A function or class of a library is called."""
        short = last(name)
        if name in ("functools.partial", "mindspore.ops.partial", "mindspore.ops.Partial"):
            return Partial(args[0], args[1:], keywords) if args else LibObj(name, [], {})
        if name in _JIT:
            return args[0] if args and not isinstance(args[0], (Const, Num)) else Lib("msprec.same")
        if name == "msprec.same":
            return args[0] if args else Unknown()
        if short in ("value_and_grad", "grad", "vjp", "get_grad") and name.startswith("mindspore."):
            return self._gradient_function(short, args, keywords)
        if short in ("auto_mixed_precision", "custom_mixed_precision", "data_sink"):
            return args[0] if args else keywords.get("network", Unknown())
        if name.startswith("builtins."):
            return self._builtin(short, args, keywords, node)
        if self._is_class(name, short):
            return self._make(name, short, args, keywords)
        return self.operation(short, args, keywords, node)

    @staticmethod
    def _is_class(name: str, short: str) -> bool:
        if short in ("Tensor", "Parameter", "ParameterTuple"):
            return False
        return short[:1].isupper() or short.lstrip("_")[:1].isupper() or short == "thor"

    def _make(self, name: str, short: str, args: list, keywords: dict) -> Any:
        made = LibObj(name, args, keywords)
        if short in MANAGERS | SCALERS:
            return made
        if short == "CellList" or short == "SequentialCell":
            made.functions = list(args[0].parts) if args and isinstance(args[0], Tup) else list(args)
        return made

    def _gradient_function(self, short: str, args: list, keywords: dict) -> GradientOf:
        function = args[0] if args else keywords.get("fn", Unknown())
        aux = keywords.get("has_aux", args[3] if len(args) > 3 else Const(False))
        gives = "both" if short == "value_and_grad" else "gradients"
        return GradientOf(function, gives, isinstance(aux, Const) and aux.value is True)

    def call_object(self, made: LibObj, args: list, keywords: dict, node) -> Any:
        """An instance of a library's class is called."""
        short = last(made.name)
        machine = self.machine
        if short in ("HyperMap", "Map"):
            return self._map(made, args, node)
        if short == "MultitypeFuncGraph":
            return joined([machine.call(function, args, keywords, node) for function in made.functions]) or Unknown()
        if short == "GradOperation":
            sens = made.argument("sens_param", 2)
            return GradientOf(args[0] if args else Unknown(), sens=isinstance(sens, Const) and sens.value is True)
        if short in OPTIMIZERS:
            return self.update(made, args, node)
        if short in STEP_CELLS:
            return self.stock_step(made, args, node)
        if short in MANAGERS:
            return Truth()
        if short == "Partial":
            return Partial(args[0], args[1:], keywords) if args else Unknown()
        if short in ("WithLossCell", "WithEvalCell", "_VirtualDatasetCell", "MicroBatchInterleaved", "WithGradCell"):
            return self._with_loss(made, args, node)
        if short in ("SequentialCell", "CellList"):
            for cell in made.functions:
                args = [machine.call(cell, args, {}, node)]
            return args[0] if args else Unknown()
        return self.operation(short, args, {**keywords}, node, made)

    def _with_loss(self, made: LibObj, args: list, node) -> Any:
        network, loss = made.argument("backbone", 0), made.argument("loss_fn", 1)
        found = [self.machine.call(network, args[:1], {}, node) if network is not None else Unknown()]
        if loss is not None:
            found = [self.machine.call(loss, [found[0], *args[1:2]], {}, node)]
        value = as_num(found[0])
        return value.but(kind=PLAIN) if value is not None else Num()

    def _map(self, made: LibObj, args: list, node) -> Any:
        function = made.argument("ops", 0)
        if function is None and args:
            function, args = args[0], args[1:]
        if function is None:
            return Unknown()
        elements = [self._element(value) for value in args]
        return self.machine.call(function, elements, {}, node)

    def _element(self, value: Any) -> Any:
        """What stands for each element of a tuple."""
        return joined(value.parts) if isinstance(value, Tup) and value.parts else value

    # --- methods

    def method(self, owner: Any, name: str, args: list, keywords: dict, node) -> Any:
        """A method of what is no object of the project."""
        if isinstance(owner, LibObj):
            found = self._object_method(owner, name, args, keywords, node)
            if found is not None:
                return found
        if isinstance(owner, Tup):
            found = self._list_method(owner, name, args)
            if found is not None:
                return found
        if isinstance(owner, Mapping):
            if name in ("get", "pop") and args and isinstance(args[0], Const):
                return owner.parts.get(args[0].value, args[1] if len(args) > 1 else Unknown())
            if name in ("values", "items"):
                values = list(owner.parts.values())
                return Tup([Tup([Const(k), v]) for k, v in owner.parts.items()] if name == "items" else values)
        if isinstance(owner, Num):
            found = self.operation(name, [owner, *args], keywords, node)
            in_place = name.endswith("_") and not name.endswith("__") and isinstance(found, Num)
            return self.machine.in_place(owner, found, node) if in_place else found
        if isinstance(owner, (LibObj, Lib, Function)) and name in _SELF:
            return owner
        return self.unread(name, [owner, *args], keywords, node, owner)

    def _object_method(self, owner: LibObj, name: str, args: list, keywords: dict, node) -> Any:
        short = last(owner.name)
        if short in SCALERS:
            return self._scaler(owner, name, args, keywords, node)
        if short == "MultitypeFuncGraph" and name == "register":
            return Partial(Lib("msprec.register"), [owner], {})
        if short in MANAGERS and name in ("get_loss_scale", "get_update_cell", "update_loss_scale"):
            return owner if name == "get_update_cell" else self.scale_of(owner)
        if short in OPTIMIZERS and name == "parameters":
            return Unknown("parameters")
        if short == "Model" and name in ("train", "fit"):
            return self._model(owner, args, node)
        if short in ("Model",):
            return Unknown()
        if name in _SELF:
            return owner
        if name == "construct":
            return self.call_object(owner, args, keywords, node)
        return None

    def _scaler(self, owner: LibObj, name: str, args: list, keywords: dict, node) -> Any:
        scale = self.scale_of(owner)
        value = args[0] if args else next(iter(keywords.values()), Unknown())
        if name == "scale":
            return self.scaled(value, scale, False, node)
        if name == "unscale":
            return self.scaled(value, scale, True, node)
        if name in ("scale_value", "get_scale"):
            return scale
        return Unknown()

    def scaled(self, value: Any, scale: Num, divides: bool, node) -> Any:
        """A value or each of several multiplied or divided by the scale."""
        if isinstance(value, Tup):
            return Tup([self.scaled(part, scale, divides, node) for part in value.parts])
        number = as_num(value)
        if number is None:
            number = Num()
        return self.machine.product(number, scale, divides, node)

    def scale_of(self, owner: LibObj) -> Num:
        """The scale that a scaler or manager holds; a constant of 1 scales nothing."""
        given = (
            owner.argument("scale_value", 0) or owner.argument("loss_scale", 0) or owner.argument("loss_scale_value", 0)
        )
        given = given or owner.argument("init_loss_scale", 0)
        number = as_num(given)
        fixed = last(owner.name) in ("StaticLossScaler", "FixedLossScaleManager", "FixedLossScaleUpdateCell")
        if fixed and number is not None and number.value == 1:
            return Num(value=1.0)
        return Num(ONE, SCALE)

    def _list_method(self, owner: Tup, name: str, args: list) -> Any:
        if name in ("append", "insert") and args:
            owner.parts.append(args[-1])
            return Const(None)
        if name == "extend" and args:
            owner.parts += args[0].parts if isinstance(args[0], Tup) else [args[0]]
            return Const(None)
        if name in ("clear",):
            owner.parts.clear()
            return Const(None)
        return None

    # --- whole steps

    def update(self, optimizer: Any, args: list, node) -> Any:
        """The optimizer takes the gradients; MindSpore's own divide them by their ``loss_scale``."""
        number = as_num(args[0]) if args else None
        if isinstance(optimizer, LibObj) and number is not None:
            divisor = as_num(optimizer.keywords.get("loss_scale"))
            if divisor is not None and divisor.value != 1:
                number = arithmetic.multiply(number, divisor, True)
        self.machine.note("update", node, number.degrees if number is not None else None, "", number)
        return Truth()

    def stock_step(self, made: LibObj, args: list, node) -> Any:
        """A training cell of MindSpore's own: it unscales before its optimizer, and clips nothing."""
        network = made.argument("network", 0) or Unknown()
        optimizer, sense = made.argument("optimizer", 1), made.argument("scale_sense", 2) or made.argument("sens", 2)
        short = last(made.name)
        scale = self.sense(sense, short)
        gradients = self.differentiate(network, args, {}, scale, False, node)[1]
        if short != "TrainOneStepCell":
            gradients = self.machine.product(gradients, scale, True, node)
        if isinstance(optimizer, (Obj, LibObj)):
            self.machine.call(optimizer, [gradients], {}, node)
        return Tup([Num(), Truth(), scale]) if short != "TrainOneStepCell" else Num()

    def sense(self, given: Any, short: str = "") -> Num:
        """The scale of a training cell, given as a number, a tensor or an update cell."""
        if isinstance(given, LibObj) and last(given.name) in MANAGERS:
            return self.scale_of(given)
        if given is None or isinstance(given, Const):
            return Num(value=1.0)
        number = as_num(given)
        if number is not None and number.value is not None:
            return Num(value=1.0) if number.value == 1 else Num(ONE, SCALE)
        if number is not None and number.kind == SCALE:
            return number
        return Num(ONE, SCALE)

    def _model(self, model: LibObj, args: list, node) -> Any:
        """``Model.train``: MindSpore's own step around the network; a training cell of the user's is called as it is."""
        network, optimizer = model.argument("network", 0), model.argument("optimizer", 2)
        loss, manager = model.argument("loss_fn", 1), model.keywords.get("loss_scale_manager")
        if network is None:
            return Unknown()
        missing = optimizer is None or isinstance(optimizer, Const)
        if missing:
            self.machine.call(network, [Num(), Num()], {}, node)
            return Unknown()
        inner = network
        if loss is not None and not isinstance(loss, Const):
            inner = LibObj("mindspore.nn.WithLossCell", [network, loss], {})
        if manager is None or isinstance(manager, Const):
            step = LibObj("mindspore.nn.TrainOneStepCell", [inner, optimizer], {})
        elif self._keeps_overflow(manager):
            step = LibObj("mindspore.nn.TrainOneStepCell", [inner, optimizer, self.scale_of(manager)], {})
        else:
            step = LibObj("mindspore.nn.TrainOneStepWithLossScaleCell", [inner, optimizer, manager], {})
        return self.stock_step(step, [Num(), Num()], node)

    @staticmethod
    def _keeps_overflow(manager: Any) -> bool:
        """FixedLossScaleManager(drop_overflow_update=False): the step does not unscale."""
        if not isinstance(manager, LibObj) or last(manager.name) != "FixedLossScaleManager":
            return False
        drop = manager.argument("drop_overflow_update", 1)
        return isinstance(drop, Const) and drop.value is False

    def differentiate(self, function: Any, args: list, keywords: dict, sens: Optional[Num], aux: bool, node) -> tuple:
        """(what the function returned, its gradients)."""
        machine = self.machine
        result = machine.call(function, args, keywords, node)
        outputs = result.parts if isinstance(result, Tup) else [result]
        losses = [as_num(part) for part in (outputs[:1] if aux else outputs)]
        losses = [number for number in losses if number is not None]
        loss = joined(losses) if losses else Num() if self._is_plain(function) else Num(degrees=None)
        degrees = loss.degrees if sens is None else plus(loss.degrees, sens.degrees)
        factor = loss.factor
        if sens is not None and sens.constant:
            factor *= abs(float(sens.value)) or 1.0
        for note in sorted(loss.notes, key=lambda note: (note.spot, sorted(note.degrees or ()), note.factor)):
            machine.note_at("penalty", note.spot, note.degrees, "", Num(factor=note.factor))
        gradients = Num(degrees, GRADIENT, None, factor)
        machine.note("gradient", node, degrees, "", gradients)
        return result, gradients

    @staticmethod
    def _is_plain(function: Any) -> bool:
        """Is it a network that MindSpore or a known library made? Those scale nothing themselves."""
        return isinstance(function, (LibObj, Lib))

    # --- operations

    def _builtin(self, short: str, args: list, keywords: dict, node) -> Any:
        if short in ("tuple", "list"):
            return args[0] if args and not isinstance(args[0], Unknown) else Tup([]) if not args else Unknown()
        if short == "zip":
            return Tup([Tup([self._element(value) for value in args])])
        if short == "enumerate" and args:
            return Tup([Tup([Unknown("index"), self._element(args[0])])])
        if short == "map" and len(args) > 1:
            return self.machine.call(args[0], [self._element(value) for value in args[1:]], {}, node)
        if short in ("sum", "sorted", "reversed", "list", "tuple", "iter", "next") and args:
            number = as_num(args[0])
            return number.but(value=None) if number is not None else Unknown()
        if short in ("min", "max") and args:
            return self._limited(args, node)
        if short == "dict":
            return Mapping(dict(keywords))
        if short in ("float", "int", "abs", "round", "pow"):
            return self.operation(short, args, keywords, node)
        if short == "getattr" and len(args) >= 2 and isinstance(args[1], Const):
            return self.machine.attribute(args[0], str(args[1].value), node)
        if short == "super":
            return Unknown("super")
        if short == "isinstance" and args:
            return self._isinstance(args)
        return Unknown(short)

    @staticmethod
    def _isinstance(args: list) -> Any:
        if isinstance(args[0], (Tup, Obj, LibObj)) and len(args) > 1:
            named = [
                last(part.name)
                for part in (args[1].parts if isinstance(args[1], Tup) else [args[1]])
                if isinstance(part, Lib)
            ]
            if isinstance(args[0], Tup):
                return Const(any(name in ("tuple", "list") for name in named))
            if isinstance(args[0], LibObj) and named:
                known = last(args[0].name) in named or ("Cell" in named)
                return Const(True) if known else Truth()
        return Truth()

    def operation(self, short: str, args: list, keywords: dict, node, made: Optional[LibObj] = None) -> Any:
        """An operation on tensors by its last name, as a function, a method or a primitive object."""
        values = [*args, *[keywords[key] for key in keywords if key in ("input", "other", "x", "y", "divisor")]]
        numbers = [as_num(value) for value in values]
        first = next((number for number in numbers if number is not None), None)
        if short in ("grad_scale", "_grad_scale", "shard_grad_scale") and len(numbers) > 1:
            return self.machine.product(numbers[1] or Num(), numbers[0] or Num(ONE, SCALE), True, node)
        if short in _LIMIT and len([n for n in numbers if n is not None]) > 1:
            return self._limited(values, node)
        if _CLIP.search(short):
            return self.clip(short, values, keywords, node)
        if short in _ONES:
            return Num(value=1.0)
        if short in _ZEROS:
            return Num(value=0.0)
        if short in _FILL:
            return next((number for number in reversed(numbers) if number is not None), Unknown())
        if short in _TRUTHS:
            return Truth()
        if short in _COMPARE:
            return self.machine.comparison(numbers)
        if short in _WHERE and len(values) == 3:
            return self._chosen(values, node)
        if first is None:
            return Num() if made is not None or short not in _QUIET else Unknown(short)
        return self._calculated(short, first, numbers, values, keywords, node, made)

    def _calculated(self, short: str, first: Num, numbers: list, values: list, keywords: dict, node, made) -> Any:
        if short in ("assign", "Assign", "assign_add", "AssignAdd", "set_data", "assign_value", "copy_", "iadd"):
            return self._assigned(values, node)
        if (short in _PRODUCTS or short in _QUOTIENTS) and len(numbers) > 1:
            other = numbers[1] or Num()
            return self.machine.product(numbers[0] or Num(), other, short in _QUOTIENTS, node)
        if short in _DOT and len(numbers) > 1:
            product = arithmetic.multiply(numbers[0] or Num(), numbers[1] or Num())
            return product.but(
                kind=NORM
                if GRADIENT in (getattr(numbers[0], "kind", ""), getattr(numbers[1], "kind", ""))
                else product.kind
            )
        if (short in _SUMS or short in _DIFFERENCES) and len(numbers) > 1:
            if numbers[0] is None or numbers[1] is None:
                return numbers[0] or numbers[1]
            return self.machine.total(numbers[0], numbers[1], short in _DIFFERENCES, node)
        if short in ("pow", "Pow", "float_power") and len(numbers) > 1:
            return arithmetic.power(first, numbers[1].value if numbers[1] is not None else None)
        if short in _POWERS:
            return arithmetic.power(first, _POWERS[short])
        if short in _ABSOLUTE:
            return arithmetic.norm(first)
        if short in ("sign", "Sign", "L2Normalize", "normalize"):
            return Num(notes=first.notes)
        if short in ("log", "exp", "softmax", "sigmoid", "relu", "tanh", "ReLU", "relu_"):
            if first.kind in (GRADIENT, NORM) and short in ("relu", "ReLU", "relu_"):
                return arithmetic.bounded([arithmetic.norm(first), Num(value=0.0)])
            if first.kind not in (GRADIENT, NORM):
                return Num(notes=first.notes)
            return first.but(kind=NORM, value=None)
        if short in _SAME:
            return (
                first
                if not isinstance(values[0], Tup) or short in ("concat", "cat", "stack", "sum", "addn")
                else values[0]
            )
        if first.kind == GRADIENT and short in _QUIET:
            return Unknown(short)
        rest = [number for number in numbers if number is not None]
        found = rest[0]
        for number in rest[1:]:
            found = found if found.kind == GRADIENT else arithmetic.join(found, number)
        if found.kind in (SCALE, PLAIN):
            # a layer, a loss, whatever else: not linear, so that a scaled input (of attention, of pixels) ends here
            return Num(notes=frozenset().union(*(number.notes for number in rest)))
        return found.but(value=None)

    def _assigned(self, values: list, node) -> Any:
        number = as_num(values[1]) if len(values) > 1 else None
        target = values[0]
        if isinstance(target, Num) and number is not None:
            target.absorb(number)
            return target
        return number if number is not None else Unknown()

    def _limited(self, values: list, node) -> Any:
        numbers = [number for number in map(as_num, values) if number is not None]
        if not numbers:
            return Unknown()
        gradients = [number for number in numbers if number.kind == GRADIENT]
        if gradients and len(numbers) > 1:
            limits = [number for number in numbers if number.kind != GRADIENT]
            if limits:
                self._clipped(gradients[0], limits[0], "minimum/maximum", node)
                return gradients[0].but(value=None)
        return arithmetic.bounded(numbers)

    def _chosen(self, values: list, node) -> Any:
        """where(condition, a, b): clipping by hand where the condition compares a gradient's norm with a constant."""
        branches = [number for number in (as_num(values[1]), as_num(values[2])) if number is not None]
        if not branches:
            return Unknown()
        found = joined(branches)
        bound = getattr(values[0], "bound", None)
        if bound is not None:
            if any(number.kind == GRADIENT for number in branches):
                self.machine.note("clip", node, bound, "where", joined([n for n in branches if n.kind == GRADIENT]))
                return next(n for n in reversed(branches) if n.kind == GRADIENT)
            return found.but(bound=bound)
        return found

    def clip(self, short: str, values: list, keywords: dict, node) -> Any:
        """A clipping function: an event where it acts on gradients; on their norm it limits."""
        values = values or list(keywords.values())
        if not values:
            return LibObj(short, [], {})
        run_data = next((value for value in values if holds_gradient(value)), values[0])
        number = as_num(run_data)
        limits = [as_num(value) for value in [*values, *keywords.values()] if value is not run_data]
        limits = [limit for limit in limits if limit is not None and limit is not number]
        if number is None and _GRADIENT_CLIP.search(short) and node is not None and "grad" in ast.unparse(node).lower():
            # gradients, by the name of it, that came from code which was not read
            self.machine.note("clip", node, None, short)
            return Num(None, GRADIENT)
        if number is None or number.kind == PLAIN or number.kind == SCALE:
            return run_data if number is not None else Unknown(short)
        if number.kind == NORM:
            return arithmetic.bounded([number, *limits] if limits else [number, Num()])
        self._clipped(number, next((limit for limit in limits if limit.degrees != ZERO), None), short, node)
        if "clip_grad_norm" in short and short.rstrip("_") == "clip_grad_norm":
            return Tup([run_data, arithmetic.norm(number)]) if not isinstance(run_data, Tup) else run_data
        return run_data

    def _clipped(self, gradients: Num, limit: Optional[Num], what: str, node) -> None:
        degrees = gradients.degrees if limit is None else plus(gradients.degrees, limit.degrees, -1.0)
        self.machine.note("clip", node, degrees, what, gradients)

    def unread(self, name: str, args: list, keywords: dict, node, callee: Any = None) -> Any:
        """Something that was not read is called."""
        values = [*args, *keywords.values()]
        if name.startswith("unscale") or (name == "scale" and isinstance(callee, Unknown)):
            run_data = next((value for value in args if as_num(value) is not None), None)
            if run_data is not None:
                return self.scaled(run_data, Num(ONE, SCALE), name.startswith("unscale"), node)
        if _CLIP.search(name) and any(map(holds_gradient, values)):
            return self.clip(name, values, keywords, node)
        gradient = next((value for value in values if holds_gradient(value)), None)
        if gradient is not None and _REDUCES.search(name):
            return gradient
        if gradient is not None and name not in _QUIET:
            if re.search(r"optim|\bopt\b|^opt", name, re.IGNORECASE):
                return self.update(callee, [gradient], node)
            self.machine.note("opaque", node, None, name, as_num(gradient))
            return as_num(gradient).but(degrees=None, value=None)
        if self.machine.names_scale(name) and not values:
            return Num(ONE, SCALE)
        if name == "clone" and "init" in keywords:  # accumulators beside the parameters
            return Num(value=0.0)
        if _GRADIENT_CLIP.search(name) and "grad" in ast.unparse(node).lower():
            self.machine.note("clip", node, None, name)
            return Num(None, GRADIENT)
        numbers = [number for number in map(as_num, values) if number is not None and number.kind != SCALE]
        if numbers:
            return joined([number.but(value=None) for number in numbers])
        return Unknown(name)


def is_step_base(name: str) -> bool:
    """Is a library's class a training cell?"""
    return last(name) in STEP_CELLS


def is_optimizer_base(name: str) -> bool:
    return last(name) in OPTIMIZERS | {"Optimizer"}


def choices(value: Any) -> list:
    return value.parts if isinstance(value, OneOf) else [value]
