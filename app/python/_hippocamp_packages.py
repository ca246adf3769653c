"""Wheels that came with a run: unpacked beside our packages, and found before them. What is imported of ours by
then, and is in a wheel, is imported anew.

Guarantee: a wheel brings nothing that is Hippocamp's own or of another package that is shipped, and Python's library
stays Python's. The page looks at the list of files, too, by another reader of archives, so this one decides.
"""

import importlib
import os
import sys
import zipfile

WHEELS = "/lib/hippocamp-wheels/"
SITE = "/lib/hippocamp-site"
LIBRARY = "/lib/hippocamp"

#: Never a wheel's, whatever its name: programs and the truth of what is said of them rest on these.
_OURS = set(
    """helion hippocamp_testing js pyodide pyodide_js _pyodide _pyodide_core torch triton triton_viz
    tritonparse""".split()
)
#: Bytes and files of a wheel, unpacked.
_MOST_UNPACKED = 500_000_000
_MOST_FILES = 20_000


def install(names):
    """`names`: of files in WHEELS."""
    os.makedirs(SITE, exist_ok=True)
    found = set()
    for name in names:
        found |= _unpack(os.path.join(WHEELS, os.path.basename(name)))
    if SITE not in sys.path:
        place = sys.path.index("/lib/hippocamp") if "/lib/hippocamp" in sys.path else len(sys.path)
        sys.path.insert(place, SITE)
    for module in list(sys.modules):
        if module.partition(".")[0] in found:
            del sys.modules[module]
    if "matplotlib" in found:
        # Its figures go to the output. The environment is put back after the run.
        os.environ.setdefault("MPLBACKEND", "module://_hippocamp_matplotlib")
    importlib.invalidate_caches()


def _unpack(path):
    """@returns the top names of what can be imported from it. @raises ImportError where it may not be."""
    found = set()
    file_name = os.path.basename(path)
    shipped = {name.partition(".")[0] for name in os.listdir(LIBRARY)}
    with zipfile.ZipFile(path) as wheel:
        items = wheel.infolist()
        if len(items) > _MOST_FILES or sum(item.file_size for item in items) > _MOST_UNPACKED:
            raise ImportError(f"{file_name} unpacks to more than is taken")
        places = [(item, _place(item.filename, file_name)) for item in items if not item.is_dir()]
        tops = {item: place.partition("/")[0].partition(".")[0] for item, place in places if place}
        # Nothing is written of a wheel that is refused.
        for top in set(tops.values()):
            own = top in shipped and _normalized(top) != _normalized(file_name.partition("-")[0])
            if own or top in _OURS or top.startswith("_hippocamp"):
                raise ImportError(f"{file_name} was refused: it brings {top}, which is Hippocamp’s own here")
        for item, place in places:
            # Python's library comes before packages everywhere; Pyodide ships pydoc_data apart.
            top = tops.get(item)
            if not place or top == "__main__" or (top in sys.stdlib_module_names and top != "pydoc_data"):
                continue
            found.add(top)
            target = os.path.join(SITE, place)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with wheel.open(item) as source, open(target, "wb") as file:
                while chunk := source.read(2**20):
                    file.write(chunk)
    return found


def _place(name, file_name):
    """Where a file of the wheel goes, from SITE; None for one that is no module or data of a package."""
    head, _, rest = name.partition(".data/")
    if rest and "/" not in head:
        kind, _, name = rest.partition("/")
        if kind not in ("purelib", "platlib"):
            return None
    target = os.path.normpath(os.path.join(SITE, name))
    if not target.startswith(SITE + "/"):
        raise ImportError(f"{name} of {file_name} leads out of its folder")
    return target[len(SITE) + 1 :]


def _normalized(name):
    return name.lower().replace("_", "-").replace(".", "-")
