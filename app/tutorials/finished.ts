/**
 * Whether a run was of a finished program. A lesson's words about a run ("the same places are
 * loaded twice") are true of its solution; a stub's run shows something else.
 */

/** The text of a function from its `def` on, without what follows it. */
export function functionText(program: string, name: string): string | null {
  const lines = program.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`def ${name}(`));
  if (first < 0) return null;
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => /^[^\s#)]/.test(line));
  return [lines[first]!, ...(end < 0 ? rest : rest.slice(0, end))].join('\n').trimEnd();
}

export interface Finished {
  readonly solution: string;
  /** The text that passed the lesson's checks last. */
  readonly passed: string | null;
}

/** The text does what the lesson requires. */
export function isFinished(text: string, { solution, passed }: Finished): boolean {
  return text === solution || text === passed;
}

/** The kernel does what the lesson says of it: also where it is one that the lesson gives. */
export function isKernelFinished(text: string, kernel: string, finished: Finished): boolean {
  if (isFinished(text, finished)) return true;
  const given = functionText(finished.solution, kernel);
  return given !== null && functionText(text, kernel) === given;
}
