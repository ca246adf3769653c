/**
 * TTIR, TTGIR or PTX that real Triton made of the kernel in view, beside the passes of this
 * compiler and linked with the program in the same way.
 */
import { useEffect, useMemo } from 'react';
import { TILE_IR } from '../../editor/tileIr';
import { useCompilation } from '../../state/compilation';
import { isModified, useDocument } from '../../state/document';
import {
  loadRecorded,
  locationsOf,
  otherwiseAligned,
  REAL_LEVELS,
  recordedFor,
  useRecorded,
  type RealLevel,
  type RecordedKernel,
  type Recording,
} from '../../state/recorded';
import { Empty } from '../common/Empty';
import { formatBytes } from '../common/format';
import { LinkedCode } from '../common/LinkedCode';

export default function RealTriton({ level }: { readonly level: RealLevel }): React.ReactNode {
  const program = useDocument((document) => document.identity);
  const { recording, failure } = useRecorded();
  useEffect(() => void loadRecorded(), [program, level]);
  if (recording) return <Recorded recording={recording} level={level} />;
  return failure === null ? (
    <Empty title="Downloading what Triton made…">It is fetched once for a program.</Empty>
  ) : (
    <Empty title="Triton’s code could not be downloaded">
      {failure}. Choose another level to try again.
    </Empty>
  );
}

function Recorded(props: {
  readonly recording: Recording;
  readonly level: RealLevel;
}): React.ReactNode {
  const { recording, level } = props;
  const inView = useCompilation((state) => state.inView);
  const changed = useDocument(isModified);
  const specialization = inView?.request.specialization;
  const recorded = specialization && recordedFor(recording, inView.kernel, specialization);
  const otherwise = recorded ? otherwiseAligned(recorded, specialization) : [];
  return (
    <>
      <div className="panel-bar">
        <span className="mono">
          <b>{REAL_LEVELS[level]}</b>
        </span>
        <span className="muted">
          by Triton {recording.triton} for {recording.target}
          {recorded ? ` · num_warps ${recorded.numWarps}, num_stages ${recorded.numStages}` : ''}
        </span>
        <span className="grow" />
        {recorded ? <Facts kernel={recorded} /> : null}
      </div>
      {changed ? (
        <p className="section muted">
          Recorded from the gallery’s text, which you have changed: lines are not linked.
        </p>
      ) : null}
      {otherwise.length > 0 ? (
        <p className="section muted">
          Recorded where {otherwise.join(', ')} differ in being a multiple of 16.
        </p>
      ) : null}
      <div className="code-host">
        {recorded ? (
          <Code kernel={recorded} level={level} linked={!changed} />
        ) : (
          <Empty title="Not recorded for these arguments">
            {inView
              ? `There is ${REAL_LEVELS[level]} of other specializations: ${listed(recording, inView.kernel)}.`
              : 'No kernel is in view.'}
          </Empty>
        )}
      </div>
    </>
  );
}

function Facts({ kernel }: { readonly kernel: RecordedKernel }): React.ReactNode {
  return (
    <dl className="facts">
      <div>
        <dt>registers</dt>
        <dd title="32-bit registers of a thread, as ptxas assigns them">
          {kernel.registers} a thread
          {kernel.spilled > 0 ? `, ${formatBytes(kernel.spilled)} spilled` : ''}
        </dd>
      </div>
      <div>
        <dt>shared memory</dt>
        <dd>{formatBytes(kernel.shared)}</dd>
      </div>
    </dl>
  );
}

function Code(props: {
  readonly kernel: RecordedKernel;
  readonly level: RealLevel;
  readonly linked: boolean;
}): React.ReactNode {
  const { kernel, level, linked } = props;
  const code = kernel[level];
  const entry = useDocument((state) => state.entry);
  const locations = useMemo(() => (linked ? locationsOf(code, entry) : []), [code, entry, linked]);
  return (
    <LinkedCode
      label={`${REAL_LEVELS[level]} of Triton`}
      language={TILE_IR}
      text={code.text}
      locations={locations}
      from="passes"
    />
  );
}

/** Constants and warps of each recording of a kernel. */
function listed(recording: Recording, kernel: string): string {
  const own = recording.kernels.filter((one) => one.kernel === kernel);
  if (own.length === 0) return `none of ${kernel}`;
  return own
    .map(({ signature, numWarps }) => {
      const constants = Object.entries(signature)
        .filter(([, text]) => text.startsWith('='))
        .map(([name, text]) => `${name}${text}`);
      return [...constants, `num_warps=${numWarps}`].join(', ');
    })
    .join('; ');
}
