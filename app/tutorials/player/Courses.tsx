/** The list of lessons, with what is done. */
import { COURSES, lessonAddress } from '../course';
import { goHome } from '../../state/route';
import { progressOf, useProgress } from '../progress';

export function Courses(): React.ReactNode {
  const lessons = useProgress((state) => state.lessons);
  return (
    <div className="courses">
      <div className="courses-inner">
        <p className="row">
          <button type="button" className="link" onClick={goHome}>
            ← Back to the editor
          </button>
        </p>
        <h1>Learn</h1>
        <p className="lead">
          Everything here runs on your own GPU, in this page. Lessons are checked numerically:
          hidden checks call your program with awkward sizes and values. What you write is kept in
          this browser.
        </p>
        {COURSES.map((course) => {
          const done = course.lessons.filter(({ slug }) => progressOf(lessons, slug).passed).length;
          return (
            <section key={course.id} aria-label={course.title}>
              <h2>{course.title}</h2>
              <p className="muted">
                {course.summary} {done > 0 ? `${done} of ${course.lessons.length} done.` : ''}
              </p>
              <ol className="lesson-list">
                {course.lessons.map(({ slug, title, note, minutes }, index) => (
                  <li key={slug}>
                    <a href={lessonAddress(slug)}>
                      <span className="number">{index + 1}</span>
                      <span>
                        <span className="title">{title}</span>
                        <span className="summary">{note}</span>
                        <span className="summary muted">about {minutes} minutes</span>
                      </span>
                      {progressOf(lessons, slug).passed ? (
                        <span className="sign pass" aria-label="passed">
                          ✓
                        </span>
                      ) : null}
                    </a>
                  </li>
                ))}
              </ol>
            </section>
          );
        })}
      </div>
    </div>
  );
}
