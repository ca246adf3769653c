/**
 * A lesson: its text on the left; on the right the editor, the checks and the panels. The program
 * is an ordinary document under a name of its own, so everything else on the page works on it as
 * ever.
 */
import { useEffect, useMemo, useState } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { ProgramEditor } from '../../editor/ProgramEditor';
import { useOneHalf } from '../../panels/common/media';
import { Panels } from '../../panels/Panels';
import { resetProgram, undoably } from '../../programs/programs';
import { check as runCheck, endHarness } from '../../state/checking';
import { HARNESS } from '../../judge/texts';
import { currentText, edit, isModified, openText, useDocument } from '../../state/document';
import { select } from '../../state/location';
import type { RunRecord } from '../../state/record';
import { goHome } from '../../state/route';
import { useSession } from '../../state/session';
import { layoutStorage } from '../../state/storage';
import { useView } from '../../state/view';
import { lessonAddress, placeOf, programName, type Course, type Place } from '../course';
import { piecesOf, placeToWrite } from '../document';
import { loadLesson, type Lesson } from '../lessonFiles';
import { openPredictions } from '../predict';
import { notePassedText, noteProgress, progressOf, useProgress } from '../progress';
import { LessonText } from './LessonText';
import { Verdicts } from './Verdicts';

export function Player({ slug }: { readonly slug: string }): React.ReactNode {
  const place = placeOf(slug);
  const [lesson, setLesson] = useState<Lesson | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    useView.setState({ half: 'lesson' });
    loadLesson(slug).then(
      (loaded) => {
        if (left) return;
        const file = programName(slug);
        openText(file, loaded.start);
        // Who comes for the first time is shown where to write.
        if (currentText() === loaded.start)
          select({ file, line: placeToWrite(loaded.start, loaded.solution), from: 'run' });
        setLesson(loaded);
      },
      (error: unknown) => {
        if (!left) setFailure(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      left = true;
      select(null);
    };
  }, [slug]);
  if (!place || failure)
    return (
      <div className="empty" role="alert">
        <h3>There is no such lesson</h3>
        <p>{failure ?? slug}</p>
        <a className="link" href="#/learn">
          All lessons
        </a>
      </div>
    );
  // The document is the lesson's from here on; before that, the editor would show another program.
  if (!lesson || lesson.slug !== slug) return <div className="lesson-pane" aria-busy="true" />;
  return <Open place={place} lesson={lesson} />;
}

interface OpenLesson {
  readonly place: Place;
  readonly lesson: Lesson;
}

function Open(props: OpenLesson): React.ReactNode {
  const { slug } = props.lesson;
  const entry = useDocument((state) => state.entry);
  useEffect(() => {
    // Figures are drawn from what launches got, also where that was only on the GPU.
    const { readBack } = useSession.getState();
    useSession.setState({ readBack: true });
    return () => {
      useSession.setState({ readBack });
      endHarness();
    };
  }, []);
  useEffect(() => {
    // Another program was opened, from the palette or a link: the lesson gives way.
    if (entry !== programName(slug)) goHome();
  }, [entry, slug]);
  return useOneHalf() ? <OneAtATime {...props} /> : <SideBySide {...props} />;
}

function SideBySide(props: OpenLesson): React.ReactNode {
  const across = useDefaultLayout({ id: 'lesson', storage: layoutStorage });
  const down = useDefaultLayout({ id: 'lesson-right', storage: layoutStorage });
  return (
    <Group className="halves" orientation="horizontal" {...across}>
      <Panel id="text" minSize={320} defaultSize="42">
        <TextPane {...props} />
      </Panel>
      <Separator className="separator" aria-label="Resize the lesson" />
      <Panel id="work" minSize={360}>
        <Group className="halves" orientation="vertical" {...down}>
          <Panel id="lesson-editor" minSize={120} defaultSize="58">
            <ProgramPane {...props} />
          </Panel>
          <Separator className="separator across" aria-label="Resize the editor" />
          <Panel id="lesson-results" minSize={80}>
            <section className="half" aria-label="Results">
              <Panels />
            </section>
          </Panel>
        </Group>
      </Panel>
    </Group>
  );
}

const HALVES = { lesson: 'Lesson', editor: 'Program', results: 'Results' } as const;

