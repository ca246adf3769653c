/** Examples and diagnostics' pages, read from the package's files when they are asked for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { search } from '../../programs/gallery';
import type { Example } from '../../state/document';
import { COURSES } from '../../tutorials/course';
import { ToolError } from './errors';
import type { explainResult, listResult, readResult } from './results';

type Listed = z.infer<typeof listResult>['examples'][number];

function gallery(root: string): Example[] {
  const text = readFileSync(join(root, 'public', 'examples', 'index.json'), 'utf8');
  return JSON.parse(text) as Example[];
}

const ofGallery = ({ file, title, summary }: Example): Listed => ({
  name: `gallery/${file.replace(/\.py$/, '')}`,
  kind: 'gallery',
  title,
  summary,
});

function lessons(): Listed[] {
  return COURSES.flatMap((course) =>
    course.lessons.map(({ slug, title, note }) => ({
      name: `lesson/${slug}`,
      kind: 'lesson' as const,
      title,
      summary: note,
    })),
  );
}

export function listExamples(root: string, query = ''): z.infer<typeof listResult> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = lessons().filter(({ name, title, summary }) => {
    const text = `${name} ${title} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { version: 1, examples: [...search(gallery(root), query).map(ofGallery), ...found] };
}

/** @throws ToolError `not-found` */
export function readExample(root: string, name: string): z.infer<typeof readResult> {
  // Only a listed name becomes part of a path.
  const known = [...gallery(root).map(ofGallery), ...lessons()].find((each) => each.name === name);
  if (!known) throw new ToolError('not-found', `there is no example ${name}`, name);
  const bare = name.slice(name.indexOf('/') + 1);
  const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
  if (known.kind === 'gallery')
    return {
      version: 1,
      ...known,
      source: read('public', 'examples', `${bare}.py`),
      lesson: null,
    };
  const folder = ['app', 'tutorials', 'lessons', bare];
  return {
    version: 1,
    ...known,
    source: read(...folder, 'start.py'),
    lesson: read(...folder, 'lesson.md'),
  };
}

/** @throws ToolError `not-found` */
export function explain(root: string, code: string): z.infer<typeof explainResult> {
  const path = join(root, 'docs', 'diagnostics', `${code}.md`);
  if (!/^HC\d{4}$/.test(code) || !existsSync(path))
    throw new ToolError('not-found', `there is no diagnostic ${code}`, code);
  const text = readFileSync(path, 'utf8');
  const title = /^# HC\d{4}: (.*)$/m.exec(text)?.[1] ?? code;
  return { version: 1, code, title, text };
}
