/**
 * localStorage that never throws: private windows and full disks make it fail, and losing a preference
 * is better than losing the page. Keys share one prefix.
 */
const PREFIX = 'hippocamp:';

export function load(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

let keeping = true;
/** For a page inside another page: from now on nothing is written. */
export function keepNothing(): void {
  keeping = false;
}

/** @returns whether it was kept. */
export function save(key: string, value: string | null): boolean {
  if (!keeping) return false;
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
    return true;
  } catch {
    return false;
  }
}

export function loadJson<T>(key: string, fallback: T, accept: (value: unknown) => value is T): T {
  const text = load(key);
  if (text === null) return fallback;
  try {
    const value: unknown = JSON.parse(text);
    return accept(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** The keys that begin so, without the prefix of all. */
export function keysFrom(start: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX + start))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

export function saveJson(key: string, value: unknown): boolean {
  return save(key, JSON.stringify(value));
}

/** For `useDefaultLayout`, which remembers where the dividers stand. */
export const layoutStorage = {
  getItem: load,
  setItem: (key: string, value: string): void => void save(key, value),
};

/** What this tab chose, else what any tab chose last: a reload goes on with its own. */
export function loadOwn(key: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + key) ?? load(key);
  } catch {
    return load(key);
  }
}
export function saveOwn(key: string, value: string): void {
  save(key, value);
  if (!keeping) return;
  try {
    sessionStorage.setItem(PREFIX + key, value);
  } catch {
    // Then the next visit goes by what any tab chose last.
  }
}
