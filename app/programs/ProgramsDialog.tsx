/** My programs: open, rename, duplicate, delete, history, import and export. */
import { useEffect, useRef, useState } from 'react';
import { DialogFrame } from '../DialogFrame';
import { openKept, useDocument } from '../state/document';
import { openDialog } from '../state/view';
import { plural } from '../panels/common/format';
import { NoticeLine } from './NoticeLine';
import {
  duplicate,
  goTo,
  newProgram,
  refreshPrograms,
  remove,
  rename,
  usePrograms,
} from './programs';
import type { KeptProgram } from './records';
import { canOpenFolder, exportAll, exportProgram, importFiles, importFolder } from './transfer';
import './programs.css';

const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export default function ProgramsDialog(): React.ReactNode {
  const list = usePrograms((state) => state.list);
  const chosen = useRef<HTMLInputElement>(null);
  useEffect(() => void refreshPrograms(), []);
  return (
    <DialogFrame title="My programs" describedBy="programs-say">
      <p id="programs-say" className="dialog-text muted">
        They are kept in this browser, on this computer, and nowhere else. Changes save
        automatically.
      </p>
      <div className="dialog-bar">
        <button
          type="button"
          className="button"
          onClick={() => void newProgram().then(() => openDialog(null))}
        >
          New program
        </button>
        <button type="button" className="button" onClick={() => chosen.current?.click()}>
          Import files…
        </button>
        <input
          ref={chosen}
          type="file"
          hidden
          multiple
          accept=".py,.ipynb,.zip,.hippocamp,.json,.ndjson,.gz"
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            event.target.value = '';
            void importFiles(files);
          }}
        />
        {canOpenFolder() ? (
          <button type="button" className="button" onClick={() => void importFolder()}>
            Import a folder…
          </button>
        ) : null}
        <button type="button" className="button" onClick={() => openDialog('open')}>
          Open from a URL…
        </button>
        <span className="grow" />
        {list && list.length > 1 ? (
          <button type="button" className="button" onClick={() => exportAll(list)}>
            Export all (.zip)
          </button>
        ) : null}
      </div>
      {list && list.length > 0 ? (
        <ul className="program-list" aria-label="My programs">
          {list.map((program) => (
            <ProgramRow key={program.id} program={program} />
          ))}
        </ul>
      ) : (
        <p className="dialog-text">
          {list ? 'None yet: edit an example, or make a new one.' : 'Looking…'}
        </p>
      )}
      <NoticeLine />
    </DialogFrame>
  );
}

function ProgramRow({ program }: { readonly program: KeptProgram }): React.ReactNode {
  const current = useDocument((state) => state.program === program.id);
  const [renaming, setRenaming] = useState(false);
  const files = Object.keys(program.files);
  const open = (): void => {
    openDialog(null);
    void goTo(program.id);
  };
  const about = `${program.origin.kind === 'example' ? 'edited example · ' : ''}${
    files.length > 1 ? plural(files.length, 'file') : files[0]
  } · ${WHEN.format(program.updated)}`;
  return (
    <li aria-current={current || undefined}>
      {renaming ? (
        <form
          className="grow"
          onSubmit={(event) => {
            event.preventDefault();
            const name = new FormData(event.currentTarget).get('name');
            setRenaming(false);
            void rename(program.id, String(name));
          }}
        >
          <input
            className="field wide"
            name="name"
            aria-label={`New name of ${program.name}`}
            defaultValue={program.name}
            autoFocus
            onFocus={(event) => event.target.select()}
            onBlur={() => setRenaming(false)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              setRenaming(false);
            }}
          />
        </form>
      ) : (
        <button type="button" className="program-name grow" onClick={open}>
          <b>{program.name}</b>
          <span className="muted">{about}</span>
        </button>
      )}
      <span className="program-actions">
        {program.origin.kind === 'example' ? null : (
          <Action label="Rename" of={program} onClick={() => setRenaming(true)} />
        )}
        <Action label="Duplicate" of={program} onClick={() => void duplicate(program.id)} />
        <Action
          label="History"
          of={program}
          onClick={() => void openKept(program.id).then(() => openDialog('history'))}
        />
        <Action label="Export" of={program} onClick={() => exportProgram(program)} />
        <Action label="Delete" of={program} onClick={() => void remove(program.id)} />
      </span>
    </li>
  );
}

function Action(props: {
  readonly label: string;
  readonly of: KeptProgram;
  readonly onClick: () => void;
}): React.ReactNode {
  return (
    <button
      type="button"
      className="button small quiet"
      aria-label={`${props.label} ${props.of.name}`}
      onClick={props.onClick}
    >
      {props.label}
    </button>
  );
}
