"""Statements, names, calls and control flow that Triton rejects, or accepts against expectation.

The comment above a kernel says what we answer and for which arguments; `refusals.json` says what Triton
3.8 answers, and at which line.
"""

import triton
import triton.language as tl

PLAIN = 42
ANNOTATED: tl.constexpr = 42
CONSTANT = tl.constexpr(42)
NUMBERS = [1, 2, 3]


def plain_function(x):
    return x


@triton.jit
def undefined_inside(x):
    return x + missing_name


@triton.jit
def one_argument(x):
    return x


@triton.jit
def two_arguments(x, y):
    return x + y


@triton.jit
def keyword_only(x, *, y):
    return x + y


@triton.jit
def branched_on_constexpr(N: tl.constexpr):
    if N == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)


@triton.jit
def branched_at_run_time(n):
    if n == 0:
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)


@triton.jit
def two_returns():
    return tl.arange(0, 4)
    return tl.arange(0, 8)


@triton.jit
def needs_constexpr(N: tl.constexpr):
    return tl.arange(0, N)


@triton.jit
def returns_pair(x):
    return x, x + 1


# HC0103
@triton.jit
def undefined_variable():
    a += 1


# HC0103
@triton.jit
def undefined_name():
    tl.arange(0, 4)
    x = some_name + 1


# HC0103
@triton.jit
def undefined_in_helper():
    tl.arange(0, 4)
    undefined_inside(1)


# HC0104
@triton.jit
def plain_global():
    a = PLAIN


# HC0104
@triton.jit
def annotated_global():
    a = ANNOTATED


# accepted
@triton.jit
def constexpr_global():
    a = CONSTANT


# HC0104
@triton.jit
def list_global():
    a = NUMBERS[0]


# HC0108: x=i32
@triton.jit
def plain_function_called(x):
    y = plain_function(x)


# HC0105
@triton.jit
def misspelt_builtin():
    tl.arrange(0, 4)


# HC0114: n=i32
@triton.jit
def defined_in_one_branch(n):
    if n > 0:
        y = 1
    z = y + 1


# accepted: n=i32
@triton.jit
def defined_in_both_branches(n):
    if n > 0:
        y = 1
    else:
        y = 2
    z = y + 1


# HC0114: n=i32
@triton.jit
def defined_in_loop(n):
    for i in range(n):
        y = i
    z = y + 1


# HC0102: X=*fp32
@triton.jit
def nested_function(X):
    tl.load(X)

    def combine(a, b):
        return a + b


# HC0102: X=*fp32
@triton.jit
def lambda_expression(X):
    tl.load(X)
    f = lambda a: a


# HC0102
@triton.jit
def chained_assignment():
    a = b = 1


# HC0102
@triton.jit
def attribute_assignment():
    x = tl.arange(0, 4)
    x.y = 1


# HC0102
@triton.jit
def element_assignment():
    x = tl.arange(0, 4)
    x[0] = 1


# HC0110: n=i32
@triton.jit
def chained_comparison(n):
    tl.arange(0, 4)
    x = 0 < n < 5


# HC0102: n=i32
@triton.jit
def membership(n):
    x = n in (1, 2)


# HC0111: n=i32
@triton.jit
def break_statement(n):
    for i in range(n):
        if i > 3:
            break


# HC0111: n=i32
@triton.jit
def continue_statement(n):
    for i in range(n):
        continue


# HC0112: n=i32
@triton.jit
def return_in_loop(n):
    for i in range(n):
        if i > 3:
            return


# HC0112: n=i32
@triton.jit
def return_in_while(n):
    i = 0
    while i < n:
        if i > 3:
            return
        i += 1


# HC0102: n=i32
@triton.jit
def for_else(n):
    for i in range(n):
        pass
    else:
        pass


# HC0102: n=i32
@triton.jit
def while_else(n):
    i = 0
    while i < n:
        i += 1
    else:
        pass


# HC0102
@triton.jit
def try_statement():
    tl.arange(0, 4)
    try:
        pass
    finally:
        pass


# HC0102
@triton.jit
def raise_statement():
    tl.arange(0, 4)
    raise ValueError("no")


