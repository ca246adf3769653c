/** The lessons' folders are what the course says, and every text is understood. */
import { describe, expect, it } from 'vitest';
import { COURSES, placeOf, programName } from './course';
import { piecesOf, placeToWrite } from './document';
import { readLessons } from './testing';

const lessons = readLessons();

describe('the course', () => {
  it('lists every folder once, and nothing else', () => {
    const listed = COURSES.flatMap((course) => course.lessons.map(({ slug }) => slug));
    expect([...listed].sort()).toEqual(lessons.map(({ slug }) => slug));
  });

  it('gives every program a name of its own', () => {
    const names = lessons.map(({ slug }) => programName(slug));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(lessons)('$slug', (lesson) => {
  const pieces = piecesOf(lesson.text);

  it('has something to predict, a hint and a title', () => {
    expect(lesson.text.split('\n')[0]).toBe(`# ${placeOf(lesson.slug)?.entry.title}`);
    expect(pieces.filter((piece) => piece.kind === 'predict').length).toBeGreaterThan(0);
    expect(pieces.filter((piece) => piece.kind === 'hint').length).toBeGreaterThan(0);
  });

  it('leaves no fence or formula open', () => {
    const prose = pieces.map((piece) => (piece.kind === 'prose' ? piece.markdown : '')).join('\n');
    expect((prose.match(/^```/gm) ?? []).length % 2).toBe(0);
    const outside = prose.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '');
    expect((outside.match(/\$/g) ?? []).length % 2).toBe(0);
  });

  it('shows where to write', () => {
    const line = placeToWrite(lesson.start, lesson.solution);
    const lines = lesson.start.split('\n');
    const kernel = lines.findIndex((one) => one.startsWith('@triton.jit'));
    // Not before the first kernel, and not after what is run.
    expect(line).toBeGreaterThan(kernel - 1);
    expect(line).toBeLessThan(lines.length);
    expect(lines[line - 1]).not.toBe(lesson.solution.split('\n')[line - 1]);
  });

  it('has wrong answers that differ from the solution', () => {
    expect(lesson.start).not.toBe(lesson.solution);
    const wrong = Object.values(lesson.wrong);
    expect(wrong.length).toBeGreaterThan(1);
    expect(new Set([...wrong, lesson.solution, lesson.start]).size).toBe(wrong.length + 2);
  });
});
