/** Names in the program's text of the pointers of its loads and stores. */
import { accessKind, rootOf } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { locationKey, type Location } from '../ir/location';

type Files = Readonly<Record<string, string>>;

/** Longer expressions are cut: the line is named beside them. */
const MOST_LETTERS = 40;

/** One access of the text, reached through the same calls; later passes keep both. */
const keyOf = (op: Operation): string => `${accessKind(op)} ${locationKey(op.location)}`;

/**
 * Names the pointer of an access: by its variable (`a_ptrs`), else as it is written
 * (`x_ptr + offsets`), else, within the library's functions, by the kernel's parameter.
 * @param lowered the kernel before any pass, whose values are those of the text.
 */
export function operandNames(lowered: Func, files: Files): (op: Operation) => string | null {
  const names = new Map<string, string | null>();
  walk(lowered.body, (op) => {
    if (accessKind(op) !== null) names.set(keyOf(op), nameOf(op, lowered, files));
  });
  return (op) => names.get(keyOf(op)) ?? parameterName(op, lowered);
}

function nameOf(op: Operation, lowered: Func, files: Files): string | null {
  const pointer = op.operand(0);
  if (op.location.file in files) {
    if (pointer.name) return pointer.name;
    const written = pointer.definition?.location;
    if (written && isWithin(written, op.location)) return textOf(written, files);
  }
  return parameterName(op, lowered);
}

function parameterName(op: Operation, { body }: Func): string | null {
  return body.args[rootOf(op.operand(0), body.args)]?.name ?? null;
}

/** Whether an expression is written inside of the call, not where its value was computed before. */
function isWithin(inner: Location, outer: Location): boolean {
  if (inner.file !== outer.file) return false;
  const [begins, ends] = [
    inner.line - outer.line || inner.column - outer.column,
    outer.endLine - inner.endLine || outer.endColumn - inner.endColumn,
  ];
  return begins >= 0 && ends >= 0;
}

/** The text of a place, on one line. */
function textOf({ file, line, column, endLine, endColumn }: Location, files: Files): string {
  const lines = files[file]!.split('\n').slice(line - 1, endLine);
  lines.push((lines.pop() ?? '').slice(0, endColumn - 1));
  lines[0] = lines[0]!.slice(column - 1);
  const text = lines.join(' ').replace(/\s+/g, ' ');
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}
