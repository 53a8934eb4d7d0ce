"""Names that a script binds anew after its training mean the trained network while the step is run again."""

import pytest

from msprec.runtime.closure_scan import Bindings


def trained(x):
    return x + 1


def other(x):
    return x - 1


model = trained
factor = 2


def forward(x):
    return factor * model(x)


def test_a_global_name() -> None:
    global model, factor
    bindings = Bindings([forward])
    model, factor = other, 3
    with bindings.as_they_were():
        assert forward(1) == 6, "the function is the first one; what is no function or cell stays as it is"
    assert forward(1) == 0
    model, factor = trained, 2


def test_a_name_of_the_function_around_it() -> None:
    net = trained

    def inner(x):
        return net(x)

    bindings = Bindings([inner])
    net = other
    with pytest.raises(ZeroDivisionError), bindings.as_they_were():
        assert inner(1) == 2
        raise ZeroDivisionError
    assert inner(1) == 0
