"""Options of a launch: which there are, and which change something here (docs/hints.md)."""

#: Options of Triton's CUDA backend. Any other keyword that is not a parameter is an error there and
#: here.
OPTIONS = frozenset(
    """num_warps num_ctas num_stages warp_size maxnreg ptx_version ptx_options ir_override
    enable_fp_fusion enable_reflect_ftz launch_cooperative_grid launch_pdl supported_fp8_dtypes
    deprecated_fp8_dot_operand_dtypes default_dot_input_precision allowed_dot_input_precisions
    max_num_imprecise_acc_default extern_libs debug backend_name sanitize_overflow arch
    instrumentation_mode""".split()
)
#: Launches that differ in the others only are one.
HONOURED = frozenset("num_warps num_stages debug sanitize_overflow".split())
#: The default's values.
_USUAL = {"num_stages": (3,), "num_ctas": (1,), "warp_size": (32,)}


class DefaultWarps(int):
    """`num_warps` of a configuration that gives none: Triton's number, and threads by the compiler's default."""


def states_warps(options):
    """Whether the program itself gives the number of warps."""
    warps = options.get("num_warps")
    return warps is not None and not isinstance(warps, DefaultWarps)


def has_effect(name, value):
    """Whether the option changes the code: of numbers of stages 1 alone does."""
    if name == "num_stages":
        return value is not None and value <= 1
    return name in HONOURED


def without_effect(options):
    """The names of options that were given a value of their own, and change nothing."""
    return [
        name
        for name, value in options.items()
        if not has_effect(name, value) and value not in (None, False) and value not in _USUAL.get(name, ())
    ]
