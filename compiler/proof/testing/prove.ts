/** For tests: the answers about a launch of a kernel in a text. */
import type { Parser } from '../../1-parse/parser';
import { funcAfter } from '../../inspect/funcAfter';
import type { LaunchInputs } from '../../inspect/launch';
import { HEADER, launchFor, requestFor } from '../../inspect/testing/launches';
import type { Compiler } from '../../pipeline';
import { PROOF_PASS } from '../index';
import { proofOf, type Answer, type LaunchProof } from '../report';
import type { Case } from './case';

export function launchOf(parser: Parser, { text, signature, grid, args }: Case): LaunchInputs {
  return launchFor(requestFor(parser, text, signature), grid, args);
}

export function proveInputs(compiler: Compiler, inputs: LaunchInputs): LaunchProof {
  const found = funcAfter(compiler, inputs.request, ({ name }) => name === PROOF_PASS);
  if (!found.ok) throw new Error(found.diagnostics.map(({ message }) => message).join('\n'));
  return proofOf(found.func, inputs);
}

/** The line of the mark `# !`. */
export function markedLine({ text }: Case): number {
  return (HEADER + text).split('\n').findIndex((line) => line.includes('# !')) + 1;
}

/** Every answer, with the lines that it is about. */
export function answersOf({ bounds, races }: LaunchProof): { lines: number[]; answer: Answer }[] {
  return [
    ...bounds.map(({ location, answer }) => ({ lines: [location.line], answer })),
    ...races.map(({ first, second, answer }) => ({
      lines: [first.location.line, second.location.line],
      answer,
    })),
  ];
}
