"""What a launch returns, and the part of `triton.compiler` that host code may name."""


class Metadata:
    """`kernel.metadata`: attributes, as in Triton."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def _asdict(self):
        return dict(self.__dict__)

    def __repr__(self):
        return f"KernelMetadata({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class AttrsDescriptor:
    """Older Triton's: which arguments are 1 or divisible by 16. A launch finds that out itself."""

    def __init__(self, *_, **values):
        self.__dict__.update(values)

    @classmethod
    def from_dict(cls, values):
        return cls(**values)


class Assembly(dict):
    """The texts of a compilation, by stage. CUDA's are not among them, and asking for one says what is."""

    def __missing__(self, stage):
        raise KeyError(
            f"{stage}: Hippocamp compiles to WGSL and has no text of this stage; there are {', '.join(self)}"
        )


class CompiledKernel:
    """One specialization of a kernel, launchable with all its arguments by position."""

    def __init__(self, src, metadata_group, hash):
        """With Triton's parameters, for programs that replace it; `of` fills in the rest."""
        self.src, self.metadata_group, self.hash = src, metadata_group, hash

    @classmethod
    def of(cls, jit, key, info, options, constants):
        made = cls(jit, {}, key)
        made._describe(jit, key, info, options, constants)
        return made

    def _describe(self, jit, key, info, options, constants):
        self._jit = jit
        self._options = options
        #: The constexpr arguments that it was compiled for, by position.
        self._constants = constants
        #: Grid that it was last compiled for before a launch; None where that is not known.
        self.operations = None
        self.name = jit.__name__
        # Used as divisors by occupancy computations, hence never 0.
        self.n_regs = max(1, info["registers"])
        self.n_spills = 0
        self.n_max_threads = info["workgroupSize"]
        self.metadata = Metadata(
            name=jit.__name__,
            shared=max(1, info["workgroupBytes"]),
            num_warps=options.get("num_warps", 4),
            num_stages=options.get("num_stages", 3),
            num_ctas=options.get("num_ctas", 1),
            workgroup_size=info["workgroupSize"],
            target=_target(),
        )
        self.asm = Assembly(ttir=info["ttir"], wgsl=info["wgsl"])
        self.kernel = info["wgsl"]
        self.function = key
        self.module = key

    @property
    def shared(self):
        return self.metadata.shared

    @property
    def num_warps(self):
        return self.metadata.num_warps

    def _init_handles(self):
        """Nothing to load: the pipeline is made with the compilation."""

    def launch_metadata(self, grid, stream, *args):
        return None

    def __getitem__(self, grid):
        def runner(*args, stream=None):
            return self._jit._launch(self._all(args), dict(self._options), grid, False)

        return runner

    def _all(self, args):
        """Up to Triton 3.1 such a launch named no constexpr arguments, and much code still does not."""
        names = self._jit.arg_names
        if len(args) + len(self._constants) != len(names):
            return args
        given = iter(args)
        return [self._constants[i] if i in self._constants else next(given) for i in range(len(names))]

    def __repr__(self):
        return f"<CompiledKernel {self.name}>"


def _target():
    from ..runtime.driver import driver

    return driver.active.get_current_target()


class ASTSource:
    """A kernel with its arguments' types: what `triton.compile` takes in place of a launch's values."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.name = fn.__name__
        self.signature = signature
        # Triton keeps them by path: `(index,)` for an argument.
        self.constants = {
            (fn.arg_names.index(key),) if isinstance(key, str) else key: value
            for key, value in (constexprs or {}).items()
        }
        self.attrs = attrs or {}


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles without launching. The target is always this machine's."""
    if not isinstance(src, ASTSource):
        raise NotImplementedError("triton.compile of a file of IR is not available in Hippocamp: pass an ASTSource")
    return src.fn._compile(src.signature, src.constants, src.attrs, dict(options or {}))


def make_backend(target):
    raise NotImplementedError("triton.compiler.make_backend is not available in Hippocamp")
