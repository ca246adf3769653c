/**
 * The courses, the easiest first. A lesson is a folder of `lessons/`: `lesson.md`, `start.py`,
 * `solution.py`, `checks.py` and `wrong/*.diff`. A test holds this list and the folders to each
 * other.
 */
export interface LessonEntry {
  /** The folder's name, and the lesson's part of the address. */
  readonly slug: string;
  readonly title: string;
  readonly note: string;
  /** About how long it takes who reads all of it: an estimate by its length. */
  readonly minutes: number;
}
export interface Course {
  readonly id: 'attention' | 'hour' | 'compiler';
  readonly title: string;
  readonly summary: string;
  readonly lessons: readonly LessonEntry[];
  /** A lesson counts as passed once its predictions are right, too. */
  readonly asksFirst?: true;
}

const attention: readonly LessonEntry[] = [
  {
    slug: '01-programs-and-tiles',
    title: 'Programs and tiles',
    note: 'What a program is, what a tile is, and why the last one needs a mask.',
    minutes: 15,
  },
  {
    slug: '02-bandwidth-and-fusion',
    title: 'Bandwidth and fusion',
    note: 'Three kernels against one, counted in bytes and measured on your machine.',
    minutes: 15,
  },
  {
    slug: '03-reductions-and-softmax',
    title: 'Reductions and a stable softmax',
    note: 'A tile becomes a number; and exponentials that do not overflow.',
    minutes: 15,
  },
  {
    slug: '04-online-softmax',
    title: 'Online softmax',
    note: 'The maximum and the sum of a row that comes in pieces: the trick behind it all.',
    minutes: 15,
  },
  {
    slug: '05-matmul',
    title: 'Tiles of a matmul',
    note: 'Two-dimensional tiles, tl.dot and accumulators.',
    minutes: 20,
  },
  {
    slug: '06-attention-in-one-tile',
    title: 'Attention in one tile',
    note: 'Scores, softmax and the average of values, while everything fits.',
    minutes: 15,
  },
  {
    slug: '07-flash-attention',
    title: 'Flash attention',
    note: 'The loop over keys with rescaling: any length, and no matrix of scores.',
    minutes: 15,
  },
  {
    slug: '08-causal-attention',
    title: 'Causal attention',
    note: 'Masks on the diagonal, blocks that are never loaded, and powers of two.',
    minutes: 15,
  },
  {
    slug: '09-tuning',
    title: 'Tuning',
    note: 'The roofline, and block sizes chosen by measuring on your GPU.',
    minutes: 20,
  },
  {
    slug: '10-variants',
    title: 'Bias, shared keys, windows',
    note: 'ALiBi, grouped queries and sliding windows: a line or two each.',
    minutes: 10,
  },
  {
    slug: '11-decoding',
    title: 'Decoding: pages, lengths, splits',
    note: 'One query over a paged cache, split over programs and merged.',
    minutes: 15,
  },
  {
    slug: '12-low-precision',
    title: 'Low precision',
    note: 'Keys and values in fp16, int8 and fp8, and what that costs.',
    minutes: 15,
  },
  {
    slug: '13-backward',
    title: 'The backward pass',
    note: 'Gradients without the matrix of scores, checked two ways.',
    minutes: 20,
  },
];

const hour: readonly LessonEntry[] = [
  {
    slug: 'p01-load-store',
    title: 'Load, add, store',
    note: 'One tile, one program, nothing to mask.',
    minutes: 5,
  },
  {
    slug: 'p02-reverse',
    title: 'Backwards',
    note: 'Pointers that run the other way, and the mask that keeps them in.',
    minutes: 5,
  },
  {
    slug: 'p03-outer-sum',
    title: 'Two dimensions',
    note: 'A matrix from two vectors.',
    minutes: 5,
  },
  {
    slug: 'p04-transpose',
    title: 'Transpose',
    note: 'Any strides in, rows and columns exchanged.',
    minutes: 5,
  },
  {
    slug: 'p05-row-sums',
    title: 'Sums of rows',
    note: 'A loop over a row, and one reduction.',
    minutes: 5,
  },
  {
    slug: 'p06-relu-backward',
    title: 'Where',
    note: 'Choosing element by element: the gradient of a ReLU.',
    minutes: 5,
  },
  {
    slug: 'p07-standardize',
    title: 'Mean and variance',
    note: 'Two reductions, and a formula that loses all digits.',
    minutes: 5,
  },
  {
    slug: 'p08-running-sum',
    title: 'A running sum',
    note: 'A scan of a tile, and what is carried between tiles.',
    minutes: 5,
  },
  {
    slug: 'p09-counting',
    title: 'Counting together',
    note: 'Atomics: many programs, the same counters.',
    minutes: 5,
  },
  {
    slug: 'p10-gather',
    title: 'Looking up rows',
    note: 'Loads through an index, and nothing for -1.',
    minutes: 5,
  },
  {
    slug: 'p11-linear',
    title: 'A linear layer',
    note: 'A matmul with bias and ReLU in the same kernel.',
    minutes: 5,
  },
  {
    slug: 'p12-quantized-matmul',
    title: 'Weights of four bits',
    note: 'Two weights in a byte, unpacked on the way.',
    minutes: 5,
  },
];

