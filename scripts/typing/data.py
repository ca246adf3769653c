"""The written form of expected data: short, and one kernel a line, so that a change of one can be read.

    python data.py sample IN.json [IN.json …] OUT.json

joins files and keeps one specialization of each kernel (and one that Triton refuses)."""

import json
import sys
from pathlib import Path


def _short(spec):
    """`*float16:16`, `int32`, or {"constexpr": value}; tuples stay as they are."""
    hint = ":16" if spec.get("divisibleBy16") else ""
    if spec["kind"] == "pointer":
        return ("const " if spec.get("readonly") else "") + "*" + spec["dtype"] + hint
    if spec["kind"] == "scalar":
        return spec["dtype"] + hint
    if spec["kind"] == "constexpr":
        value = spec["value"]
        if value["kind"] == "int" and len(value["value"]) < 10:
            return {"constexpr": int(value["value"])}
        if value["kind"] in ("bool", "string"):
            return {"constexpr": value["value"]}
        if value["kind"] == "none":
            return {"constexpr": None}
    return spec


def write(files):
    """JSON: `facts` is the table of the facts that the cases name by number."""
    table = {}

    def number(fact):
        return table.setdefault(fact, len(table))

    lines = []
    for file in files:
        for case in file["cases"]:
            case = {**case, "file": file["file"]}
            if "arguments" in case:
                case["arguments"] = [_short(spec) for spec in case["arguments"]]
            if "facts" in case:
                case["facts"] = {
                    name: {line: [number(fact) for fact in facts] for line, facts in found.items()}
                    for name, found in case["facts"].items()
                }
            lines.append(json.dumps(case, separators=(",", ":"), sort_keys=True))
    facts = json.dumps(list(table), separators=(",", ":"))
    return '{"facts":' + facts + ',\n"cases":[\n' + ",\n".join(lines) + "\n]}\n"


def sample(*paths):
    *sources, out = paths
    table, lines, seen = {}, [], set()
    for source in sources:
        read = json.loads(Path(source).read_text())
        for case in read["cases"]:
            key = case["file"], case["kernel"], case.get("line"), "facts" in case
            if key in seen or "skipped" in case:
                continue
            seen.add(key)
            if "facts" in case:
                case["facts"] = {
                    name: {
                        line: [table.setdefault(read["facts"][n], len(table)) for n in facts]
                        for line, facts in found.items()
                    }
                    for name, found in case["facts"].items()
                }
            lines.append(json.dumps(case, separators=(",", ":"), sort_keys=True))
    facts = json.dumps(list(table), separators=(",", ":"))
    Path(out).write_text('{"facts":' + facts + ',\n"cases":[\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{len(lines)} cases")


if __name__ == "__main__":
    if sys.argv[1:2] != ["sample"] or len(sys.argv) < 4:
        sys.exit(__doc__)
    sample(*sys.argv[2:])
