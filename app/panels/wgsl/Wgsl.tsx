/** The WGSL of the specialization in view, linked line by line with the program. */
import { lazy, Suspense, useState } from 'react';
import { useCompared, type ComparedState } from '../../state/compared';
import { useCompilation } from '../../state/compilation';
import { useCompiler } from '../../state/compiler';
import { CopyIcon } from '../../theme/icons';
import { AsIfNotice, AsIfSelect } from '../common/AsIf';
import { ComparedSelect } from '../common/Compared';
import { Empty } from '../common/Empty';
import { formatBytes } from '../common/format';
import { LinkedCode } from '../common/LinkedCode';

const Schedule = lazy(() => import('./Schedule'));
const MonacoDiff = lazy(async () => ({
  default: (await import('../../editor/MonacoView')).MonacoDiff,
}));

export function Wgsl(): React.ReactNode {
  const result = useCompilation((state) => state.result);
  const busy = useCompilation((state) => state.busy);
  const loaded = useCompiler((state) => state.loaded);
  const compared = useCompared();
  const [copied, setCopied] = useState(false);
  const [explains, setExplains] = useState(false);
  const kernel = result?.kind === 'compiled' ? result.kernel : null;
  if (!kernel) {
    const waiting = !loaded ? 'Downloading the compiler…' : busy ? 'Compiling…' : null;
    return (
      <>
        <AsIfNotice />
        <Empty title={waiting ?? 'There is no WGSL to show'}>
          {result?.kind === 'failed'
            ? (result.diagnostics[0]?.message ??
              'The kernel does not compile; see the problems below.')
            : 'The shader that your browser runs appears here as soon as a kernel compiles.'}
        </Empty>
      </>
    );
  }
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(kernel.wgsl);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div className="wgsl">
      <div className="panel-bar">
        <dl className="facts grow">
          <div>
            <dt>workgroup</dt>
            <dd>
              {kernel.workgroupSize} threads{kernel.programs > 1 ? ', a program each' : ''}
            </dd>
          </div>
          <div>
            <dt>workgroup memory</dt>
            <dd>{formatBytes(kernel.workgroupBytes)}</dd>
          </div>
          {kernel.registers > 0 ? (
            <div>
              <dt>registers</dt>
              <dd>≈ {kernel.registers} a thread</dd>
            </div>
          ) : null}
          <div>
            <dt>buffers</dt>
            <dd>{kernel.bindings.length}</dd>
          </div>
          {kernel.features.length > 0 ? (
            <div>
              <dt>needs</dt>
              <dd>{kernel.features.join(', ')}</dd>
            </div>
          ) : null}
        </dl>
        <button
          type="button"
          className="button small"
          aria-expanded={explains}
          title="What the compiler chose for this kernel, why, and the next best"
          onClick={() => setExplains(!explains)}
        >
          Schedule
        </button>
        <AsIfSelect />
        <ComparedSelect />
        <button type="button" className="button small" onClick={() => void copy()}>
          <CopyIcon size={14} />
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <AsIfNotice />
      {explains ? (
        <Suspense fallback={<p className="section muted">Loading the schedule…</p>}>
          <Schedule decisions={result?.kind === 'compiled' ? result.schedule : []} />
        </Suspense>
      ) : null}
      <div className="code-host">
        {compared.choice ? (
          <Difference compared={compared} wgsl={kernel.wgsl} />
        ) : (
          <LinkedCode
            label="WGSL"
            language="wgsl"
            text={kernel.wgsl}
            locations={kernel.sourceMap}
            from="wgsl"
            // Declarations and functions stand above the entry point, where a reader begins.
            start={kernel.entryLine}
          />
        )}
      </div>
    </div>
  );
}

/** On the left that of the specialization compared with, on the right that in view. */
function Difference(props: {
  readonly compared: ComparedState;
  readonly wgsl: string;
}): React.ReactNode {
  const { result, failure, label } = props.compared;
  if (!result)
    return (
      <Empty title={failure ? 'The other one was not compiled' : 'Compiling…'}>{failure}</Empty>
    );
  if (result.kind === 'failed')
    return (
      <Empty title={`${label} does not compile`}>{result.diagnostics[0]?.message ?? ''}</Empty>
    );
  if (result.kernel.wgsl === props.wgsl)
    return <Empty title="The same WGSL">{label} compiles to the same code.</Empty>;
  return (
    <Suspense fallback={null}>
      <MonacoDiff
        label="WGSL"
        language="wgsl"
        before={result.kernel.wgsl}
        after={props.wgsl}
        inline={false}
      />
    </Suspense>
  );
}
