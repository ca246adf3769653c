/**
 * Errors of the library: wrong calls, and devices that cannot run a kernel. A program with mistakes
 * is no error but diagnostics (`compile.ts`).
 */

export type HippocampErrorCode =
  /** The program has no such kernel, or none, or several and no name was given. */
  | 'unknown-kernel'
  /** The program has a mistake: it was compiled with errors, and there is nothing to load. */
  | 'not-compiled'
  /** The kernel needs what only the page and the command have: addresses that they give out. */
  | 'no-launch'
  /** No profile of that name. */
  | 'unknown-target'
  /** A specialization that does not fit the kernel's parameters. */
  | 'bad-signature'
  /** An argument of a launch that does not fit the compiled specialization. */
  | 'bad-argument'
  /** A grid that is no list of one to three integers from 0 on. */
  | 'bad-grid'
  /** The device lacks a WebGPU feature that the kernel needs. */
  | 'missing-feature'
  /** The device's limits are below what the kernel or the launch needs. */
  | 'limit'
  /** The device rejects the WGSL. */
  | 'rejected'
  /** The device is lost. */
  | 'device-lost';

export class HippocampError extends Error {
  override readonly name = 'HippocampError';

  constructor(
    readonly code: HippocampErrorCode,
    message: string,
    /** The WebGPU feature or limit, or the name of the argument, that the error is about. */
    readonly subject: string | null = null,
  ) {
    super(message);
  }
}
