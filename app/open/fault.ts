/** A failure to open something: a sentence for the visitor, and what helps. */

/**
 * `paste`: the text can be had elsewhere, to be pasted or dropped. `file`: another file is needed.
 * `wait`: later, or elsewhere.
 */
export type Cure = 'paste' | 'file' | 'wait';

/** Sentences of the cures. */
export const CURES: Readonly<Record<Cure, string>> = {
  paste:
    'Open it there, copy the text and paste it into a new program, or download the file and drop it on this page.',
  file: 'Choose another file.',
  wait: 'Try again later, or download the file and drop it on this page.',
};

export class OpenFault extends Error {
  constructor(
    message: string,
    readonly cure: Cure = 'paste',
  ) {
    super(message);
    this.name = 'OpenFault';
  }
}
