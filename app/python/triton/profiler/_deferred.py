"""Work that may turn out to be for nothing: a repetition whose result nobody reads.

Guarantee: a program sees the same tensors as if everything had run at once. What is put off runs, in order,
before anything reads or writes a tensor; it is dropped only when the storage that it would write is gone, or
would be written by the same work again.
"""

import weakref


class _Item:
    __slots__ = ("key", "run", "output", "inputs")


class Deferred:
    def __init__(self):
        self.items = []

    def add(self, key, run, output, inputs):
        """`run(storage)` writes `output` whole and reads `inputs`, all storages. The same `key` on the same
        storages is the same work."""
        last = self.items[-1] if self.items else None
        if last and last.key == key and last.output() is output and last.inputs == inputs:
            return
        item = _Item()
        item.key, item.run, item.inputs = key, run, inputs
        item.output = weakref.ref(output, lambda _: self._drop(item))
        self.items.append(item)

    def _drop(self, item):
        if item in self.items:
            self.items.remove(item)

    def catch_up(self):
        while self.items:
            item = self.items.pop(0)
            storage = item.output()
            if storage is not None:
                item.run(storage)
