"""`tabulate.tabulate` in its simple format, which tutorial 04 prints with."""


def _cell(value):
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def tabulate(rows, headers=(), tablefmt="simple", **_):
    rows = [list(r) for r in rows]
    headers = list(headers)
    if headers == ["firstrow"] or headers == list("firstrow"):
        headers, rows = rows[0], rows[1:]
    columns = max([len(r) for r in rows] + [len(headers)], default=0)
    rows = [r + [""] * (columns - len(r)) for r in rows]
    numeric = [
        bool(rows) and all(isinstance(r[i], (int, float)) for r in rows) for i in range(columns)
    ]
    cells = [[_cell(r[i]) for r in rows] for i in range(columns)]
    headers = [""] * (columns - len(headers)) + [str(h) for h in headers] if headers else []
    widths = []
    for i in range(columns):
        width = max([len(c) for c in cells[i]] or [0])
        if headers:
            width = max(width, len(headers[i]) + 2 if len(headers[i]) else 0)
        widths.append(width)
    put = lambda text, i: text.rjust(widths[i]) if numeric[i] else text.ljust(widths[i])  # noqa: E731
    rule = "  ".join("-" * w for w in widths)
    lines = []
    if headers:
        lines.append("  ".join(put(h, i) for i, h in enumerate(headers)).rstrip())
    lines.append(rule)
    lines += ["  ".join(put(cells[i][r], i) for i in range(columns)).rstrip() for r in range(len(rows))]
    if not headers:
        lines.append(rule)
    return "\n".join(lines)
