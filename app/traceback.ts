/**
 * Whether a note is what Python prints of an exception: its traceback, which may stand behind an
 * exception that has none (a library's own, that this one came from) or inside of a group's, or the
 * place of a syntax error.
 */
export function isTraceback(note: string): boolean {
  return /^( *\+ Exception Group )?Traceback \(most recent call last\)|^ {2}File "/m.test(note);
}
