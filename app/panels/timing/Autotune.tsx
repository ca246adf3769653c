/**
 * Each tuning of the run: every configuration with its settings in columns, its time, and which was
 * chosen. A row opens the code of its specialization, whether it was measured or not.
 */
import { useState } from 'react';
import type { TunedConfiguration } from '../../events';
import { useCompilation } from '../../state/compilation';
import type { AutotuneEvent } from '../../state/record';
import { chooseSpecialization } from '../../state/view';
import { CodeLinks } from '../common/Compared';
import { formatMicroseconds, formatNumber, plural } from '../common/format';
import { Site } from '../common/Site';
import { namesOf, orderOf, type SortKey, type Sorting } from './configurations';

const STATES: Record<TunedConfiguration['state'], string> = {
  waiting: 'waiting',
  measured: '',
  dropped: 'dropped: slower',
  failed: 'failed',
  skipped: 'not measured',
  same: 'same code as',
};

export function Autotune({ tuning }: { readonly tuning: AutotuneEvent }): React.ReactNode {
  const { configurations, best, kernel, fromCache, done, seconds, schedule = false } = tuning;
  const [sorting, setSorting] = useState<Sorting>({ key: 'time', descending: false });
  const names = namesOf(configurations);
  const order = orderOf(configurations, sorting);
  const fastest = best === null ? undefined : configurations[best]?.timing?.median;
  const below = configurations.some(
    ({ timing }) => timing !== null && timing.median < timing.quantum,
  );
  const skipped = configurations.filter(({ state }) => state === 'skipped').length;
  const head = { sorting, onSort: setSorting };
  return (
    <section
      className="section"
      aria-label={schedule ? `Schedules of ${kernel}` : `Autotuning of ${kernel}`}
    >
      <div className="section-head">
        <h3>
          {schedule ? 'Schedules of' : 'Autotuning of'} <span className="mono">{kernel}</span>
        </h3>
        <span className="muted">
          {fromCache
            ? 'from an earlier run on this adapter'
            : `${plural(configurations.length, schedule ? 'schedule' : 'configuration')}${done ? ` in ${formatNumber(seconds, 3)} s` : ', measuring'}`}
        </span>
        <Site site={tuning.site} />
      </div>
      <p className="muted mono tuning-key">
        {schedule ? '' : 'key '}
        {tuning.key}
      </p>
      {schedule ? <Outcome tuning={tuning} /> : null}
      {names.common === '' ? null : (
        <p className="muted mono tuning-key">all with {names.common}</p>
      )}
      <div className="scroll-x">
        <table className="data tunings">
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden-visually">Chosen</span>
              </th>
              {names.columns.map(({ name, short }) => (
                <SortHead key={name} of={name} title={short} hint={name} {...head} />
              ))}
              {names.options.some(Boolean) ? <th scope="col">Compiler options</th> : null}
              <SortHead of="time" title="Median" {...head} />
              <th
                scope="col"
                className="number"
                title={schedule ? undefined : 'The middle 60 % of the samples'}
              >
                {schedule ? 'Range (10–90 %)' : 'Range (20–80 %)'}
              </th>
              <th scope="col" className="number">
                {schedule ? 'vs default beside it' : 'vs best'}
              </th>
              <th scope="col">Code</th>
              <th scope="col" />
            </tr>
          </thead>
          <tbody>
            {order.map((index) => {
              const configuration = configurations[index]!;
              const { sameAs } = configuration;
              return (
                <Row
                  key={index}
                  kernel={kernel}
                  configuration={configuration}
                  columns={names.columns}
                  options={names.options.some(Boolean) ? names.options[index]! : null}
                  sameAs={sameAs === undefined ? '' : (names.own[sameAs] ?? '')}
                  chosen={index === best}
                  fastest={schedule ? undefined : fastest}
                />
              );
            })}
          </tbody>
        </table>
      </div>
      {skipped > 0 && !schedule ? (
        <p className="muted">
          {plural(skipped, 'configuration')} not measured: time budget used up. Their code opens all
          the same; the next run measures more.
        </p>
      ) : null}
      {below ? (
        <p className="muted">
          Some times are below the clock’s resolution: between those the choice says little.
        </p>
      ) : null}
    </section>
  );
}

