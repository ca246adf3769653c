"""Writes expected.json: what PyTorch makes of the cases. Run it with a Python that has torch 2.13 (CPU)."""

import json
import pathlib
import warnings

import torch
from cases import GROUPS, evaluate

warnings.filterwarnings("ignore")
here = pathlib.Path(__file__).parent
lines = []
for group, expressions in GROUPS.items():
    for expression in expressions:
        entry = {"group": group, "case": expression, "expected": evaluate(expression, group, torch)}
        lines.append(json.dumps(entry, separators=(",", ":")))
(here / "expected.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
print(torch.__version__, len(lines), "cases")
