/** A verification in words, for the command's output and the page: no compiler comes along. */
import type { ProgramEvent } from '../events';

type VerificationEvent = Extract<ProgramEvent, { type: 'verification' }>;

export function verificationText(event: VerificationEvent): string {
  const { kernel, verdict, programs, of, seed, first, program, reason, left } = event;
  const some =
    programs === of ? `all ${of} programs` : `${programs} of ${of} programs, seed ${seed}`;
  const atomics = left > 0 ? `; ${left} elements that atomics write are left out` : '';
  switch (verdict) {
    case 'same':
      return `✓ ${kernel}: verified, bit for bit (${some}${atomics})`;
    case 'rounding':
      return `✓ ${kernel}: verified, but for rounding (${some}${atomics})`;
    case 'undecided':
      return `? ${kernel}: not verified: ${reason}`;
    default: {
      const at = first
        ? `${first.argument}[${first.index}] is ${first.after} on the GPU, ${first.before} interpreted`
        : 'memory differs';
      const by = program ? `, program ${program.join(', ')}` : '';
      return `✗ ${kernel}: ${at}${by} (${some}): a fault of Hippocamp or of the driver`;
    }
  }
}
