"""Gluon's layouts: who holds which element of a tile, and where a tile lies in shared memory. A kernel sees one as its
fields, in their order.
"""

from triton.language.core import constexpr


def _plain(value):
    """Without `constexpr`s, also inside of lists."""
    if isinstance(value, constexpr):
        return _plain(value.value)
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


class _Layout:
    """A value of its class's `gluon_fields`; those with a default may be left out."""

    gluon_fields = ()
    _defaults = {}

    def __init__(self, *args, **kwargs):
        name = type(self).__name__
        if len(args) > len(self.gluon_fields):
            raise TypeError(
                f"{name}.__init__() takes {len(self.gluon_fields) + 1} positional arguments but {len(args) + 1} were given"
            )
        given = dict(zip(self.gluon_fields, args))
        for key, value in kwargs.items():
            if key not in self.gluon_fields:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
            if key in given:
                raise TypeError(f"{name}.__init__() got multiple values for argument '{key}'")
            given[key] = value
        missing = [key for key in self.gluon_fields if key not in given and key not in self._defaults]
        if missing:
            raise TypeError(f"{name}.__init__() missing required arguments: {', '.join(missing)}")
        for key in self.gluon_fields:
            object.__setattr__(self, key, _plain(given.get(key, self._defaults.get(key))))
        self._check()

    def _check(self):
        pass

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field '{name}'")

    def _key(self):
        return tuple(_hashable(getattr(self, key)) for key in self.gluon_fields)

    def __eq__(self, other):
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self):
        return hash((type(self).__name__, self._key()))

    def __repr__(self):
        fields = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.gluon_fields)
        return f"{type(self).__name__}({fields})"


class DistributedLayout(_Layout):
    pass


class SharedLayout(_Layout):
    pass


class AutoLayout(DistributedLayout):
    gluon_fields = ("auto",)
    _defaults = {"auto": "auto"}


class CoalescedLayout(DistributedLayout):
    gluon_fields = ("coalesced",)
    _defaults = {"coalesced": "coalesced"}


class BlockedLayout(DistributedLayout):
    gluon_fields = ("size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout")
    _defaults = {"cga_layout": []}

    def _check(self):
        rank = len(self.size_per_thread)
        assert len(self.threads_per_warp) == rank
        assert len(self.warps_per_cta) == rank
        assert len(self.order) == rank

    @property
    def rank(self):
        return len(self.order)


class SliceLayout(DistributedLayout):
    gluon_fields = ("dim", "parent")

    @property
    def rank(self):
        return self.parent.rank - 1


class DistributedLinearLayout(DistributedLayout):
    gluon_fields = ("reg_bases", "lane_bases", "warp_bases", "block_bases", "shape")

    def _check(self):
        for bases in (self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases):
            assert all(len(basis) == len(self.shape) for basis in bases)

    @property
    def rank(self):
        return len(self.shape)


class DotOperandLayout(DistributedLayout):
    gluon_fields = ("operand_index", "parent", "k_width")

    @property
    def rank(self):
        return self.parent.rank


class NVMMADistributedLayout(DistributedLayout):
    gluon_fields = ("version", "warps_per_cta", "instr_shape", "nvmma_cga_layout")
    _defaults = {"nvmma_cga_layout": []}


class SwizzledSharedLayout(SharedLayout):
    gluon_fields = ("vec", "per_phase", "max_phase", "order", "cga_layout")
    _defaults = {"cga_layout": []}

    @property
    def rank(self):
        return len(self.order)


class PaddedSharedLayout(SharedLayout):
    gluon_fields = ("interval_padding_pairs", "offset_bases", "cga_layout", "shape")

    @staticmethod
    def with_identity_for(interval_padding_pairs, shape, order, cga_layout=()):
        """The elements in `order`, and after every interval its padding."""
        shape, order = _plain(list(shape)), _plain(list(order))
        bases = [
            [1 << bit if i == dim else 0 for i in range(len(shape))]
            for dim in order
            for bit in range(shape[dim].bit_length() - 1)
        ]
        return PaddedSharedLayout(interval_padding_pairs, bases, list(cga_layout), shape)


class SharedLinearLayout(SharedLayout):
    gluon_fields = ("offset_bases", "block_bases", "alignment")
    _defaults = {"block_bases": [], "alignment": 16}


class NVMMASharedLayout(SharedLayout):
    gluon_fields = (
        "swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded", "nvmma_shared_cga_layout",
    )  # fmt: skip
    _defaults = {"rank": 2, "transposed": False, "fp4_padded": False, "nvmma_shared_cga_layout": []}


_BY_FIELDS = {
    each.gluon_fields: each
    for each in (
        AutoLayout, CoalescedLayout, BlockedLayout, SliceLayout, DistributedLinearLayout, DotOperandLayout,
        NVMMADistributedLayout, SwizzledSharedLayout, PaddedSharedLayout, SharedLinearLayout, NVMMASharedLayout,
    )
}  # fmt: skip


def of_fields(fields):
    """The class of layouts with these fields; None where there is none."""
    return _BY_FIELDS.get(tuple(fields))
