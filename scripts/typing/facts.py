"""Facts about TTIR: for every line of the program, which operations of which types stand there.

Only what both front ends must agree on: loads, stores, arithmetic, casts, shapes, products, reductions, and
what loops carry. What is computed from constants alone is left out: where it is folded is no matter.
"""

import re

#: Operations whose name and type are facts. `typing.ts` has the same list.
OPS = re.compile(
    r"(arith\.(addi|subi|muli|divsi|divui|remsi|remui|andi|ori|xori|shli|shrsi|shrui|addf|subf|mulf|divf|"
    r"remf|maxnumf|minnumf|maximumf|minimumf|maxsi|maxui|minsi|minui|cmpi|cmpf|select|extf|truncf|extsi|"
    r"extui|trunci|sitofp|uitofp|fptosi|fptoui)|math\.(exp|exp2|log|log2|sin|cos|sqrt|rsqrt|erf|floor|ceil|"
    r"absf|absi|fma)|tt\.(addptr|load|store|dot|reduce|scan|expand_dims|broadcast|reshape|trans|join|split|"
    r"cat|gather|histogram|make_range|get_program_id|get_num_programs|fp_to_fp|precise_divf|precise_sqrt|"
    r"mulhiui|atomic_rmw|atomic_cas)|scf\.(for|while))$"
)
#: Without effect: constant if their operands are.
PURE = re.compile(r"(arith|math)\.|tt\.(splat|broadcast|expand_dims|reshape|fp_to_fp|trans|bitcast)")

LOC = re.compile(r"loc\((#loc\w*|unknown)\)$")
DEFINITION = re.compile(r"^(#loc\w*) = loc\((.*)\)$")
OPERATION = re.compile(r'^\s*(?:(%[\w.:, %#-]+?) = )?"?([a-z_]+\.[a-z_0-9.]+)"?(.*)$')


def short(type_):
    return type_.strip().replace("tensor<", "", 1)[:-1] if type_.strip().startswith("tensor<") else type_.strip()


