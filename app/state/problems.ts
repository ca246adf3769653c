/**
 * Everything wrong with the program in view: the one list that the editor marks, the problems list,
 * the status bar and quick fixes read. Its parts are the check of the text, the compilation in
 * view, and the last run where it was of this text. A mistake that several of them find is listed
 * once.
 */
import { useMemo } from 'react';
import { GUESSED, type Diagnostic } from '../../compiler/diagnostics';
import { useCompilation, type CompilationState } from './compilation';
import { programText, useDocument } from './document';
import type { RunRecord } from './record';
import { useRun } from './run';
import { isStale } from './session';

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** The same words about one line are one complaint, whatever of the line they point at. */
const words = ({ code, message, location: { file, line } }: Diagnostic): string =>
  JSON.stringify([code, message, file, line]);
/** Two sources say one mistake in other words: they have other sizes. */
const place = ({ code, location: { file, line, column } }: Diagnostic): string =>
  JSON.stringify([code, null, file, line, column]);

/** @param sources those that know best first */
export function problemsOf(sources: readonly (readonly Diagnostic[])[]): Diagnostic[] {
  const known = new Set<string>();
  const found = sources.flatMap((source) => {
    const fresh = source.filter(
      (each) => !known.has(place(each)) && !known.has(words(each)) && known.add(words(each)),
    );
    for (const each of fresh) known.add(place(each));
    return fresh;
  });
  return found.sort(
    (a, b) => RANK[a.severity] - RANK[b.severity] || a.location.line - b.location.line,
  );
}

type Compilation = Pick<CompilationState, 'diagnostics' | 'inView' | 'result'>;

/**
 * Problems of the compilation in view: where its arguments are guessed, the check decides what is
 * sure.
 */
function compiledProblems({ inView, result }: Compilation): readonly Diagnostic[] {
  if (!inView || inView.key === null || !result) return [];
  // A name from elsewhere has its meaning when the program runs.
  return result.diagnostics.filter(({ code }) => code !== 'HC0115');
}

/**
 * A guess that found a mistake where the kernel compiles for what it was launched with was wrong.
 */
function checkedProblems({ diagnostics, inView, result }: Compilation): readonly Diagnostic[] {
  const sure = inView?.key !== null && result?.kind === 'compiled';
  return diagnostics.filter(
    ({ notes }) => !sure || !notes.some(({ message }) => message === GUESSED),
  );
}

function problemsIn(
  compilation: Compilation,
  record: RunRecord | null,
  text: string,
): Diagnostic[] {
  const ran = isStale(record, text) ? [] : (record?.diagnostics ?? []);
  return problemsOf([ran, compiledProblems(compilation), checkedProblems(compilation)]);
}

export function currentProblems(): Diagnostic[] {
  return problemsIn(useCompilation.getState(), useRun.getState().record, programText());
}

export function useProblems(): readonly Diagnostic[] {
  const diagnostics = useCompilation((state) => state.diagnostics);
  const inView = useCompilation((state) => state.inView);
  const result = useCompilation((state) => state.result);
  const record = useRun((state) => state.record);
  const text = useDocument((state) => programText(state));
  return useMemo(
    () => problemsIn({ diagnostics, inView, result }, record, text),
    [diagnostics, inView, result, record, text],
  );
}
