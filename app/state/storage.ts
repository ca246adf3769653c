/**
 * localStorage that never throws: private windows and full disks make it fail, and losing a
 * preference is better than losing the page. Keys share one prefix.
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

/** For `useDefaultLayout`, which remembers where the dividers stand, and believes what it reads. */
export const layoutStorage = {
  getItem: (key: string): string | null => {
    const text = load(key);
    return text !== null && isLayout(text) ? text : null;
  },
  setItem: (key: string, value: string): void => void save(key, value),
};
/** Percentages by panel, of all the width. */
function isLayout(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return false;
    const parts: unknown[] = Object.values(value);
    const all = parts.reduce<number>((sum, one) => sum + Number(one), 0);
    return parts.every((one) => typeof one === 'number' && one >= 0) && Math.abs(all - 100) < 1;
  } catch {
    return false;
  }
}
/** The panels and dividers as on a first visit. */
export function forgetLayout(): void {
  for (const key of ['panel', 'split', ...keysFrom('react-resizable-panels')]) save(key, null);
}

/** Choice of this tab, else the last choice of any tab: a reload goes on with its own. */
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
