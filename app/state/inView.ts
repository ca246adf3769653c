/** Of the specialization in view: what the last run did with it. */
import { useCompilation } from './compilation';
import { useSession } from './session';

/** Programs of its last launch; null where it was not launched. */
export function programsInView(): number | null {
  const key = useCompilation.getState().inView?.key;
  const group = useSession.getState().record?.groups.findLast(({ first }) => first.key === key);
  return group ? group.first.grid.reduce((product, size) => product * size, 1) : null;
}
