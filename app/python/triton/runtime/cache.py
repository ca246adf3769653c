"""`triton.runtime.cache`: files that programs keep by a key, in the program's own file system. They last as long as
its Python; what Hippocamp keeps of compilations and tunings is elsewhere.
"""

import hashlib
import json
import os
import tempfile

from .. import __version__ as _version


class FileCacheManager:
    """A folder for a key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.cache_dir = os.path.join(tempfile.gettempdir(), "triton_cache", key)

    def _path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._path(filename))

    def get_file(self, filename):
        """The file's path; None where there is no such file."""
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """@returns the path of the written file."""
        data = data if isinstance(data, bytes) else str(data).encode()
        os.makedirs(self.cache_dir, exist_ok=True)
        with open(self._path(filename), "wb") as file:
            file.write(data)
        return self._path(filename)

    def get_group(self, filename):
        """Paths by name, as `put_group` had them; None where one is missing."""
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            group = json.load(file)["child_paths"]
        return group if all(os.path.exists(each) for each in group.values()) else None

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def get_cache_manager(key):
    return FileCacheManager(hashlib.sha256(str(key).encode()).hexdigest())


get_dump_manager = get_override_manager = get_cache_manager


def triton_key():
    """Stands for this Triton in the keys of a cache."""
    return f"hippocamp-{_version}"
