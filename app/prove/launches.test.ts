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

it('look at every launch where the values in memory decide', () => {
  const text = `def gather(x_ptr, at_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + tl.load(at_ptr + i)))
`;
  const signature = { x_ptr: '*fp32', at_ptr: '*i32', y_ptr: '*fp32', BLOCK: 4 } as const;
  const request = requestFor(parser, text, signature);
  const gather = (...at: number[]): LaunchInputs =>
    launchFor(
      request,
      [1, 1, 1],
      [{ data: ramp(8) }, { data: Int32Array.from(at) }, { data: ramp(4) }],
    );
  const messages: string[] = [];
  const [bounds] = launchSections(
    [gather(0, 1, 2, 3), gather(0, 1, 2, 3), gather(0, 8, 2, 3)],
    createCompiler(parser),
    (message) => messages.push(message),
  );
  expect(messages).toHaveLength(2);
  const [checked] = launchSections([gather(0, 1, 2, 3)], createCompiler(parser));
  expect(checked!.findings).toContainEqual(
    expect.objectContaining({
      verdict: 'holds',
      notes: ['the address depends on values in memory: at_ptr (line 7)'],
    }),
  );
  const ran = new Map([[gather(0, 1, 2, 3).key, 3]]);
  const [left] = launchSections([gather(0, 1, 2, 3)], createCompiler(parser), () => {}, ran);
  expect(left!.findings.at(-1)).toMatchObject({
    verdict: 'inapplicable',
    message: '2 more launches with the same tensors not analysed: values in memory may differ',
  });
  expect(bounds!.findings).toContainEqual(
    expect.objectContaining({
      verdict: 'fails',
      message: 'load of element 8 of x_ptr of 8 elements',
    }),
  );
});

it('look at a view of the same shape that begins elsewhere', () => {
  const first = launch(128, 2);
  const args = first.args.map((arg, i) =>
    i === 0 && arg.kind === 'pointer' ? { ...arg, address: arg.address + 4 } : arg,
  );
  const [bounds] = launchSections([first, { ...first, args }], createCompiler(parser));
  expect(bounds!.findings[0]).toMatchObject({
    verdict: 'fails',
    message: 'load of element 127 of x_ptr of 127 elements',
  });
});
