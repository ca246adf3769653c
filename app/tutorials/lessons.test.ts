/** The lessons' folders are what the course says, and every text is understood. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COURSES, placeOf, programName } from './course';
import { piecesOf, placeToWrite } from './document';
import { IR_TARGET } from './predict';
import { readLessons } from './testing';

const lessons = readLessons();

/** Characters of a line that a hint must not give away, and of a part of one. */
const SHORTEST_LINE = 8;
const SHORTEST_SPAN = 16;
const squeezed = (text: string): string => text.replaceAll(/\s+/g, '');

describe('the course', () => {
  it('lists every folder once, and nothing else', () => {
    const listed = COURSES.flatMap((course) => course.lessons.map(({ slug }) => slug));
    expect([...listed].sort()).toEqual(lessons.map(({ slug }) => slug));
  });

  it('has questions about the GPU that the judge compiles for', () => {
    const judge = readFileSync(join(import.meta.dirname, '../judge/harness/judge.py'), 'utf8');
    expect(judge).toContain(`\nIR_TARGET = "${IR_TARGET}"\n`);
  });

  it('has a question about the IR in each lesson whose predictions count', () => {
    for (const course of COURSES) {
      if (!course.asksFirst) continue;
      for (const { slug } of course.lessons) {
        const { text } = lessons.find((one) => one.slug === slug)!;
        const asked = piecesOf(text).filter((piece) => piece.kind === 'predict');
        expect(
          asked.some(({ prediction }) => prediction.answer.kind === 'ir'),
          slug,
        ).toBe(true);
      }
    }
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

  it('has hints that do not hold the solution', () => {
    const known = new Set(lesson.start.split('\n'));
    const written = lesson.solution.split('\n').filter((line) => !known.has(line));
    const wanted = written.map(squeezed).filter(({ length }) => length >= SHORTEST_LINE);
    expect(wanted.length).toBeGreaterThan(0);
    for (const piece of pieces) {
      if (piece.kind !== 'hint') continue;
      const hint = squeezed(piece.markdown);
      expect(
        wanted.filter((line) => hint.includes(line)),
        piece.markdown,
      ).toEqual([]);
      const spans = [...piece.markdown.matchAll(/`([^`]+)`/g)].map((match) => squeezed(match[1]!));
      const parts = spans.filter((span) => span.length >= SHORTEST_SPAN);
      expect(
        parts.filter((span) => wanted.some((line) => line.includes(span))),
        piece.markdown,
      ).toEqual([]);
    }
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
