/**
 * Route within the page, from the address's hash: the programs, a lesson (`#/learn/…`), a link that
 * somebody sent (`#/s/…`, see `app/share`), or an address to open (`#/open/https://…`, see
 * `app/open`). The hash never leaves the browser.
 */
import { create } from 'zustand';

export type Route =
  | { readonly kind: 'home' }
  /** `path` is what follows `#/learn`, without slashes at its ends; '' is the list of courses. */
  | { readonly kind: 'learn'; readonly path: string }
  /** `payload` is decoded by `app/share`, which never throws. */
  | { readonly kind: 'link'; readonly payload: string; readonly query: string }
  /** An address that the visitor may open: nothing is fetched before a click. */
  | { readonly kind: 'open'; readonly address: string };

export function routeOf(hash: string): Route {
  const text = hash.replace(/^#/, '');
  const [path = '', query = ''] = text.split('?', 2);
  if (/^\/learn(\/|$)/.test(path))
    return { kind: 'learn', path: path.slice('/learn'.length).replaceAll(/^\/+|\/+$/g, '') };
  if (text.startsWith('/open/'))
    return { kind: 'open', address: decoded(text.slice('/open/'.length)) };
  if (path.startsWith('/s/')) return { kind: 'link', payload: path.slice('/s/'.length), query };
  return { kind: 'home' };
}

/** An address as it is, or encoded as a bookmarklet does. */
function decoded(address: string): string {
  if (/^https?:\/\//.test(address)) return address;
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** The list of courses: no program stands in the page. */
export const isList = (route: Route): boolean => route.kind === 'learn' && route.path === '';

export const useRoute = create<Route>(() => ({ kind: 'home' }));

/** Follows the address. */
export function startRoute(): void {
  const apply = (): void => useRoute.setState(routeOf(location.hash), true);
  addEventListener('hashchange', apply);
  apply();
}

/** Goes to `#/learn/…`; the way back is the browser's. */
export function goToLesson(path = ''): void {
  location.hash = path === '' ? '/learn' : `/learn/${path}`;
}
/** Leaves lessons and links; what was open before is open again. */
export function goHome(): void {
  history.pushState(null, '', location.pathname + location.search);
  useRoute.setState({ kind: 'home' }, true);
}
