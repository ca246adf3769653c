/** Errors of the tools: a call that cannot be answered, with a code that names the cause. */
import { z } from 'zod';
import { HippocampError } from '../../library/errors';

const OWN = [
  /** An argument is missing, unknown or of another type; `subject` names it. */
  'bad-arguments',
  /** There is no such tool, example, diagnostic or file; `subject` names it. */
  'not-found',
  /** A text or a list is above its limit. */
  'too-large',
  /** The call took longer than `timeout_seconds`. */
  'timeout',
  /** Its process held more than `max_memory_bytes`. */
  'memory',
  /** A package that the tool needs is not installed. */
  'not-installed',
  /** The tool's process ended by itself: a fault of Hippocamp or of a driver. */
  'crashed',
] as const;
const OF_LIBRARY = ['unknown-kernel', 'unknown-target', 'bad-signature', 'no-launch'] as const;

export const toolErrorOutput = z
  .object({
    version: z.literal(1),
    error: z.object({
      code: z.enum([...OWN, ...OF_LIBRARY]),
      message: z.string(),
      /** Argument, file or name that the error is about. */
      subject: z.string().nullable(),
    }),
  })
  .meta({ title: 'Error of a tool', description: 'A call that was not answered, and why.' });
export type ToolErrorOutput = z.infer<typeof toolErrorOutput>;
export type ToolErrorCode = ToolErrorOutput['error']['code'];

export class ToolError extends Error {
  constructor(
    readonly code: ToolErrorCode,
    message: string,
    readonly subject: string | null = null,
  ) {
    super(message);
  }

  /** An exception as the error that it is; any other is a fault of ours. */
  static of(error: unknown): ToolError {
    if (error instanceof ToolError) return error;
    if (error instanceof HippocampError) {
      const code = OF_LIBRARY.find((each) => each === error.code);
      if (code) return new ToolError(code, error.message, error.subject);
    }
    return new ToolError('crashed', error instanceof Error ? error.message : String(error));
  }

  get output(): ToolErrorOutput {
    const { code, message, subject } = this;
    return { version: 1, error: { code, message, subject } };
  }
}
