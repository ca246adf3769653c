"""Compile errors: Triton's classes, made from the compiler's diagnostics."""

import re
import warnings

from ..errors import TritonError


class CompilationError(TritonError):
    """A kernel that does not compile: `src` is the function's text from its `def` on, `node` the place in
    it (`lineno` from 1, `col_offset` from 0). `diagnostics` are the compiler's own.
    """

    source_line_count_max_in_message = 12

    def __init__(self, src=None, node=None, error_message=None):
        self.src = src
        self.node = node
        self.error_message = error_message
        self.diagnostics = []
        self.message = self._format_message()
        super().__init__(self.message)

    def _format_message(self):
        line = getattr(self.node, "lineno", None)
        text = self.src if self.src is not None else " <source unavailable>"
        if line is not None:
            if self.src is not None:
                lines = self.src.split("\n")[:line][-self.source_line_count_max_in_message :]
                text = "\n".join([*lines, " " * self.node.col_offset + "^"]) if lines else " <source empty>"
            where = getattr(self.node, "where", "")
            text = f"at {line}:{self.node.col_offset}:{where}\n{text}"
        return f"{text}\n{self.error_message}" if self.error_message else text

    @classmethod
    def from_diagnostics(cls, message, diagnostics):
        """The first error, with an error for each call that led to it around it, as Triton chains them."""
        if not diagnostics:
            return cls(None, None, message)
        first = next((d for d in diagnostics if d["severity"] == "error"), diagnostics[0])
        error = cls(*_place(first["location"]), first["message"])
        hints = [n["message"] for n in first.get("notes", ()) if not n.get("location")]
        error.message = "\n".join([error.message, *hints])
        # An exception of a function of Triton, without the place; the compiler's own errors have no
        # cause.
        if first["code"] not in _OWN:
            error.__cause__ = _raised(re.split(r", got |\. ", first["message"])[0])
        for note in first.get("notes", ()):
            if not note.get("location"):
                continue
            inner = error
            error = cls(*_place(note["location"]), inner.error_message)
            error.message = error.message.removesuffix(inner.error_message) + inner.message
            error.__cause__ = inner
        error.diagnostics = diagnostics
        return error

    def __str__(self):
        return self.message

    def __reduce__(self):
        return type(self), (self.src, self.node, self.error_message)


def _raised(message):
    """The error of a function of `triton.language`, with the traceback of one that raised it."""
    from ..language.core import _refuse

    try:
        _refuse(message)
    except ValueError as error:
        return error


class Place:
    """What an `ast.AST` of Triton's says of itself."""

    def __init__(self, lineno, col_offset, where):
        self.lineno = lineno
        self.col_offset = col_offset
        #: The place in the file, behind the place in the function.
        self.where = where


def _place(location):
    """The function around a location, from its `def` on, and the place in it."""
    import linecache

    from .._program import PROGRAM_ROOT

    file, line, column = location.get("file", ""), location.get("line", 1), location.get("column", 1)
    lines = linecache.getlines(PROGRAM_ROOT + file) or linecache.getlines(file)
    where = f" ({file}:{line})"
    for start in range(min(line, len(lines)) - 1, -1, -1):
        found = re.match(r"([ \t]*)(async )?def ", lines[start])
        if not found or (start < line - 1 and not _inside(lines, start, line - 1, found[1])):
            continue
        indent = len(found[1])
        text = "".join(each[indent:] if each.strip() else "\n" for each in lines[start:])
        return text, Place(line - start, max(0, column - 1 - indent), where)
    return None, Place(line, column - 1, where)


def _inside(lines, start, line, indent):
    """Whether a line belongs to the function that starts at `start`."""
    for each in lines[start + 1 : line + 1]:
        text = each.lstrip()
        if text and text[0] not in "#)" and len(each) - len(text) <= len(indent):
            return False
    return True


#: Codes of what Triton's compiler says of the program's form, in no call.
_OWN = frozenset("HC0101 HC0102 HC0103 HC0104 HC0110 HC0111 HC0112 HC0210 HC0213 HC0214".split())


class CompilationWarning(UserWarning):
    """Of the compiler. It is shown as a diagnostic at its line, so Python does not print it again."""


def _leave_out_compilations():
    shown = warnings.showwarning

    def show(message, category, *rest, **more):
        if category is not CompilationWarning:
            shown(message, category, *rest, **more)

    warnings.showwarning = show


_leave_out_compilations()


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` that failed."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels cannot use."""