# HC0102
@triton.jit
def dictionary():
    d = {"a": 1}


# HC0102
@triton.jit
def set_literal():
    d = {1, 2}


# HC0102
@triton.jit
def delete_statement():
    x = 1
    del x


# HC0102
@triton.jit
def global_statement():
    global PLAIN


# HC0102
@triton.jit
def import_statement():
    import math


# HC0102
@triton.jit
def class_statement():
    class Inner:
        pass


# HC0102
@triton.jit
def yield_expression():
    yield 1


# HC0102
@triton.jit
def set_comprehension():
    x = {i for i in (1, 2)}


# HC0102
@triton.jit
def nested_comprehension():
    x = [i + j for i in (1, 2) for j in (1, 2)]


# accepted
@triton.jit
def tuple_comprehension():
    x = [i + 1 for i in (1, 2)]


# HC0102: n=i32
@triton.jit
def comprehension_over_tensor(n):
    x = [i for i in n]


# HC0204
@triton.jit
def matrix_product():
    x = tl.arange(0, 4)
    y = x @ x


# HC0204
@triton.jit
def power_of_tensors():
    x = tl.arange(0, 4)
    y = x**x


# HC0204: n=i32
@triton.jit
def unpack_a_scalar(n):
    a, b = n


# HC0204
@triton.jit
def unpack_too_few():
    a, b, c = (1, 2)


# HC0204
@triton.jit
def unpack_too_many():
    a, b = (1, 2, 3)


# HC0102
@triton.jit
def starred_target():
    a, *b = (1, 2, 3)


# accepted: n=i32
@triton.jit
def walrus(n):
    x = (y := n + 1) + y


# HC0107: n=i32
@triton.jit
def too_many_arguments(n):
    tl.arange(0, 4)
    one_argument(n, n)


# HC0107: n=i32
@triton.jit
def too_few_arguments(n):
    two_arguments(n)


# HC0107: n=i32
@triton.jit
def unknown_keyword(n):
    two_arguments(n, z=1)


# HC0107: n=i32
@triton.jit
def argument_given_twice(n):
    two_arguments(n, n, x=n)


# HC0107: n=i32
@triton.jit
def keyword_only_given_by_place(n):
    keyword_only(n, n)


# HC0107
@triton.jit
def builtin_unknown_keyword():
    tl.arange(0, 4, dtype=tl.int32)


# HC0107
@triton.jit
def builtin_too_few():
    tl.arange(0)


# HC0107
@triton.jit
def builtin_too_many():
    tl.arange(0, 4, 8)


# HC0201: n=i32
@triton.jit
def constexpr_parameter_of_helper(n):
    needs_constexpr(n)


# HC0202
@triton.jit
def second_return_is_dead():
    a = two_returns()
    b = a + tl.arange(0, 8)


# accepted: N==0
@triton.jit
def return_by_constexpr(N: tl.constexpr):
    a = branched_on_constexpr(N)
    b = a + tl.arange(0, 4)


# HC0211: n=i32
@triton.jit
def return_types_differ(n):
    branched_at_run_time(n)


# HC0107: n=i32
@triton.jit
def call_of_a_tensor(n):
    n(1)


# HC0109: n=i32
@triton.jit
def unknown_method(n):
    n.frobnicate()


# HC0109: n=i32
@triton.jit
def unknown_attribute(n):
    x = n.nothing


# HC0109
@triton.jit
def unknown_dtype_attribute():
    x = tl.float32.nothing


# HC0103
@triton.jit
def host_builtin():
    x = sorted((2, 1))


# HC0103
@triton.jit
def open_a_file():
    x = open("name")


# HC0107: n=i32
@triton.jit
def starred_argument_of_a_scalar(n):
    two_arguments(*n)


# accepted: n=i32
@triton.jit
def starred_tuple(n):
    x = two_arguments(*returns_pair(n))


# HC0113
@triton.jit
def loop_over_a_tuple():
    for i in (1, 2, 3):
        pass


