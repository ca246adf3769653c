/** The tools of `hippocamp mcp`: names, what a model reads about them, and their schemas. */
import { z } from 'zod';
import { toolErrorOutput } from './errors';
import * as inputs from './inputs';
import * as results from './results';

export interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

export const TOOLS = {
  run: {
    title: 'Run a Triton program',
    description:
      'Runs a Python file with @triton.jit kernels and the torch code around them, as it would run ' +
      'on CUDA, and reports output, errors with their lines, every comparison (torch.allclose, ' +
      'torch.testing.assert_close, torch.equal) with the first wrong element, and the launches with ' +
      'their times. Let the program compare its kernel with torch: a comparison that fails is the ' +
      'result to look at. Works without a GPU.',
    input: inputs.runInput,
    output: results.runResult,
  },
  prove: {
    title: 'Prove a Triton program',
    description:
      'Checks beyond one run: whether kernel and reference are the same algebra (exact, without a ' +
      'tolerance), whether every load and store stays inside of its tensor, and whether two programs ' +
      'race. A fault names the line, the program and the element. A wrong kernel that a wide ' +
      'tolerance hides fails here. The program must contain a comparison with a reference for the ' +
      'algebra to be decided. Takes two or three runs; prefer small shapes, not multiples of a tile.',
    input: inputs.proveInput,
    output: results.proveResult,
  },
  check: {
    title: 'Check a solution against a reference',
    description:
      'Judges the functions of a program by hidden checks: are results right for inputs that the ' +
      'program never sees, did kernels of its own compute them (torch may allocate, make views, copy ' +
      'and convert), is every access in range? Inputs are drawn anew in each call. A refusal names ' +
      'the check and the reason. The program defines functions; what it does at import is not judged.',
    input: inputs.checkInput,
    output: results.checkResult,
  },
  compile: {
    title: 'Compile the kernels of a program',
    description:
      'Compiles without running, and returns the IR at a level (ttir, ttgir, thread, wgsl) or after ' +
      'a pass, with diagnostics. Read ttir to see what a kernel computes: each op has the line that ' +
      'it comes from. Types of arguments are guessed from the text unless signature gives them.',
    input: inputs.compileInput,
    output: results.compileResult,
  },
  profile: {
    title: 'Profile a program',
    description:
      'Runs a program and returns for each kernel launches, time (microseconds, with the clock that ' +
      'measured it), bytes, operations, and registers and shared memory of a program. Times of the ' +
      'interpreter or of a software adapter say nothing about a GPU.',
    input: inputs.profileInput,
    output: results.profileResult,
  },
  compare: {
    title: 'Compare two programs',
    description:
      'Runs two versions of a program with the same seed and returns the time of each kernel before ' +
      'and after, with the ratio, and for tensors of the same name at module level whether they ' +
      'agree and where they first differ. Use it after an edit, or with a reference as before.',
    input: inputs.compareInput,
    output: results.compareResult,
  },
  explain: {
    title: 'Explain a diagnostic',
    description: 'The page of a diagnostic code: what it means, an example, and what to do.',
    input: inputs.explainInput,
    output: results.explainResult,
  },
  list_examples: {
    title: 'List examples',
    description:
      'Programs of the gallery (matmul, softmax, attention, quantized and sparse kernels …) and the ' +
      'lessons, with what each is about. All run unchanged, here and on CUDA.',
    input: inputs.listInput,
    output: results.listResult,
  },
  read_example: {
    title: 'Read an example',
    description: 'The text of a program of the gallery, or of a lesson with what it starts from.',
    input: inputs.readInput,
    output: results.readResult,
  },
} as const satisfies Record<string, Tool>;
export type ToolName = keyof typeof TOOLS;

export function toolName(name: string): ToolName | undefined {
  return Object.hasOwn(TOOLS, name) ? (name as ToolName) : undefined;
}

/** For the `initialize` answer: how the tools go together. */
export const INSTRUCTIONS = `Hippocamp runs, checks and compiles Triton programs without CUDA. A \
program is an ordinary Python file: @triton.jit kernels, torch tensors on device "cuda", launches, and \
comparisons with torch. Nothing is special to Hippocamp: what works here runs on CUDA.

To mend or write a kernel: 1. run it, with a comparison against torch in the program. 2. prove it: \
failures name the line (bounds, races) or the launch whose algebra differs from the reference. 3. compile \
at level ttir to read what the kernel computes, where the source does not show it. 4. edit, compare with the \
version before, and prove again until nothing fails and what matters is decided. "does not apply" is \
no pass: its message states why nothing was decided.

Use small shapes that are no multiples of the tiles, so that masks matter. Give a program by source, by path \
(below the server's working directory) or by example. An error has a code and names its cause; diagnostics \
HCxxxx are explained by the tool explain.`;

interface JsonSchema {
  readonly [key: string]: unknown;
}

export function inputSchema({ input }: Tool): JsonSchema & { readonly type: 'object' } {
  return { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' };
}

/** A call answers with its result or with an error. */
export function outputSchema({ output }: Tool): JsonSchema & { readonly type: 'object' } {
  return { ...z.toJSONSchema(z.union([output, toolErrorOutput]), { io: 'input' }), type: 'object' };
}
