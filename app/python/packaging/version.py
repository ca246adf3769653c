"""Versions by PEP 440: parsed, and ordered."""

import functools
import re

_PATTERN = re.compile(
    r"^\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>\d*))?"
    r"(?:-(?P<post_bare>\d+)|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_n>\d*))?"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_n>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$",
    re.IGNORECASE,
)
_PRE = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class InvalidVersion(ValueError):
    pass


@functools.total_ordering
class Version:
    def __init__(self, version):
        found = _PATTERN.match(version)
        if found is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        part = found.groupdict()
        self.epoch = int(part["epoch"] or 0)
        self.release = tuple(int(n) for n in part["release"].split("."))
        name = part["pre"] and part["pre"].lower()
        self.pre = (_PRE.get(name, name), int(part["pre_n"] or 0)) if name else None
        self.post = None
        if part["post_bare"] is not None:
            self.post = int(part["post_bare"])
        elif part["post"]:
            self.post = int(part["post_n"] or 0)
        self.dev = int(part["dev_n"] or 0) if part["dev"] else None
        self.local = re.sub(r"[-_]", ".", part["local"].lower()) if part["local"] else None

    major = property(lambda self: self.release[0])
    minor = property(lambda self: (*self.release, 0)[1])
    micro = property(lambda self: (*self.release, 0, 0)[2])
    is_prerelease = property(lambda self: self.pre is not None or self.dev is not None)
    is_postrelease = property(lambda self: self.post is not None)
    is_devrelease = property(lambda self: self.dev is not None)

    @property
    def base_version(self):
        epoch = f"{self.epoch}!" if self.epoch else ""
        return epoch + ".".join(map(str, self.release))

    @property
    def public(self):
        return str(self).split("+")[0]

    def __str__(self):
        text = self.base_version
        if self.pre is not None:
            text += f"{self.pre[0]}{self.pre[1]}"
        if self.post is not None:
            text += f".post{self.post}"
        if self.dev is not None:
            text += f".dev{self.dev}"
        return text + (f"+{self.local}" if self.local else "")

    def __repr__(self):
        return f"<Version({str(self)!r})>"

    def _key(self):
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        # 1.0.dev1 < 1.0a1 < 1.0 < 1.0.post1
        if self.pre is not None:
            stage = (1, *self.pre)
        elif self.dev is not None and self.post is None:
            stage = (0, "", 0)
        else:
            stage = (2, "", 0)
        post = -1 if self.post is None else self.post
        dev = float("inf") if self.dev is None else self.dev
        local = () if self.local is None else tuple(
            (1, int(p), "") if p.isdigit() else (0, 0, p) for p in self.local.split(".")
        )
        return (self.epoch, release, stage, post, dev, self.local is not None, local)

    def __eq__(self, other):
        return isinstance(other, Version) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key() if isinstance(other, Version) else NotImplemented

    def __hash__(self):
        return hash(self._key())


def parse(version):
    return Version(version)
