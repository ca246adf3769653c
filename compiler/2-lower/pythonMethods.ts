/** Methods of Python's own strings and numbers, as far as compile-time code calls them. */
import type { Context } from './context';
import { NONE, bool, describe, int, str, tuple, type Val } from './values';

function text(cx: Context, v: Val | undefined, name: string): string {
  if (v?.kind === 'string') return v.value;
  return cx.fail('HC0107', `${name}() takes a string, got ${v ? describe(v) : 'nothing'}`);
}
function texts(cx: Context, v: Val | undefined, name: string): string[] {
  return v?.kind === 'tuple' ? v.items.map((item) => text(cx, item, name)) : [text(cx, v, name)];
}

const STRING: Readonly<Record<string, (cx: Context, self: string, args: readonly Val[]) => Val>> = {
  startswith: (cx, self, [a]) => bool(texts(cx, a, 'startswith').some((t) => self.startsWith(t))),
  endswith: (cx, self, [a]) => bool(texts(cx, a, 'endswith').some((t) => self.endsWith(t))),
  lower: (_, self) => str(self.toLowerCase()),
  upper: (_, self) => str(self.toUpperCase()),
  strip: (_, self) => str(self.trim()),
  find: (cx, self, [a]) => int(self.indexOf(text(cx, a, 'find'))),
  count: (cx, self, [a]) => {
    const part = text(cx, a, 'count');
    return int(part === '' ? self.length + 1 : self.split(part).length - 1);
  },
  replace: (cx, self, [a, b]) =>
    str(self.replaceAll(text(cx, a, 'replace'), text(cx, b, 'replace'))),
  split: (cx, self, [a]) =>
    tuple((a ? self.split(text(cx, a, 'split')) : self.trim().split(/\s+/)).map(str)),
  join: (cx, self, [a]) => str(texts(cx, a, 'join').join(self)),
};

export function hasPythonMethod(v: Val, name: string): boolean {
  if (v.kind === 'string') return Object.hasOwn(STRING, name);
  return (
    (v.kind === 'int' && name === 'bit_length') || (v.kind === 'float' && name === 'is_integer')
  );
}

export function callPythonMethod(cx: Context, self: Val, name: string, args: readonly Val[]): Val {
  if (self.kind === 'string') return STRING[name]!(cx, self.value, args);
  if (self.kind === 'float') return bool(Number.isInteger(self.value));
  if (self.kind !== 'int') return NONE;
  const size = self.value < 0n ? -self.value : self.value;
  return int(size === 0n ? 0 : size.toString(2).length);
}
