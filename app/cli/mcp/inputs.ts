/** Arguments of the tools. Unknown fields are refused: a misspelt option must not be ignored. */
import { z } from 'zod';
import { PROFILE_IDS } from '../../../compiler/targets/index';
import { DEFAULT_MEMORY, DEFAULT_SECONDS, FILES, MOST_MEMORY, MOST_SECONDS } from './limits';

const program = {
  source: z
    .string()
    .optional()
    .describe('The Python text of the program. Give exactly one of source, path and example.'),
  path: z
    .string()
    .optional()
    .describe("A Python file below the server's working directory; its imports come along."),
  example: z
    .string()
    .optional()
    .describe('The name of an example, as list_examples gives it, such as gallery/matmul.'),
  files: z
    .record(z.string(), z.string())
    .optional()
    .describe(`Modules that source imports: texts by file name, at most ${FILES}.`),
};
const oneProgram = z.strictObject(program);
export type ProgramInput = z.infer<typeof oneProgram>;

const limits = {
  timeout_seconds: z
    .number()
    .positive()
    .max(MOST_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe('The program, or the tool, is stopped after this long.'),
  max_memory_bytes: z
    .number()
    .int()
    .min(2 ** 28)
    .max(MOST_MEMORY)
    .default(DEFAULT_MEMORY)
    .describe('Each process of the call is stopped when it holds more.'),
};
const running = {
  adapter: z
    .enum(['webgpu', 'interpreter'])
    .default('webgpu')
    .describe(
      'webgpu: the GPU, else a software adapter, else the interpreter. interpreter: needs no GPU, ' +
        'is exact about races of lanes and out-of-range accesses, and slow.',
    ),
  seed: z.number().int().min(0).default(0).describe("Where torch's random numbers start from."),
  ...limits,
};

export const runInput = z.strictObject({
  ...program,
  ...running,
  check: z
    .boolean()
    .default(false)
    .describe(
      'Interpret the IR of every launch after every compiler pass, and report the pass that ' +
        'changes a result: finds faults of the compiler, not of the program.',
    ),
});
export const proveInput = z.strictObject({ ...program, ...running });
export const checkInput = z.strictObject({
  ...program,
  problem: z
    .string()
    .optional()
    .describe(
      "A problem below the server's working directory: a folder with reference.py or checks.py, or " +
        'a reference.py. Give exactly one of problem and reference.',
    ),
  reference: z
    .string()
    .optional()
    .describe(
      'Text of a reference.py: FUNCTION = the name of the function to check, a function of that ' +
        'name in torch, and cases(), which yields (title, arguments).',
    ),
  ...running,
  seed: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('What the inputs are drawn from; a new one without it.'),
});
export const profileInput = z.strictObject({
  ...program,
  ...running,
  format: z
    .enum(['summary', 'chrome', 'proton'])
    .default('summary')
    .describe("chrome adds a trace for Perfetto to the result, proton Proton's tree."),
});
export const LEVELS = ['ttir', 'ttgir', 'thread', 'wgsl'] as const;
export const compileInput = z.strictObject({
  ...program,
  kernel: z.string().optional().describe('Only this kernel; else all that no other one calls.'),
  signature: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .optional()
    .describe(
      "Types of the kernel's arguments as triton.tools.compile takes them ('*fp32', '*fp16:16', " +
        "'i32') and values of its tl.constexpr parameters; needs kernel. Else both are guessed.",
    ),
  target: z
    .enum(PROFILE_IDS as [string, ...string[]])
    .default('baseline')
    .describe('The GPU to compile for; baseline is what every adapter can run.'),
  level: z
    .enum(LEVELS)
    .default('ttir')
    .describe(
      'ttir: tiles, optimized, closest to the source. ttgir: tiles with layouts. thread: what one ' +
        'thread does. wgsl: the shader.',
    ),
  pass: z
    .string()
    .optional()
    .describe('The IR after this pass in place of level, such as lower or pipeline_loads.'),
  ...limits,
});
export const compareInput = z.strictObject({
  before: oneProgram.describe('The program to compare with: the original, or the reference.'),
  after: oneProgram.describe('The changed program.'),
  ...running,
});
export const explainInput = z.strictObject({
  code: z
    .string()
    .regex(/^HC\d{4}$/, 'a code of a diagnostic, such as HC0203')
    .describe('The code of a diagnostic, such as HC0203.'),
});
export const listInput = z.strictObject({
  query: z.string().max(200).optional().describe('Words that the example is to have.'),
});
export const readInput = z.strictObject({
  name: z.string().max(200).describe('As list_examples gives it: gallery/matmul.'),
});
