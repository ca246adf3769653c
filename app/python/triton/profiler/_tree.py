"""A profile: a tree of scopes and kernels with what was added up in each, and its file, the JSON that Proton
writes and its viewer reads.
"""

import json

#: Metrics of our own in the file: repetitions that were left out, and nanoseconds on the CPU's
#: clock.
LEFT_OUT, ON_CPU = "left out", "time on the CPU (ns)"


class Node:
    __slots__ = ("name", "children", "metrics")

    def __init__(self, name):
        self.name = name
        self.children = {}
        self.metrics = {}

    def child(self, name):
        node = self.children.get(name)
        if node is None:
            node = self.children[name] = Node(name)
        return node

    def add(self, metrics):
        for name, value in metrics.items():
            if isinstance(value, (int, float)):
                self.metrics[name] = self.metrics.get(name, 0) + value

    def inclusive(self, name):
        """The metric of this node and of all below."""
        return self.metrics.get(name, 0) + sum(c.inclusive(name) for c in self.children.values())

    def to_json(self):
        return {
            "frame": {"name": self.name, "type": "function"},
            "metrics": self.metrics,
            "children": [child.to_json() for child in self.children.values()],
        }


def of_json(data):
    node = Node(data["frame"]["name"])
    node.metrics = dict(data.get("metrics", {}))
    for child in data.get("children", ()):
        made = of_json(child)
        node.children[made.name] = made
    return node


def write(root, path):
    with open(path, "w") as file:
        json.dump([root.to_json()], file)


def read(path):
    with open(path) as file:
        return of_json(json.load(file)[0])
