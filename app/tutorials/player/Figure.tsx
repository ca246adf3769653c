/**
 * Figures drawn from the run. Here: the elements that one program of a launch touches in each
 * tensor, and when. The launch is run again on the interpreter, in the inspect worker, on what it
 * really got; its loads and stores are reported one execution at a time, so a step of a loop can be
 * looked at by itself.
 */
import { useEffect, useMemo, useState } from 'react';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import { programCount } from '../../../compiler/inspect/launch';
import type { MemoryReport, Raster, TensorReport } from '../../../compiler/inspect/memoryMap';
import { useRun } from '../../state/run';
import { useTheme } from '../../state/settings';
import { InspectHost } from '../../workers/inspectHost';
import type { FigureSpec } from '../document';
import { isKernelFinished, type Finished } from '../finished';
import { gridOf, paint, summaryOf, type FigureGrid } from './drawing';
import { IrAfter } from './IrAfter';
import { Measured } from './Measured';
import { NotYet } from './NotYet';

interface Drawn {
  readonly tensor: TensorReport;
  readonly grid: FigureGrid;
  readonly raster: Raster;
}

let host: InspectHost | null = null;
/**
 * Figures ask a worker of their own: the memory panel's answers belong to the launch that it shows.
 */
const figureHost = (): InspectHost => (host ??= new InspectHost());
/** One figure at a time: an answer belongs to the launch and program of the question before it. */
let turn: Promise<unknown> = Promise.resolve();

async function draw(
  inputs: LaunchInputs,
  linear: number,
  step: number | null,
): Promise<{ readonly report: MemoryReport; readonly drawn: readonly Drawn[] }> {
  const [x, y] = inputs.grid;
  const program = [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))] as const;
  const report = await figureHost().askOf(inputs, { kind: 'memory', program });
  if ('refused' in report) throw new Error(report.refused);
  const drawn: Drawn[] = [];
  for (const tensor of report.tensors) {
    if (tensor.reads + tensor.writes + tensor.masked + tensor.outside === 0) continue;
    const grid = gridOf(tensor);
    const accesses = report.accesses.filter((one) => one.parameter === tensor.parameter);
    // An operation that happens once, before or after a loop, is shown at every step of it.
    const once = accesses.every((access) => access.executions <= 1);
    const raster = await figureHost().ask({
      kind: 'raster',
      parameter: tensor.parameter,
      window: { ...grid.window },
      filter: { accesses: null, execution: once ? null : step },
      races: false,
    });
    drawn.push({ tensor, grid, raster });
  }
  return { report, drawn };
}

export function Figure(props: {
  readonly spec: FigureSpec;
  readonly finished: Finished;
}): React.ReactNode {
  const { spec, finished } = props;
  const ran = useRun((state) => state.own?.record.text ?? null);
  const early =
    spec.kind === 'accesses' && ran !== null && !isKernelFinished(ran, spec.kernel, finished);
  return (
    <figure className="figure" aria-label={spec.caption || 'From the run'}>
      <h3>From the run</h3>
      {early ? (
        <figcaption>
          From your kernel as it was when it ran. It has not passed the checks yet.
        </figcaption>
      ) : spec.caption ? (
        <figcaption>{spec.caption}</figcaption>
      ) : null}
      {spec.kind === 'accesses' ? (
        <Accesses spec={spec} />
      ) : spec.kind === 'ir' ? (
        <IrAfter spec={spec} />
      ) : (
        <Measured spec={spec} />
      )}
    </figure>
  );
}

function Accesses(props: {
  readonly spec: Extract<FigureSpec, { kind: 'accesses' }>;
}): React.ReactNode {
  const { kernel, program } = props.spec;
  const own = useRun((state) => state.own);
  const inputs = own?.launches.find((one) => one.kernel === kernel);
  if (inputs && own?.record.outcome !== null)
    return <Touched key={inputs.launch} inputs={inputs} first={program} />;
  return (
    <NotYet>
      what <code>{kernel}</code> did
    </NotYet>
  );
}

function Touched(props: {
  readonly inputs: LaunchInputs;
  readonly first: number;
}): React.ReactNode {
  const { inputs, first } = props;
  const programs = programCount(inputs);
  const [program, setProgram] = useState(Math.min(first, programs - 1));
  const [step, setStep] = useState<number | null>(null);
  const [picture, setPicture] = useState<Awaited<ReturnType<typeof draw>> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    turn = turn
      .then(() => (left ? null : draw(inputs, program, step)))
      .then((drawn) => {
        if (left || !drawn) return;
        setPicture(drawn);
        setFailure(null);
      })
      .catch((error: unknown) => {
        if (!left) setFailure(error instanceof Error ? error.message : String(error));
      });
    return () => {
      left = true;
    };
  }, [inputs, program, step]);
  const steps = picture
    ? Math.max(0, ...picture.report.accesses.map((access) => access.executions))
    : 0;
  return (
    <>
      <div className="figure-controls">
        {programs > 1 ? (
          <label>
            Program
            <input
              type="range"
              min={0}
              max={programs - 1}
              value={program}
              onChange={(event) => setProgram(Number(event.target.value))}
            />
            <output>
              {program}, of 0 to {programs - 1}
            </output>
          </label>
        ) : null}
        {steps > 1 ? (
          <label>
            Step of the loop
            <input
              type="range"
              min={-1}
              max={steps - 1}
              value={step ?? -1}
              onChange={(event) => {
                const value = Number(event.target.value);
                setStep(value < 0 ? null : value);
              }}
            />
            <output>{step === null ? 'all' : `${step + 1} of ${steps}`}</output>
          </label>
        ) : null}
      </div>
      {failure ? <p className="muted">{failure}</p> : null}
      <div className="figure-tensors">
        {picture?.drawn.map((one) => (
          <Picture key={one.tensor.parameter} drawn={one} />
        ))}
      </div>
      <p className="figure-legend">
        <span className="read">loaded</span> <span className="written">stored</span>{' '}
        <span className="masked">masked off</span> <span className="outside">out of range</span>
      </p>
    </>
  );
}

function Picture({ drawn }: { readonly drawn: Drawn }): React.ReactNode {
  const { tensor, grid, raster } = drawn;
  const theme = useTheme((state) => state.theme);
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null);
  const summary = useMemo(() => summaryOf(tensor), [tensor]);
  useEffect(() => {
    if (canvas) paint(canvas, grid, raster, theme);
  }, [canvas, grid, raster, theme]);
  return (
    <div className="figure-tensor">
      <p>
        <code>{tensor.name}</code> <span className="muted">{summary}</span>
      </p>
      <canvas ref={setCanvas} role="img" aria-label={`${tensor.name}: ${summary}`} />
    </div>
  );
}
