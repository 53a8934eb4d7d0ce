# ruff: noqa
# fmt: off
"""Functions of many shapes."""
def one(n):
    """Says."""
    return (
        n
        + 1
    )
def early(n):
    if n > 1:
        return {
            "a": n,
            "b": [n,
                  n + 1],
        }
    elif n:
        return
    print(n)
def tail_if(n):
    if n:
        x = n
    else:
        x = 2
def tail_if_only(n):
    if n:
        x = (
            n)
def loop(n):
    total = 0
    for i in range(n):
        total += i
def loop_break(n):
    for i in range(n + 3):
        if i == n:
            break
        y = i
def loop_else(n):
    for i in range(3):
        if i == n:
            break
    else:
        print("else",
              n)
def whiles(n):
    while n > 0:
        n -= 1
def forever(n):
    while True:
        n -= 1
        if n < 0:
            break
def nested_loops(n):
    for i in range(n):
        for j in range(n):
            if j == 1:
                break
class C:
    """K"""
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return False
    def method(self, n):
        with self:
            n += 1
            return n
def withs(n):
    with C() as c:
        n = 1
def with_return(n):
    with C() as c, C():
        if n:
            return n
    print(
        "done")
def tries(n):
    try:
        1 / n
    except ZeroDivisionError:
        n = 1
    finally:
        m = 2
def tries_return(n):
    try:
        return 1 / n
    except ZeroDivisionError as error:
        return str(
            error)
    finally:
        m = 2
def tries_else(n):
    try:
        n = 1 / n
    except ZeroDivisionError:
        raise ValueError
    else:
        print(n)
def closure(n):
    k = n
    def inner(a, *b, c=1, **d):
        nonlocal k
        k += a
        return k, n
    return inner(1)
def recursive(n):
    return n * recursive(n - 1) if n > 0 else 1
def comp(n):
    return [
        i * n
        for i in range(n)
        if i
    ]
def boolean(n):
    return (n and
            n + 1 or
            n - 1)
def call(n):
    return one(
        one(n))
def fstring(n):
    return f"{n}{n + 1}"
def lam(n):
    return (lambda: n)()
def gen(n):
    for i in range(n):
        yield i
    return 3
def uses_gen(n):
    return list(gen(n)),
def only_pass(n):
    pass
def const(n):
    return 7
def assign_multi(n):
    x = one(
        n)
def asserted(n):
    assert n >= 0, (
        n)
def dele(n):
    x = n
    del x
def locs(n):
    a = 1
    return sorted(locals())
def nested_try_loop(n):
    for i in range(2):
        try:
            if i == n:
                continue
            return i
        finally:
            z = i
def ifexp(n):
    return (
        n if n
        else
        2)
FUNCTIONS = [one, early, tail_if, tail_if_only, loop, loop_break, loop_else, whiles, forever, nested_loops, C().method, withs, with_return, tries, tries_return, tries_else, closure, recursive, comp, boolean, call, fstring, lam, uses_gen, only_pass, const, assign_multi, asserted, dele, locs, nested_try_loop, ifexp]
