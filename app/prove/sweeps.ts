/**
 * The sweeps of a program (`hippocamp_testing.sweep`) as a section of a proof: a finding for each,
 * with the smallest case that fails.
 */
import type { EventOf, Run } from './algebra';
import { siteLocation } from '../runtime/errors';
import type { Finding, ProofSection } from './report';

/** The section is absent where the program has no sweep. */
export function sweepSections({ events }: Run): ProofSection[] {
  const sweeps = events.filter((event) => event.type === 'sweep');
  if (sweeps.length === 0) return [];
  const findings = sweeps.map(findingOf);
  return [{ check: 'sweep', title: 'Sweeps', findings, milliseconds: 0 }];
}

function findingOf(sweep: EventOf<'sweep'>): Finding {
  const { name, site, passed, refused, left, failure } = sweep;
  const subject = { kind: 'sweep', name } as const;
  const location = failure?.line ? { ...site, line: failure.line } : site;
  const common = { subject, location: siteLocation(location) };
  const notes = [
    ...(refused > 0 ? [`${refused} more cases were refused by the function itself`] : []),
    ...(left > 0 ? [`${left} more cases were not run: the time was over`] : []),
  ];
  if (failure)
    return {
      ...common,
      verdict: 'fails',
      message: failure.message,
      witnesses: [{ name: 'smallest case', value: failure.case }],
      notes,
    };
  if (passed === 0)
    return { ...common, verdict: 'inapplicable', message: 'no case was compared', notes };
  return {
    ...common,
    verdict: 'holds',
    message: `agrees with its reference in ${passed} cases`,
    scope: { kind: 'run' },
    notes,
  };
}
