/**
 * Choice of the target that code is shown for, and a line that says so while it is another one. A
 * part of links.
 */
import { findProfile, PROFILES } from '../../../compiler/targets/index';
import { registerSlice } from '../../share/slices';
import { compileAsIf, useAsIf } from '../../state/asIf';

// A link without it leaves the visitor's own choice.
registerSlice('asIf', {
  get: () => useAsIf.getState().profile?.id ?? null,
  set: (value) => {
    if (typeof value === 'string') useAsIf.setState({ profile: findProfile(value) ?? null });
  },
});

/** In the bar of a panel that shows code. */
export function AsIfSelect(): React.ReactNode {
  const id = useAsIf(({ profile }) => profile?.id ?? '');
  return (
    <select
      className="field small as-if"
      aria-label="Compile as if for another GPU"
      title="Show the code that another GPU would get; programs run on yours"
      value={id}
      onChange={(event) => compileAsIf(event.target.value)}
    >
      <option value="">{id === '' ? 'Compile as if for…' : 'This adapter'}</option>
      {PROFILES.map((profile) => (
        <option key={profile.id} value={profile.id}>
          as if for {profile.target.name}
        </option>
      ))}
    </select>
  );
}

export function AsIfNotice(): React.ReactNode {
  const name = useAsIf(({ profile }) => profile?.target.name ?? null);
  if (name === null) return null;
  return (
    <p className="notice" role="status">
      This is what {name} would get, not what ran.{' '}
      <button type="button" className="link" onClick={() => compileAsIf('')}>
        Show this adapter’s
      </button>
    </p>
  );
}
