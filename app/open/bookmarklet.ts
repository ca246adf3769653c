/** The bookmarklet: opens the page that one looks at, by a link of this page (`#/open/…`). */
export const bookmarklet = (page: string): string =>
  `javascript:void(open(${JSON.stringify(`${page}#/open/`)}+encodeURIComponent(location.href),'_blank','noopener'))`;
