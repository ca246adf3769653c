/** Result of a search for races, in a sentence. */
import { programOf, type LaunchInputs } from '../../../compiler/inspect/launch';
import type { RaceReport } from '../../../compiler/inspect/races';
import { elementName } from '../memory/elements';
import { formatCount, plural } from './format';

/** Programs that are run to look for races. */
export const MOST_RACING = 1024;

function programText(grid: LaunchInputs['grid'], program: number): string {
  return `(${programOf(grid, program).join(', ')})`;
}

/** `programs (3, 0, 0) and (4, 0, 0)`, of linear indices. */
export function racingPrograms(grid: LaunchInputs['grid'], programs: readonly number[]): string {
  return `programs ${programs.map((each) => programText(grid, each)).join(' and ')}`;
}

export function RaceSummary(props: {
  readonly report: RaceReport;
  readonly launch: LaunchInputs;
}): React.ReactNode {
  const { report, launch } = props;
  const [x, y, z] = launch.grid;
  const among = `${formatCount(report.programs)} of ${plural(x * y * z, 'program')}`;
  const partly = report.end.kind === 'budget' ? ' (as far as they were run)' : '';
  if (report.end.kind === 'failed')
    return <span className="sign fail">! The programs stopped: {report.end.message}</span>;
  const nameOf = (parameter: number, element: number): string => {
    const arg = launch.args[parameter];
    const [shape, strides] = arg?.kind === 'pointer' ? [arg.shape, arg.strides] : [null, null];
    const name = elementName(element, shape, strides) ?? `[${element}]`;
    return `${report.names[parameter] ?? ''}${name}`;
  };
  const { firstBeside } = report;
  const beside = firstBeside ? (
    <span className="muted">
      {' '}
      {plural(report.besideView, 'element')} written outside of the view that was passed, first{' '}
      <span className="mono">{nameOf(firstBeside.parameter, firstBeside.element)}</span>: CUDA lets
      it.
    </span>
  ) : null;
  const { writeWrite, readWrite, lanes } = report;
  if (writeWrite + readWrite + lanes === 0)
    return (
      <span role="status">
        <span className="sign pass">✓</span>{' '}
        {x * y * z > 1
          ? `No two of ${among} touch an element that one of them writes${partly}.`
          : `No two lanes write different values to an element${partly}.`}
        {beside}
      </span>
    );
  const [first] = report.shown;
  return (
    <span role="status">
      <span className="sign fail">✗</span>{' '}
      {[
        writeWrite > 0 ? `${plural(writeWrite, 'element')} written by two programs` : '',
        readWrite > 0 ? `${plural(readWrite, 'element')} written by one and read by another` : '',
        lanes > 0 ? `${plural(lanes, 'element')} written by two lanes with different values` : '',
      ]
        .filter((text) => text !== '')
        .join(', ')}
      , among {among}
      {partly}.{' '}
      {first ? (
        <span className="mono">
          First: {nameOf(first.parameter, first.element)},{' '}
          {first.kind === 'lanes'
            ? `program ${programText(launch.grid, first.programs[0])}`
            : racingPrograms(launch.grid, first.programs)}
        </span>
      ) : null}
      {beside}
    </span>
  );
}
