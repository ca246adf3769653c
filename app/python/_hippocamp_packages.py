"""Wheels that came with a run: unpacked beside our packages, and found before them. What is imported of ours by
then, and is in a wheel, is imported anew.
"""

import importlib
import os
import sys
import zipfile

WHEELS = "/lib/hippocamp-wheels/"
SITE = "/lib/hippocamp-site"
_OURS = ("torch", "triton")


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
    importlib.invalidate_caches()


def _unpack(path):
    """@returns the top names of what can be imported from it."""
    found = set()
    with zipfile.ZipFile(path) as wheel:
        for item in wheel.infolist():
            inner = item.filename
            head, _, rest = inner.partition(".data/")
            if rest and "/" not in head:
                kind, _, rest = rest.partition("/")
                if kind not in ("purelib", "platlib"):
                    continue
                inner = rest
            target = os.path.normpath(os.path.join(SITE, inner))
            # The page looked at it, and so do we: this is what writes.
            if not target.startswith(SITE + "/"):
                raise ImportError(f"{inner} of {os.path.basename(path)} leads out of its folder")
            top = inner.partition("/")[0].partition(".")[0]
            if top in _OURS or item.is_dir():
                continue
            found.add(top)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with wheel.open(item) as source, open(target, "wb") as file:
                while chunk := source.read(2**20):
                    file.write(chunk)
    return found
