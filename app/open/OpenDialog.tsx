/**
 * Open from a URL: an address, what will be fetched for it and from which hosts, and the button
 * that names them. Nothing is fetched before that button is pressed, and nothing runs. The program
 * opens beside the visitor's own.
 */
import { useEffect, useRef, useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { add, freeName, newProgram, usePrograms } from '../programs/programs';
import { NoticeLine } from '../programs/NoticeLine';
import { notify } from '../programs/notices';
import { readableTitle } from '../state/fileNames';
import { useRoute } from '../state/route';
import { openDialog } from '../state/view';
import { visibleText } from '../state/visibleText';
import { placeOf, type Place } from './address';
import { bookmarklet } from './bookmarklet';
import { CURES, OpenFault } from './fault';
import { fetchProgram, type FetchedProgram } from './fetchProgram';
import './open.css';

interface Failure {
  readonly text: string;
  readonly cure: string;
}
const failureOf = (error: unknown): Failure =>
  error instanceof OpenFault
    ? { text: error.message, cure: CURES[error.cure] }
    : { text: `It could not be opened: ${String(error)}.`, cure: CURES.paste };

/** The place that an address names, or the failure of one that names none. */
function read(address: string): { readonly place: Place } | { readonly failure: Failure } {
  try {
    return { place: placeOf(address, location.hostname) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

export default function OpenDialog(): React.ReactNode {
  const linked = useRoute((route) => (route.kind === 'open' ? route.address : ''));
  // A link that comes while the dialog is open begins anew.
  return <Opening key={linked} linked={linked} />;
}

function Opening({ linked }: { readonly linked: string }): React.ReactNode {
  const [address, setAddress] = useState(linked);
  const [progress, setProgress] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => leave, []);
  const found = address.trim() === '' ? null : read(address);
  const place = found && 'place' in found ? found.place : null;

  const fetchIt = (): void => {
    if (!place || progress !== null) return;
    const controller = new AbortController();
    stop.current = controller;
    setFailure(null);
    setProgress('');
    fetchProgram(place, {
      hosts: place.hosts,
      signal: controller.signal,
      report: setProgress,
    })
      .then(opened)
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setProgress(null));
  };
  // Who closes the dialog no longer waits.
  useEffect(() => () => stop.current?.abort(), []);

  const shown = failure ?? (found && 'failure' in found ? found.failure : null);
  return (
    <DialogFrame title="Open from a URL" className="open-url" describedBy="open-says">
      <p id="open-says" className="dialog-text muted">
        A file, folder or gist on GitHub, a file or kernel on Hugging Face, a notebook, or any raw
        file. Modules that it imports from the same repository come along.
      </p>
      <form
        className="open-form"
        onSubmit={(event) => {
          event.preventDefault();
          fetchIt();
        }}
      >
        <input
          className="field wide"
          type="text"
          inputMode="url"
          aria-label="Address"
          placeholder="https://github.com/owner/repository/blob/main/kernel.py"
          value={address}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          disabled={progress !== null}
          onChange={(event) => {
            setAddress(event.target.value);
            setFailure(null);
          }}
        />
        {place ? <WhatIsFetched place={place} /> : null}
        {shown ? (
          <p className="open-failure" role="alert">
            <span className="sign fail">✗</span>
            <span>
              {visibleText(shown.text)} <span className="muted">{shown.cure}</span>
            </span>
          </p>
        ) : null}
        <div className="row">
          <button type="submit" className="button primary" disabled={!place || progress !== null}>
            {place ? `Fetch from ${place.hosts.join(' and ')}` : 'Fetch'}
          </button>
          {progress === null ? (
            <button
              type="button"
              className="button"
              onClick={() => void newProgram().then(() => openDialog(null))}
            >
              New program, to paste into
            </button>
          ) : (
            <button type="button" className="button" onClick={() => stop.current?.abort()}>
              Cancel
            </button>
          )}
          <span className="muted" role="status">
            {progress === null ? '' : `Fetching ${visibleText(progress.slice(0, 80))} …`}
          </span>
        </div>
      </form>
      <Bookmarklet />
      <NoticeLine />
    </DialogFrame>
  );
}

function WhatIsFetched({ place }: { readonly place: Place }): React.ReactNode {
  const what = place.kind === 'file' ? 'The file' : place.kind === 'folder' ? 'The folder' : 'The';
  return (
    <p className="open-what">
      {what} <b>{visibleText(readableTitle(place.title).slice(0, 200))}</b> is fetched from{' '}
      <b>{place.hosts.join(' and ')}</b>, without cookies; the host sees your IP address and what
      you open. It opens as a new program. Nothing runs until you press Run.
    </p>
  );
}

/** A link to drag to the bookmarks; React refuses to write such an address itself. */
function Bookmarklet(): React.ReactNode {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(
    () => link.current?.setAttribute('href', bookmarklet(location.origin + location.pathname)),
    [],
  );
  return (
    <p className="dialog-text muted open-bookmarklet">
      To open what you are looking at on GitHub or Hugging Face, drag this to your bookmarks:{' '}
      <a
        ref={link}
        className="button small"
        onClick={(event) => {
          event.preventDefault();
          notify({ text: 'Drag it to the bookmarks bar; there it opens the page in view here.' });
        }}
      >
        Open in Hippocamp
      </a>
    </p>
  );
}

async function opened(program: FetchedProgram): Promise<void> {
  const { files, entry, notes } = program;
  const taken = (usePrograms.getState().list ?? []).map(({ name }) => name);
  const name = freeName(readableTitle(program.name) || 'program', taken);
  leave();
  await add(name, files, entry, { kind: 'link', files });
  openDialog(null);
  notify({
    untilRun: true,
    text: [`Opened “${name}” as a new program. Nothing ran yet.`, ...notes].join(' '),
  });
}

/** The address would open the dialog again with the next reload. */
function leave(): void {
  if (useRoute.getState().kind !== 'open') return;
  history.replaceState(null, '', location.pathname + location.search);
  useRoute.setState({ kind: 'home' }, true);
}
