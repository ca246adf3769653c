/** The bottom bar: problems, the specialization in view, compile and GPU time. */
import { NewVersion } from './offline/Offline';
import { formatMicroseconds, formatNumber, plural } from './panels/common/format';
import { Problems } from './panels/problems/Problems';
import { useCompilation } from './state/compilation';
import { useCompiler } from './state/compiler';
import { programText, useDocument } from './state/document';
import { useProblems } from './state/problems';
import { useRun } from './state/run';
import { useSession } from './state/session';
import { specializationOptions } from './state/specializations';
import { chooseSpecialization, useView } from './state/view';

export function StatusBar(): React.ReactNode {
  const open = useView((state) => state.problemsOpen);
  const problems = useProblems();
  const wrong = problems.filter((problem) => problem.severity !== 'info').length;
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  return (
    <footer>
      {open ? <Problems problems={problems} /> : null}
      <div className="statusbar">
        <button
          type="button"
          className="button quiet small"
          aria-expanded={open}
          onClick={() => useView.setState({ problemsOpen: !open })}
        >
          {wrong > 0 ? (
            <span className={errors > 0 ? 'sign fail' : 'sign warn'} aria-hidden="true">
              {errors > 0 ? '✗' : '!'}
            </span>
          ) : null}
          {plural(wrong, 'problem')}
        </button>
        <SpecializationSelect />
        <span className="grow" />
        <NewVersion />
        <Times />
      </div>
    </footer>
  );
}

function SpecializationSelect(): React.ReactNode {
  const kernels = useCompilation((state) => state.kernels);
  const inView = useCompilation((state) => state.inView);
  const record = useRun((state) => state.record);
  const target = useSession((state) => state.target);
  const text = useDocument((state) => programText(state));
  const options = specializationOptions(kernels, record, text, target);
  if (!inView || options.length === 0) return null;
  const value = options.findIndex(
    (option) => option.kernel === inView.kernel && option.key === inView.key,
  );
  return (
    <select
      className="field mono"
      aria-label="Specialization in view"
      title="Which compiled form of which kernel Passes and WGSL show"
      value={Math.max(0, value)}
      onChange={(event) => {
        const option = options[Number(event.target.value)];
        if (option) chooseSpecialization({ kernel: option.kernel, key: option.key });
      }}
    >
      {options.map((option, index) => (
        <option key={index} value={index}>
          {[
            option.label,
            ...(option.time === null ? [] : [formatMicroseconds(option.time)]),
            ...(option.note === '' ? [] : [option.note]),
          ].join(' · ')}
        </option>
      ))}
    </select>
  );
}

function Times(): React.ReactNode {
  const milliseconds = useCompilation((state) => state.milliseconds);
  const failure = useCompilation((state) => state.failure);
  const loaded = useCompiler((state) => state.loaded);
  const unavailable = useCompiler((state) => state.unavailable);
  const record = useRun((state) => state.record);
  if (unavailable)
    return (
      <span className="sign warn" title={unavailable}>
        ! compiler not downloaded; trying again
      </span>
    );
  if (failure)
    return (
      <span className="sign warn optional" title={failure}>
        ! compiler stopped; edit to retry
      </span>
    );
  if (!loaded) return <span className="optional">downloading the compiler</span>;
  const parts: string[] = [];
  if (milliseconds !== null) parts.push(`compiled in ${formatNumber(milliseconds, 2)} ms`);
  if (record && record.gpuTime > 0) parts.push(`${formatMicroseconds(record.gpuTime)} GPU`);
  // The short form hides whether a compilation took as long as the one before it, or is that one.
  const exact = milliseconds === null ? undefined : `compiled in ${milliseconds.toFixed(3)} ms`;
  return (
    <span className="optional" title={exact}>
      {parts.join(' · ')}
    </span>
  );
}