def split_types(text):
    """At commas outside of brackets."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "<(":
            depth += 1
        elif c in ">)" and text[i - 1] != "-":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:i])
            start = i + 1
    out.append(text[start:])
    return [short(t) for t in out if t.strip()]


def types_after(name, text):
    """The types that identify an operation: of its results, of a store its pointers."""
    colon = text.rfind(" : ")
    if colon < 0:
        return None
    tail = text[colon + 3 :].strip()
    if name in ("tt.load", "tt.store", "tt.addptr"):
        return split_types(tail)
    if "->" in tail:
        operands, _, results = tail.partition("->")
        results = results.strip()
        if results.startswith("("):
            results = results[1:-1]
        if name in ("tt.reduce", "tt.scan", "tt.dot", "tt.fp_to_fp"):
            operands = operands.strip()
            operands = operands[1:-1] if operands.startswith("(") else operands.replace(" * ", ", ")
            return [*split_types(operands), "->", *split_types(results)]
        return split_types(results)
    if " to " in tail:
        a, _, b = tail.partition(" to ")
        return [short(a), "->", short(b)]
    types = split_types(tail)
    return types[-1:] if name == "arith.select" else types


def unreachable(lines):
    """The lines of blocks that nothing leads to: what stands after a return."""
    dead = set()
    blocks, edges, spans, here = [], {}, {}, None

    def close():
        if not blocks:
            return
        seen, todo = set(), [blocks[0]]
        while todo:
            block = todo.pop()
            if block not in seen:
                seen.add(block)
                todo += edges.get(block, [])
        for block in blocks:
            if block not in seen:
                dead.update(spans[block])

    for number, line in enumerate(lines):
        if line.startswith("  tt.func"):
            blocks, edges, spans = ["entry"], {}, {"entry": []}
            here = "entry"
        elif line.startswith("  }"):
            close()
            blocks, here = [], None
        elif here is not None:
            label = re.match(r"  \^(\w+)", line)
            if label:
                here = label[1]
                blocks.append(here)
                spans[here] = []
            else:
                spans[here].append(number)
                if line.startswith("    cf."):
                    edges.setdefault(here, []).extend(re.findall(r"\^(\w+)", line))
    return dead


def facts_of(text, folder):
    """{file: {line: [fact, …]}}, sorted, each once."""
    locations = {}
    for line in text.splitlines():
        found = DEFINITION.match(line)
        if found:
            locations[found[1]] = found[2]

    def place(ref):
        for _ in range(50):
            body = locations.get(ref)
            if body is None:
                return None
            at = re.match(r'"([^"]*)":(\d+):', body)
            if at:
                return at[1], int(at[2])
            inner = re.search(r"#loc\w*", body)
            if inner is None:
                return None
            ref = inner[0]
        return None

    facts = {}
    dead = unreachable(text.splitlines())
    constants = set()
    stack = []

    def add(name, types, ref):
        at = place(ref)
        if at is None or not at[0].startswith(folder + "/"):
            return
        file = at[0][len(folder) + 1 :]
        fact = " ".join([name, *types])
        facts.setdefault(file, {}).setdefault(str(at[1]), set()).add(fact)

    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if stripped.startswith("#loc") or number in dead:
            continue
        loc = LOC.search(stripped)
        body = stripped[: loc.start()].rstrip() if loc else stripped
        if body.startswith("tt.func"):
            constants = set()
        if stripped.startswith("}") and stack:
            opened = stack.pop()
            if body.endswith("{"):  # `} else {`, `} do {`
                stack.append(opened)
            elif loc and opened:
                name, types = opened
                if types is None:
                    types = types_after(name, body) or []
                if OPS.match(name):
                    add(name, types, loc[1])
            continue
        found = OPERATION.match(body)
        if not found:
            if body.endswith("{"):
                stack.append(None)
            continue
        results, name, rest = found[1], found[2], found[3]
        # Names are unique in their region only.
        inner = re.findall(r"(%[\w.-]+) = ", rest) if body.endswith("{") else []
        for defined in [*re.findall(r"%[\w.#-]+", results or ""), *inner]:
            constants.discard(defined)
        if body.endswith("{"):
            types = None
            if name == "scf.for":
                carried = re.search(r"-> \((.*)\)\s+: ", rest)
                counter = re.search(r": (\w+) \{$", rest)
                types = [counter[1] if counter else "i32", *sorted(split_types(carried[1]) if carried else [])]
            elif name == "scf.while":
                carried = re.search(r" : \((.*?)\) -> ", rest) or re.search(r" : (.*?) -> ", rest)
                types = sorted(split_types(carried[1])) if carried else []
            stack.append((name, types))
            continue
        if name in ("tt.descriptor_load", "tt.descriptor_store") and loc:
            # As a load or store of the tile of pointers that we make.
            text = rest.rpartition(" : ")[2]
            tile = short(text.rpartition("->")[2] if "->" in text else text.rpartition(", ")[2])
            dims, _, element = tile.rpartition("x")
            add(name.replace("descriptor_", ""), [f"{dims}x!tt.ptr<{element}>"], loc[1])
            continue
        if name == "tt.extern_elementwise":
            if loc:
                add("extern", [], loc[1])
            continue
        if name == "arith.constant":
            constants.add(results)
            continue
        operands = re.findall(r"%[\w.#-]+", rest.rpartition(" : ")[0])
        if operands and all(o in constants for o in operands) and PURE.match(name):
            constants.add(results)
            continue
        if not OPS.match(name) or not loc:
            continue
        types = types_after(name, rest)
        if types is None:
            continue
        if name in ("arith.cmpi", "arith.cmpf"):
            name += "." + rest.split()[0].strip(",")
        if name == "tt.atomic_rmw":
            name += "." + rest.split()[0].strip(",")
        add(name, types, loc[1])
    return {
        file: {line: sorted(found) for line, found in sorted(lines.items(), key=lambda kv: int(kv[0]))}
        for file, lines in sorted(facts.items())
    }
