"""Names that PyTorch has and this subset has not: the error names the nearest one that exists."""


def missing(module, name, known):
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    import difflib

    names = [n for n in known if not n.startswith("_")]
    near = difflib.get_close_matches(name, names, 1, 0.6)
    hint = f"; the nearest name that is: {module}.{near[0]}" if near else ""
    return AttributeError(
        f"module '{module}' has no attribute '{name}' (not available in Hippocamp's torch{hint})"
    )
