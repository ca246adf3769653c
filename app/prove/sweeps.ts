/**
 * The sweeps of a program (`hippocamp_testing.sweep`) as a section of a proof: a finding for each,
 * with the smallest case that fails.
 */
import type { EventOf, Run } from './algebra';
import type { ProgramEvent } from '../events';
import { siteLocation } from '../runtime/errors';
import type { Finding, ProofSection } from './report';

/** The section is absent where the program has no sweep. */
export function sweepSections({ events }: Run): ProofSection[] {
  const sweeps = events.filter((event) => event.type === 'sweep');
  if (sweeps.length === 0) return [];
  const findings = sweeps.map((sweep) => findingOf(sweep, launchOf(events, sweep)));
  return [{ check: 'sweep', title: 'Sweeps', findings, milliseconds: 0 }];
}

/** The last launch of a sweep: that of its failing case, which it runs once more. */
function launchOf(
  events: readonly ProgramEvent[],
  sweep: EventOf<'sweep'>,
): EventOf<'launch'> | undefined {
  const end = events.indexOf(sweep);
  const start = events.findLastIndex((event, i) => i < end && event.type === 'sweep');
  const within = events.slice(start + 1, end);
  return within.findLast((event): event is EventOf<'launch'> => event.type === 'launch');
}

function findingOf(sweep: EventOf<'sweep'>, launch: EventOf<'launch'> | undefined): Finding {
  const { name, site, passed, refused, left, failure } = sweep;
  const subject = { kind: 'sweep', name } as const;
  // The line that raised it, else the line of the launch.
  const launched = failure && launch ? launch.site : site;
  const location = failure?.line ? { ...site, line: failure.line } : launched;
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
