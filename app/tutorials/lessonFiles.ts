/**
 * The lessons' files in the page: loaded when a lesson is opened, each folder's texts as one chunk.
 */
export interface Lesson {
  readonly slug: string;
  readonly text: string;
  readonly start: string;
  readonly solution: string;
  readonly checks: string;
}

const FILES = import.meta.glob<string>('./lessons/*/{lesson.md,start.py,solution.py,checks.py}', {
  query: '?raw',
  import: 'default',
});

export async function loadLesson(slug: string): Promise<Lesson> {
  const read = (name: string): Promise<string> => {
    const load = FILES[`./lessons/${slug}/${name}`];
    return load ? load() : Promise.reject(new Error(`the lesson ${slug} has no ${name}`));
  };
  const [text, start, solution, checks] = await Promise.all([
    read('lesson.md'),
    read('start.py'),
    read('solution.py'),
    read('checks.py'),
  ]);
  return { slug, text, start, solution, checks };
}
