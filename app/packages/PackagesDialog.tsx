/**
 * Packages: those that the program in view needs, fetched by a button that names the host; those
 * that are kept, with their sizes; wheels that are chosen here.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { CURES, OpenFault } from '../open/fault';
import { formatBytes } from '../panels/common/format';
import { useDocument } from '../state/document';
import { visibleText } from '../state/visibleText';
import type { Lock, LockPackage } from './lock';
import { closure, needsOf } from './needs';
import { addWheel, fetchPackages, indexHost, loadKept, removePackage, usePackages } from './store';
import '../open/open.css';
import '../programs/programs.css';

const sentenceOf = (error: unknown): string =>
  error instanceof OpenFault
    ? `${error.message}${error.cure === 'file' ? ` ${CURES.file}` : ''}`
    : `${String(error)}.`;

export default function PackagesDialog(): React.ReactNode {
  const [lock, setLock] = useState<Lock | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const chosen = useRef<HTMLInputElement>(null);
  useEffect(() => {
    loadKept().then(setLock, (error: unknown) => setFailure(sentenceOf(error)));
  }, []);
  return (
    <DialogFrame title="Packages" className="packages" describedBy="packages-say">
      <p id="packages-say" className="dialog-text muted">
        torch, triton and the parts of numpy, pytest, einops and others that programs with kernels
        use are here without a network. Other packages of Pyodide’s index are fetched when you press
        a button that names its host, and are kept in this browser. Where the real package is there,
        it is used.
      </p>
      {lock ? <Needed lock={lock} onFailure={setFailure} /> : null}
      {failure === null ? null : (
        <p className="dialog-text open-failure" role="alert">
          <span className="sign fail">✗</span> <span>{visibleText(failure)}</span>
        </p>
      )}
      <Kept />
      <div className="dialog-bar">
        <button type="button" className="button" onClick={() => chosen.current?.click()}>
          Add a wheel…
        </button>
        <input
          ref={chosen}
          type="file"
          hidden
          accept=".whl"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = '';
            if (!file) return;
            setFailure(null);
            addWheel(file).catch((error: unknown) => setFailure(sentenceOf(error)));
          }}
        />
      </div>
    </DialogFrame>
  );
}

/** A package that is not kept yet. */
const isAbsent = (one: LockPackage, kept: readonly { readonly name: string }[]): boolean =>
  !kept.some(({ name }) => name === one.name);

function Needed(props: {
  readonly lock: Lock;
  readonly onFailure: (text: string | null) => void;
}): React.ReactNode {
  const { lock, onFailure } = props;
  const { files, entry } = useDocument();
  const kept = usePackages((state) => state.kept);
  const needs = useMemo(() => needsOf(files, entry, lock), [files, entry, lock]);
  const [progress, setProgress] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const missing = needs.packages.filter((one) => isAbsent(one, kept));
  const whole = needs.whole.filter((one) => isAbsent(one, kept));
  const unknown = needs.unknown.filter((name) => !kept.some((one) => one.name === name));
  const fetchThem = (packages: readonly LockPackage[]): void => {
    const controller = new AbortController();
    stop.current = controller;
    onFailure(null);
    setProgress('');
    fetchPackages(packages, controller.signal, setProgress)
      .catch((error: unknown) => onFailure(sentenceOf(error)))
      .finally(() => setProgress(null));
  };
  const names = (packages: readonly LockPackage[]): string =>
    packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  return (
    <div className="open-form">
      {missing.length > 0 ? (
        <p className="open-what">
          This program needs <b>{names(missing)}</b>
          {missing.length > 1 ? ', with what they depend on' : ''}.
        </p>
      ) : (
        <p className="open-what">
          {needs.packages.length > 0
            ? `What this program needs of the index is here: ${names(needs.packages)}.`
            : 'This program needs no package of the index.'}
        </p>
      )}
      {unknown.length > 0 ? (
        <p className="open-what">
          Neither here nor in the index:{' '}
          <b>{visibleText(unknown.slice(0, 20).join(', ').slice(0, 400))}</b>. A wheel of it that
          ends in -none-any.whl can be added, or dropped on the page.
        </p>
      ) : null}
      {whole.length > 0 ? (
        <p className="open-what">
          Here in part, whole in the index: {names(whole)}.{' '}
          <button
            type="button"
            className="link"
            disabled={progress !== null}
            onClick={() => fetchThem(closure(whole, lock).filter((one) => isAbsent(one, kept)))}
          >
            Fetch {whole.map(({ name }) => name).join(', ')} from {indexHost()}
          </button>
        </p>
      ) : null}
      {missing.length > 0 ? (
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={progress !== null}
            onClick={() => fetchThem(missing)}
          >
            Fetch {missing.length === 1 ? missing[0]!.name : `${missing.length} packages`} from{' '}
            {indexHost()}
          </button>
          {progress === null ? null : (
            <button type="button" className="button" onClick={() => stop.current?.abort()}>
              Cancel
            </button>
          )}
        </div>
      ) : null}
      <span className="muted" role="status">
        {progress === null ? '' : `Fetching ${progress} …`}
      </span>
    </div>
  );
}

function Kept(): React.ReactNode {
  const kept = usePackages((state) => state.kept);
  if (kept.length === 0) return null;
  const total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <>
      <p className="dialog-text">
        Kept in this browser: {formatBytes(total)}. Every program that imports them gets them.
      </p>
      <ul className="program-list" aria-label="Packages that are kept">
        {kept.map(({ fileName, name, version, bytes, from }) => (
          <li key={fileName}>
            <span className="grow program-name">
              <b>
                {visibleText(name)} {visibleText(version)}
              </b>
              <span className="muted">
                {formatBytes(bytes)} · {from === 'index' ? 'from the index' : 'a wheel of yours'}
              </span>
            </span>
            <span className="program-actions">
              <button
                type="button"
                className="button small quiet"
                aria-label={`Remove ${name}`}
                onClick={() => void removePackage(fileName)}
              >
                Remove
              </button>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
