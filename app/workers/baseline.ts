/**
 * JavaScript's side of a worker as it was before the first program: the global scope, the
 * language's own objects, and the timers that call Python. A run that leaves it otherwise makes the
 * worker unfit for another one.
 */

/** A proxy of a Python function, or Pyodide's wrapper for one call: both can be destroyed. */
const callsPython = (callback: unknown): boolean =>
  typeof callback === 'function' && 'destroy' in callback;

/** Timers that will call Python. */
const pending = new Set<unknown>();

/** From here on, timers are counted. */
function watchTimers(): void {
  const scope = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;
  const { setTimeout: later, setInterval: repeat, clearTimeout: clear } = scope;
  scope['setTimeout'] = (callback, ...rest) => {
    if (!callsPython(callback)) return later!(callback, ...rest);
    const timer = later!(
      (...args: unknown[]) => {
        pending.delete(timer);
        (callback as (...args: unknown[]) => void)(...args);
      },
      ...rest,
    );
    pending.add(timer);
    return timer;
  };
  scope['setInterval'] = (callback, ...rest) => {
    const timer = repeat!(callback, ...rest);
    if (callsPython(callback)) pending.add(timer);
    return timer;
  };
  // One list of timers serves both.
  scope['clearTimeout'] = scope['clearInterval'] = (timer) => {
    pending.delete(timer);
    clear!(timer);
  };
}

type Properties = ReadonlyMap<PropertyKey, PropertyDescriptor>;

function propertiesOf(object: object): Properties {
  const descriptors = Object.getOwnPropertyDescriptors(object) as Record<
    PropertyKey,
    PropertyDescriptor
  >;
  return new Map(Reflect.ownKeys(descriptors).map((key) => [key, descriptors[key]!]));
}

const same = (one: Properties, other: Properties): boolean =>
  one.size === other.size &&
  [...one].every(([key, { value, get, set }]) => {
    const found = other.get(key);
    return found && Object.is(found.value, value) && found.get === get && found.set === set;
  });

export class Baseline {
  private readonly known = new Map<object, Properties>();

  constructor() {
    watchTimers();
    const found = propertiesOf(globalThis);
    this.known.set(globalThis, found);
    for (const { value } of found.values()) {
      if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) continue;
      this.known.set(value as object, propertiesOf(value as object));
      const { prototype } = value as { prototype?: unknown };
      if (typeof prototype === 'object' && prototype !== null)
        this.known.set(prototype, propertiesOf(prototype));
    }
  }

  /** Whether everything is as it was. */
  holds(): boolean {
    if (pending.size > 0) return false;
    for (const [object, properties] of this.known)
      if (!same(properties, propertiesOf(object))) return false;
    return true;
  }
}
