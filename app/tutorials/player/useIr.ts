/**
 * The compilation of a kernel's last launch in the lesson's program, as if for the target of the
 * course's questions: predictions and figures read it.
 */
import { useEffect, useMemo, useState } from 'react';
import type { CompileRequest, CompileResult } from '../../../compiler/program';
import { compileAside } from '../../state/compilation';
import type { RunRecord } from '../../state/record';
import { irRequestOf } from '../predict';

type Settled = Exclude<CompileResult, { readonly kind: 'regroup' }>;

/** By request: questions and figures of a lesson ask about the same few. */
const known = new Map<string, Promise<Settled>>();
const MOST_KNOWN = 16;

function compiled(text: string): Promise<Settled> {
  const found = known.get(text);
  if (found) return found;
  const request = JSON.parse(text) as CompileRequest;
  const made = compileAside(request).then(({ result }) => result);
  made.catch(() => known.delete(text));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, made);
  return made;
}

/** Null while nothing ran, for a kernel that was not launched, and while it compiles. */
export function useIr(record: RunRecord | null, kernel: string | null): Settled | null {
  const [answer, setAnswer] = useState<{ readonly text: string; readonly result: Settled } | null>(
    null,
  );
  const text = useMemo(() => {
    if (record === null || record.outcome === null || kernel === null) return null;
    const request = irRequestOf(record, kernel);
    return request && JSON.stringify(request);
  }, [record, kernel]);
  useEffect(() => {
    if (text === null) return;
    let left = false;
    compiled(text).then(
      (result) => {
        if (!left) setAnswer({ text, result });
      },
      (error: unknown) => console.debug('The kernel could not be compiled:', error),
    );
    return () => {
      left = true;
    };
  }, [text]);
  return answer !== null && answer.text === text ? answer.result : null;
}
