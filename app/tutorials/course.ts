/**
 * The two courses, in order. A lesson is a folder of `lessons/`: `lesson.md`, `start.py`,
 * `solution.py`, `checks.py` and `wrong/*.diff`. A test holds this list and the folders to each
 * other.
 */
export interface LessonEntry {
  /** The folder's name, and the lesson's part of the address. */
  readonly slug: string;
  readonly title: string;
  readonly note: string;
}
export interface Course {
  readonly id: 'attention' | 'hour';
  readonly title: string;
  readonly summary: string;
  readonly lessons: readonly LessonEntry[];
}

const attention: readonly LessonEntry[] = [
  {
    slug: '01-programs-and-tiles',
    title: 'Programs and tiles',
    note: 'What a program is, what a tile is, and why the last one needs a mask.',
  },
  {
    slug: '02-bandwidth-and-fusion',
    title: 'Bandwidth and fusion',
    note: 'Three kernels against one, counted in bytes and measured on your machine.',
  },
  {
    slug: '03-reductions-and-softmax',
    title: 'Reductions and a stable softmax',
    note: 'A tile becomes a number; and exponentials that do not overflow.',
  },
  {
    slug: '04-online-softmax',
    title: 'Online softmax',
    note: 'The maximum and the sum of a row that comes in pieces: the trick behind it all.',
  },
  {
    slug: '05-matmul',
    title: 'Tiles of a matmul',
    note: 'Two-dimensional tiles, tl.dot and accumulators.',
  },
  {
    slug: '06-attention-in-one-tile',
    title: 'Attention in one tile',
    note: 'Scores, softmax and the average of values, while everything fits.',
  },
  {
    slug: '07-flash-attention',
    title: 'Flash attention',
    note: 'The loop over keys with rescaling: any length, and no matrix of scores.',
  },
  {
    slug: '08-causal-attention',
    title: 'Causal attention',
    note: 'Masks on the diagonal, blocks that are never loaded, and powers of two.',
  },
  {
    slug: '09-tuning',
    title: 'Tuning',
    note: 'The roofline, and block sizes chosen by measuring on your GPU.',
  },
  {
    slug: '10-variants',
    title: 'Bias, shared keys, windows',
    note: 'ALiBi, grouped queries and sliding windows: a line or two each.',
  },
  {
    slug: '11-decoding',
    title: 'Decoding: pages, lengths, splits',
    note: 'One query over a paged cache, split over programs and merged.',
  },
  {
    slug: '12-low-precision',
    title: 'Low precision',
    note: 'Keys and values in fp16, int8 and fp8, and what that costs.',
  },
  {
    slug: '13-backward',
    title: 'The backward pass',
    note: 'Gradients without the matrix of scores, checked two ways.',
  },
];

const hour: readonly LessonEntry[] = [
  {
    slug: 'p01-load-store',
    title: 'Load, add, store',
    note: 'One tile, one program, nothing to mask.',
  },
  {
    slug: 'p02-reverse',
    title: 'Backwards',
    note: 'Pointers that run the other way, and the mask that keeps them in.',
  },
  {
    slug: 'p03-outer-sum',
    title: 'Two dimensions',
    note: 'A matrix from two vectors.',
  },
  {
    slug: 'p04-transpose',
    title: 'Transpose',
    note: 'Any strides in, rows and columns exchanged.',
  },
  {
    slug: 'p05-row-sums',
    title: 'Sums of rows',
    note: 'A loop over a row, and one reduction.',
  },
  {
    slug: 'p06-relu-backward',
    title: 'Where',
    note: 'Choosing element by element: the gradient of a ReLU.',
  },
  {
    slug: 'p07-standardize',
    title: 'Mean and variance',
    note: 'Two reductions, and a formula that loses all digits.',
  },
  {
    slug: 'p08-running-sum',
    title: 'A running sum',
    note: 'A scan of a tile, and what is carried between tiles.',
  },
  {
    slug: 'p09-counting',
    title: 'Counting together',
    note: 'Atomics: many programs, the same counters.',
  },
  {
    slug: 'p10-gather',
    title: 'Looking up rows',
    note: 'Loads through an index, and nothing for -1.',
  },
  {
    slug: 'p11-linear',
    title: 'A linear layer',
    note: 'A matmul with bias and ReLU in the same kernel.',
  },
  {
    slug: 'p12-quantized-matmul',
    title: 'Weights of four bits',
    note: 'Two weights in a byte, unpacked on the way.',
  },
];

export const COURSES: readonly Course[] = [
  {
    id: 'attention',
    title: 'Fused attention, step by step',
    summary:
      'From adding two vectors to flash attention, forward and backward. No GPU experience needed.',
    lessons: attention,
  },
  {
    id: 'hour',
    title: 'Triton in an hour',
    summary: 'Twelve small puzzles, from a load and a store to a matmul with 4-bit weights.',
    lessons: hour,
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
