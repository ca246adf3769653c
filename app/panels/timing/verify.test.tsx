/** A launch that was verified shows the worst of its verifications, and a report. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ProgramEvent } from '../../events';
import { emptyRecord, fold, type RunRecord } from '../../state/record';
import { Verify } from './Verify';

const launch: ProgramEvent = {
  ...{ type: 'launch', id: 1, kernel: 'add', grid: [4, 1, 1], key: 'k' },
  ...{ site: { file: 'a.py', line: 9 }, arguments: [], device: 'webgpu', benchmark: false },
  values: [],
};
const verification = (
  more: Partial<Extract<ProgramEvent, { type: 'verification' }>> = {},
): ProgramEvent => ({
  ...{ type: 'verification', launch: 1, kernel: 'add', site: { file: 'a.py', line: 9 } },
  ...{ milliseconds: 1, report: null, verdict: 'same', programs: 4, of: 4, seed: 1, left: 0 },
  ...{ first: null, program: null, reason: null },
  ...more,
});
const recordOf = (...events: ProgramEvent[]): RunRecord => {
  const record = emptyRecord(1, 1, '');
  for (const event of [launch, ...events]) fold(record, event);
  return record;
};
const page = (record: RunRecord): string =>
  renderToStaticMarkup(<Verify record={record} group={record.groups[0]!} />);

it('offers to verify, and shows the worst of what was found, with its report', () => {
  expect(page(recordOf())).toContain('>Verify</button>');
  expect(page(recordOf(verification()))).toContain('✓ verified');
  const other = { ...verification(), site: { file: 'a.py', line: 10 } } as ProgramEvent;
  expect(page(recordOf(other))).toContain('>Verify</button>');
  const first = { argument: 'out', index: 3, before: 1, after: 2 };
  const different = verification({ verdict: 'different', first, report: 'text' });
  const shown = page(recordOf(verification(), different));
  expect(shown).toContain('✗ differs');
  expect(shown).toContain('>Report</button>');
  expect(shown).toContain('out[3] is 2 on the GPU, 1 interpreted');
});
