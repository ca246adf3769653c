/**
 * The diagnostics of one lowering, in their order: each message once at a place, and no more than
 * `MAX_ERRORS`.
 */
import type { Diagnostic } from '../diagnostics';
import { Abandoned, MAX_ERRORS } from './limits';

export class Reports {
  readonly #diagnostics: Diagnostic[] = [];
  /** Messages already reported, by their place. */
  readonly #reported = new Set<string>();
  #errors = 0;

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }
  /** How many errors were reported. */
  get errors(): number {
    return this.#errors;
  }
  /** @throws Abandoned after too many errors. */
  add(diagnostic: Diagnostic): void {
    const { code, message, location } = diagnostic;
    const key = `${code} ${location.file} ${location.line} ${location.column} ${message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const isError = diagnostic.severity === 'error';
    // Warnings beyond that many are not worth ending for.
    if (!isError && this.#diagnostics.length >= MAX_ERRORS) return;
    this.#diagnostics.push(diagnostic);
    if (!isError) return;
    this.#errors++;
    if (this.#errors >= MAX_ERRORS) throw new Abandoned();
  }
}