# HC0103: n=i32
@triton.jit
def loop_over_enumerate(n):
    for i in enumerate((1, 2)):
        pass


# HC0205
@triton.jit
def float_bound():
    for i in range(2.5):
        pass


# HC0202
@triton.jit
def tile_bound():
    x = tl.arange(0, 4)
    for i in range(x):
        pass


# HC0201: n=i32
@triton.jit
def static_range_of_a_value(n):
    for i in tl.static_range(n):
        pass


# HC0201: n=i32
@triton.jit
def static_range_step_of_a_value(n):
    for i in tl.static_range(0, 4, n):
        pass


# HC0208: n=i32
@triton.jit
def carried_type_changes(n):
    x = 0
    for i in range(n):
        x = x + 1.5


# HC0208: n=i32
@triton.jit
def carried_shape_changes(n):
    x = 0.0
    for i in range(n):
        x = x + tl.zeros((4,), tl.float32)


# HC0208: n=i32
@triton.jit
def carried_type_changes_in_while(n):
    x = 0
    i = 0
    while i < n:
        x = x + 1.5
        i += 1


# HC0212: n=i32 N==4
@triton.jit
def constexpr_assigned_in_loop(n, N: tl.constexpr):
    for i in range(n):
        N = N + 1


# HC0208: n=i32
@triton.jit
def none_assigned_in_loop(n):
    x = None
    for i in range(n):
        x = i


# HC0209: n=i32
@triton.jit
def branches_of_two_types(n):
    if n > 0:
        x = 1
    else:
        x = 1.0


# HC0209: n=i32
@triton.jit
def branch_changes_type(n):
    x = 1
    if n > 0:
        x = 1.5


# HC0209: n=i32
@triton.jit
def ternary_of_two_types(n):
    x = 1 if n > 0 else 1.5


# HC0210
@triton.jit
def tile_as_condition():
    x = tl.arange(0, 4)
    if x > 2:
        pass


# HC0210
@triton.jit
def string_as_condition():
    if "text":
        pass


# HC0210
@triton.jit
def float_as_condition():
    if 1.0:
        pass


# HC0210
@triton.jit
def tuple_as_condition():
    if (1, 2):
        pass


# HC0210
@triton.jit
def string_in_ternary():
    x = 1 if "text" else 2


# HC0210
@triton.jit
def tile_in_while():
    x = tl.arange(0, 4)
    while x > 2:
        x -= 1


# HC0201: N==4
@triton.jit
def constexpr_while(N: tl.constexpr):
    while N > 2:
        pass


# HC0212: N==4
@triton.jit
def constexpr_annotated_twice(N: tl.constexpr):
    N: tl.constexpr = 5


# accepted: N==4
@triton.jit
def constexpr_shadowed(N: tl.constexpr):
    N = 5


# HC0213: N==4
@triton.jit
def static_assertion(N: tl.constexpr):
    tl.static_assert(N == 5, "N must be 5")


# HC0201: n=i32
@triton.jit
def static_assertion_of_a_value(n):
    tl.static_assert(n == 5)


# HC0201
@triton.jit
def static_assertion_of_an_int():
    tl.static_assert(1)


# HC0107
@triton.jit
def static_assertion_without_condition():
    tl.static_assert()


# HC0107: N==4
@triton.jit
def static_assertion_with_keyword(N: tl.constexpr):
    tl.static_assert(N == 4, msg="four")


# accepted: N==4
@triton.jit
def assertion_without_debug(N: tl.constexpr):
    assert N == 5, "N must be 5"


# HC0201: n=i32
@triton.jit
def formatted_print(n):
    tl.device_print(f"value {n}")


# HC0201: n=i32
@triton.jit
def formatted_value(n):
    x: tl.constexpr = f"value {n}"


# accepted: n=i32
@triton.jit
def code_after_return(n):
    if n > 0:
        return
        nothing_defined_here(n)


# accepted: n=i32
@triton.jit
def unused_tensor(n):
    n + 1


# HC0214
@triton.jit
def integer_plus_string():
    0 + "a"


# accepted: n=i32
@triton.jit
def default_values(n):
    two_arguments(n, y=1)