const compiler: readonly LessonEntry[] = [
  {
    slug: 'c01-ttir',
    title: 'Reading TTIR',
    note: 'The first IR is your program, one operation a line: what is loaded, and how often.',
    minutes: 10,
  },
  {
    slug: 'c02-layouts',
    title: 'Layouts',
    note: 'Which thread holds which element, as a linear map of bits.',
    minutes: 5,
  },
  {
    slug: 'c03-coalescing',
    title: 'Coalescing',
    note: 'Addresses that follow each other become vectors and full transactions.',
    minutes: 5,
  },
  {
    slug: 'c04-divisibility',
    title: 'Divisibility',
    note: 'What the compiler must know of an offset before it loads vectors.',
    minutes: 10,
  },
  {
    slug: 'c05-conversions',
    title: 'Layout conversions',
    note: 'A tile that changes hands goes through shared memory.',
    minutes: 15,
  },
  {
    slug: 'c06-dot-paths',
    title: 'Dot paths',
    note: 'When tl.dot runs on matrix units, and when it does not.',
    minutes: 5,
  },
  {
    slug: 'c07-pipelining',
    title: 'Software pipelining',
    note: 'Loads that are issued an iteration ahead of their use.',
    minutes: 5,
  },
  {
    slug: 'c08-barriers',
    title: 'Barriers',
    note: 'What makes the threads of a program wait for each other.',
    minutes: 10,
  },
  {
    slug: 'c09-registers',
    title: 'Register pressure',
    note: 'Tiles live in registers, and a thread has only so many.',
    minutes: 15,
  },
  {
    slug: 'c10-schedule',
    title: 'The schedule',
    note: 'Everything that the compiler chose, and a way to change its mind.',
    minutes: 5,
  },
];

export const COURSES: readonly Course[] = [
  {
    id: 'hour',
    title: 'Triton in an hour',
    summary: 'Twelve small puzzles, from a load and a store to a matmul with 4-bit weights.',
    lessons: hour,
  },
  {
    id: 'attention',
    title: 'Fused attention, step by step',
    summary:
      'From adding two vectors to flash attention, forward and backward. No GPU experience needed.',
    lessons: attention,
  },
  {
    id: 'compiler',
    title: 'What the compiler did',
    summary:
      'Ten kernels, read as IR: predict what the compiler makes of them, then change the source so that the IR changes.',
    lessons: compiler,
    asksFirst: true,
  },
];

/**
 * The name of a lesson's program in the editor; also the key under which the visitor's text is
 * kept.
 */
export function programName(slug: string): string {
  return `${slug.replaceAll('-', '_')}.py`;
}

export interface Place {
  readonly course: Course;
  readonly entry: LessonEntry;
  /** Counted from 1. */
  readonly number: number;
  readonly previous: LessonEntry | null;
  readonly next: LessonEntry | null;
}

export function placeOf(slug: string): Place | null {
  for (const course of COURSES) {
    const index = course.lessons.findIndex((lesson) => lesson.slug === slug);
    const entry = course.lessons[index];
    if (!entry) continue;
    const [previous, next] = [course.lessons[index - 1], course.lessons[index + 1]];
    return { course, entry, number: index + 1, previous: previous ?? null, next: next ?? null };
  }
  return null;
}

export function lessonAddress(slug: string): string {
  return `#/learn/${slug}`;
}
