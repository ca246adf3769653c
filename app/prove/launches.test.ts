/** Findings on bounds and races, over the launches of a run. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../../compiler/1-parse/parser';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { launchFor, ramp, requestFor } from '../../compiler/inspect/testing/launches';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { createCompiler } from '../../compiler/pipeline';
import { launchSections } from './launches';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const COPY = `def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i), mask=i < n)
`;
const launch = (n: number, grid: number): LaunchInputs => {
  const request = requestFor(parser, COPY, { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 });
  return launchFor(request, [grid, 1, 1], [{ data: ramp(n) }, { data: ramp(n) }, n]);
};

it('are one an access, the worst of its launches, each sort of launch analysed once', () => {
  const messages: string[] = [];
  const [bounds, races] = launchSections(
    [launch(128, 2), launch(128, 2), launch(100, 2)],
    createCompiler(parser),
    (text) => messages.push(text),
  );
  expect(messages).toHaveLength(2);
  expect(bounds!.findings).toMatchObject([
    {
      verdict: 'fails',
      subject: { kind: 'operation', operation: 'load of x_ptr' },
      message: 'load of element 100 of x_ptr of 100 elements',
      witnesses: [{ name: 'program', value: '(1, 0, 0)' }, {}, { name: 'element', value: '100' }],
    },
    { verdict: 'holds', scope: { kind: 'always' }, subject: { operation: 'store of y_ptr' } },
  ]);
  expect(races!.findings).toMatchObject([{ verdict: 'holds', scope: { kind: 'always' } }]);
});

it('state that a launch is right for its sizes alone, and why', () => {
  const [bounds] = launchSections([launch(128, 2)], createCompiler(parser));
  expect(bounds!.findings[0]).toMatchObject({
    verdict: 'holds',
    scope: { kind: 'launch' },
    notes: ['not decided from the form of the address'],
  });
});
