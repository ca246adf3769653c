"""Compile errors: Triton's classes, made from the compiler's diagnostics."""

from ..errors import TritonError


class CompilationError(TritonError):
    """A kernel that does not compile. `diagnostics` are the compiler's own."""

    def __init__(self, src=None, node=None, error_message=None):
        self.src = src
        self.node = node
        self.error_message = error_message
        self.diagnostics = []
        message = error_message or ""
        line = getattr(node, "lineno", None)
        if src is not None and line is not None:
            excerpt = src.split("\n")[:line][-12:]
            caret = " " * node.col_offset + "^"
            message = f"at {line}:{node.col_offset}:\n" + "\n".join([*excerpt, caret, message])
        elif src is not None:
            message = f"{src}\n{message}"
        self.message = message
        super().__init__(message)

    @classmethod
    def from_diagnostics(cls, message, diagnostics):
        error = cls(None, None, message)
        error.diagnostics = diagnostics
        if diagnostics:
            error.message = "\n\n".join(show(d) for d in diagnostics)
            # What went wrong without the place, as Triton chains it.
            error.__cause__ = ValueError(message)
        return error

    def __str__(self):
        return self.message


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` that failed."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels cannot use."""


def excerpt(location):
    """'at file:line:column:' with the line and a caret under it."""
    import linecache

    from .._program import PROGRAM_ROOT

    file = location.get("file", "")
    line = location.get("line", 0)
    column = location.get("column", 1)
    text = linecache.getline(PROGRAM_ROOT + file, line) or linecache.getline(file, line)
    head = f"at {file}:{line}:{column}:"
    if not text:
        return head
    text = text.rstrip("\n")
    # Columns count from 1; tabs keep their width under the caret.
    pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    return f"{head}\n{text}\n{pad}^"


def show(diagnostic):
    parts = [excerpt(diagnostic["location"]), diagnostic["message"]]
    for note in diagnostic.get("notes", ()):
        if note.get("location"):
            parts.append(excerpt(note["location"]))
        parts.append("note: " + note["message"])
    return "\n".join(parts)
