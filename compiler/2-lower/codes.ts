/**
 * The codes of parsing and lowering: those of the catalogue (`docs/diagnostics`), and what they
 * depend on.
 */
import type { Code } from '../codes';

export { CODES, MESSAGES, type Code } from '../codes';

/**
 * Codes of errors that depend on the dtypes of arguments: where those are only guessed from the
 * text, such an error may be the guess's fault.
 */
export const TYPE_CODES: ReadonlySet<string> = new Set<Code>([
  'HC0204',
  'HC0205',
  'HC0206',
  'HC0207',
  'HC0208',
  'HC0209',
  'HC0211',
  'HC0215',
]);