function OneAtATime(props: OpenLesson): React.ReactNode {
  const half = useView((state) => state.half);
  return (
    <>
      <div className="halves">
        <div className="half" data-shown={half === 'lesson'}>
          <TextPane {...props} />
        </div>
        <div className="half" data-shown={half === 'editor'}>
          <ProgramPane {...props} />
        </div>
        <section className="half" aria-label="Results" data-shown={half === 'results'}>
          <Panels />
        </section>
      </div>
      <div className="switch-halves three" role="group" aria-label="Which part to show">
        {(Object.keys(HALVES) as (keyof typeof HALVES)[]).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={half === one}
            onClick={() => useView.setState({ half: one })}
          >
            {HALVES[one]}
          </button>
        ))}
      </div>
    </>
  );
}

function TextPane({ place, lesson }: OpenLesson): React.ReactNode {
  const { course, number, previous, next } = place;
  return (
    <section className="lesson-pane" aria-label="Lesson">
      <nav className="lesson-nav" aria-label="Lessons">
        <a href="#/learn">{course.title}</a>
        <span className="muted">
          {number} of {course.lessons.length}
        </span>
        <span className="grow" />
        {previous ? (
          <a href={lessonAddress(previous.slug)} title={previous.title}>
            ← Previous
          </a>
        ) : null}
        {next ? (
          <a href={lessonAddress(next.slug)} title={next.title}>
            Next →
          </a>
        ) : null}
      </nav>
      <div className="lesson-scroll" key={lesson.slug} tabIndex={-1}>
        <LessonText lesson={lesson} />
      </div>
    </section>
  );
}

/** The mark belongs to the lesson that was checked, wherever the visitor went meanwhile. */
function notePassed({ slug, solution, text }: Lesson, course: Course, record: RunRecord): void {
  const progress = progressOf(useProgress.getState().lessons, slug);
  if (course.asksFirst && openPredictions(piecesOf(text), progress) > 0) return;
  notePassedText(slug, record.text);
  const own = record.text !== solution;
  noteProgress(slug, own ? { passed: true } : { passed: true, solved: true });
}

function ProgramPane({ place, lesson }: OpenLesson): React.ReactNode {
  const { slug } = lesson;
  const modified = useDocument(isModified);
  const atSolution = useDocument((state) => currentText(state) === lesson.solution);
  const phase = useSession((state) => state.phase);
  const progress = useProgress((state) => progressOf(state.lessons, slug));
  const pieces = useMemo(() => piecesOf(lesson.text), [lesson.text]);
  const hints = pieces.filter((piece) => piece.kind === 'hint').length;
  const entry = programName(slug);

  const check = (): void => {
    const problem = { reference: null, checks: lesson.checks };
    runCheck(HARNESS, problem, (record, { outcome }) => {
      if (outcome === 'accepted') notePassed(lesson, place.course, record);
    });
  };

  return (
    <section className="half" aria-label="Program">
      <div className="filebar lesson-bar">
        <span className="file">{entry}</span>
        <span className="grow" />
        <button
          type="button"
          className="button small primary"
          disabled={phase === 'running' || phase === 'failed'}
          onClick={check}
        >
          Check
        </button>
        <button
          type="button"
          className="button small"
          disabled={progress.hints >= hints}
          onClick={() => {
            noteProgress(slug, { hints: progress.hints + 1 });
            useView.setState({ half: 'lesson' });
          }}
        >
          Hint {hints > 0 ? `${Math.min(progress.hints, hints)}/${hints}` : ''}
        </button>
        <button
          type="button"
          className="button small"
          disabled={atSolution}
          title="Puts the solution into the editor; Undo brings your text back"
          onClick={() => {
            noteProgress(slug, { solved: true });
            undoably('The solution is in the editor.', () => edit(lesson.solution));
          }}
        >
          Show solution
        </button>
        <button
          type="button"
          className="button small"
          disabled={!modified}
          title="Back to the program that the lesson starts with; Undo brings your text back"
          onClick={resetProgram}
        >
          Reset
        </button>
      </div>
      <Verdicts
        next={place.next}
        open={place.course.asksFirst ? openPredictions(pieces, progress) : 0}
      />
      <div className="editor">
        <ProgramEditor />
      </div>
    </section>
  );
}
