/**
 * The rounding of a program's comparisons as a section of a proof: whether its kernels' errors are
 * those that float32 sums have, beside a reference in float64 (`torch/_derived.py`). A comparison
 * that passes with the errors of sums in float16 fails here.
 */
import { siteLocation } from '../runtime/errors';
import { callText, type EventOf, type Run } from './algebra';
import type { Finding, ProofSection } from './report';

/** The section is absent where no comparison has a verdict. */
export function roundingSections({ events }: Run): ProofSection[] {
  const findings = events.flatMap((event) =>
    event.type === 'comparison' && event.derived ? [findingOf(event)] : [],
  );
  if (findings.length === 0) return [];
  return [{ check: 'rounding', title: 'Rounding', findings, milliseconds: 0 }];
}

function findingOf(comparison: EventOf<'comparison'>): Finding {
  const { id, site, passed, derived } = comparison;
  const { verdict, reason, index, narrow } = derived!;
  const common = {
    subject: { kind: 'comparison', id, call: callText(comparison) } as const,
    location: siteLocation(site),
    message: `${reason.slice(0, 1).toLowerCase()}${reason.slice(1).replace(/\.$/, '')}`,
  };
  if (verdict === 'rounding') return { ...common, verdict: 'holds', scope: { kind: 'run' } };
  // A comparison that fails by itself is the algebra check's. Errors that no rounding explains may
  // be meant: frequencies beside probabilities, an approximation.
  if (verdict === 'unknown' || !passed || !narrow) return { ...common, verdict: 'inapplicable' };
  const witnesses = index ? [{ name: 'element', value: `[${index.join(', ')}]` }] : [];
  return { ...common, verdict: 'fails', witnesses };
}