/** The default against the winner, of the rounds that decided. */
function Outcome({ tuning }: { readonly tuning: AutotuneEvent }): React.ReactNode {
  const { configurations, best, done } = tuning;
  if (!done || best === null) return null;
  const [normal] = configurations;
  const winner = configurations[best];
  if (best === 0 || !normal?.timing || !winner?.timing)
    return (
      <p className="tuning-key">The default stays: nothing was faster by more than the spread.</p>
    );
  const [before, after] = [normal.timing.median, winner.timing.median];
  return (
    <p className="tuning-key">
      Default {formatMicroseconds(before)}, tuned {formatMicroseconds(after)}:{' '}
      {formatNumber(before / after, 3)} times as fast.
    </p>
  );
}

/** A title that sorts: by its column, then the other way round. */
function SortHead(props: {
  readonly of: SortKey;
  readonly title: string;
  readonly hint?: string;
  readonly sorting: Sorting;
  readonly onSort: (sorting: Sorting) => void;
}): React.ReactNode {
  const { of, title, hint, sorting, onSort } = props;
  const own = sorting.key === of;
  const next = { key: of, descending: own && !sorting.descending };
  return (
    <th
      scope="col"
      className="number"
      aria-sort={own ? (sorting.descending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" className="sort" title={hint} onClick={() => onSort(next)}>
        {title}
        <span aria-hidden="true">{own ? (sorting.descending ? ' ▾' : ' ▴') : ''}</span>
      </button>
    </th>
  );
}

function Row(props: {
  readonly kernel: string;
  readonly configuration: TunedConfiguration;
  readonly columns: ReturnType<typeof namesOf>['columns'];
  /** Null: no configuration has any. */
  readonly options: string | null;
  /** The name of the configuration whose code it is; '' for most. */
  readonly sameAs: string;
  readonly chosen: boolean;
  readonly fastest: number | undefined;
}): React.ReactNode {
  const { kernel, configuration, columns, options, sameAs, chosen, fastest } = props;
  const { text, timing, reference, state, error, settings, specialization } = configuration;
  const inView = useCompilation((state) => state.inView?.key ?? null);
  const choice = specialization === undefined ? null : { kernel, key: specialization };
  const isUnder = timing !== null && timing.median < timing.quantum;
  const against = reference ?? fastest;
  const ratio = timing && against ? timing.median / against : null;
  return (
    <tr
      data-chosen={chosen}
      className={choice ? 'launch-row' : undefined}
      aria-selected={choice ? choice.key === inView : undefined}
      title={text}
      onClick={choice ? () => chooseSpecialization(choice) : undefined}
    >
      <td>
        {chosen ? (
          <span className="sign pass">
            <span aria-hidden="true">✓</span>
            <span className="hidden-visually">chosen</span>
          </span>
        ) : null}
      </td>
      {columns.map(({ name }) => (
        <td key={name} className="number mono">
          {settings[name] === undefined ? '' : String(settings[name])}
        </td>
      ))}
      {options === null ? null : (
        <td className="mono">{options || (text === 'default' ? text : '')}</td>
      )}
      <td className="number">
        {timing === null
          ? '–'
          : isUnder
            ? `below ${formatMicroseconds(timing.quantum)}`
            : formatMicroseconds(timing.median)}
      </td>
      <td className="number muted">
        {timing && !isUnder && timing.high > timing.low
          ? `${formatMicroseconds(timing.low)} – ${formatMicroseconds(timing.high)} (${timing.samples})`
          : ''}
      </td>
      <td className="number muted">
        {ratio === null || isUnder ? '' : `× ${formatNumber(ratio, 3)}`}
      </td>
      <td>{choice ? <CodeLinks choice={choice} /> : null}</td>
      <td className={state === 'failed' ? 'sign fail' : 'muted'}>
        {STATES[state]} {sameAs === '' ? null : <span className="mono">{sameAs}</span>}
        {error === null ? '' : `: ${error}`}
      </td>
    </tr>
  );
}
