"""`torch.utils._pytree`: values in nested tuples, lists, dictionaries and named tuples, in one order."""


class TreeSpec:
    """The shape of a tree: what `tree_unflatten` puts values into."""

    def __init__(self, type, context, children):
        self.type, self.context, self.children_specs = type, context, children
        self.num_leaves = 1 if type is None else sum(each.num_leaves for each in children)
        self.num_children = len(children)

    def is_leaf(self):
        return self.type is None

    def unflatten(self, leaves):
        return tree_unflatten(leaves, self)

    def __eq__(self, other):
        return isinstance(other, TreeSpec) and vars(self) == vars(other)

    def __repr__(self):
        if self.is_leaf():
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})"


LeafSpec = TreeSpec


def _children(tree):
    """@returns the node's children and what else describes it; None for a leaf."""
    kind = type(tree)
    if kind in (list, tuple):
        return list(tree), None
    if kind is dict:
        return list(tree.values()), list(tree)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return list(tree), kind
    return None


def tree_flatten(tree, is_leaf=None):
    """@returns leaves, and the TreeSpec that holds them."""
    found = None if is_leaf is not None and is_leaf(tree) else _children(tree)
    if found is None:
        return [tree], TreeSpec(None, None, [])
    children, context = found
    leaves, specs = [], []
    for child in children:
        inner, spec = tree_flatten(child, is_leaf)
        leaves += inner
        specs.append(spec)
    return leaves, TreeSpec(type(tree), context, specs)


def tree_unflatten(leaves, treespec):
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree "
            f"that holds {treespec.num_leaves} items ({treespec})."
        )
    rest = iter(leaves)
    return _built(rest, treespec)


def _built(rest, spec):
    if spec.is_leaf():
        return next(rest)
    children = [_built(rest, each) for each in spec.children_specs]
    if spec.type is dict:
        return dict(zip(spec.context, children))
    return spec.type(*children) if spec.context is spec.type else spec.type(children)


def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


tree_iter = tree_leaves


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """The tree of `func(leaf, …)`; the others have at least its shape."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_up_to(spec, rest) for rest in rests]
    return tree_unflatten(map(func, leaves, *others), spec)


def _up_to(spec, tree):
    if spec.is_leaf():
        return [tree]
    found = _children(tree)
    if type(tree) is not spec.type:
        raise ValueError(f"Node type mismatch; expected {spec.type}, but got {type(tree)}.")
    if len(found[0]) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(found[0])}.")
    children = [tree[key] for key in spec.context] if spec.type is dict else found[0]
    return [leaf for each, child in zip(spec.children_specs, children) for leaf in _up_to(each, child)]


def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(type_or_types, func, tree, is_leaf=None):
    wanted = type_or_types if not callable(type_or_types) or isinstance(type_or_types, type) else None

    def mapped(leaf):
        chosen = isinstance(leaf, wanted) if wanted is not None else type_or_types(leaf)
        return func(leaf) if chosen else leaf

    return tree_map(mapped, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    return any(map(pred, tree_leaves(tree, is_leaf)))
