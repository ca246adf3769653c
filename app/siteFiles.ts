/**
 * Paths of the files that the page fetches by name, from the page's folder. In a build each path
 * holds a digest of its contents (`scripts/siteFiles.ts`): a page of one build never receives
 * another build's file, wherever it comes from.
 */

export interface SiteFiles {
  /** Folder of Pyodide's files, with a slash at the end. */
  readonly pyodide: string;
  /** Folder of the gallery's programs, with a slash at the end. */
  readonly examples: string;
  /** Folder of what real Triton made of the gallery's kernels, with a slash at the end. */
  readonly realTriton: string;
  readonly pythonApi: string;
}

/** Set by the bundler. */
declare const HIPPOCAMP_FILES: SiteFiles | undefined;

/** As the development server serves them. */
const PLAIN: SiteFiles = {
  pyodide: 'pyodide/',
  examples: 'examples/',
  realTriton: 'real-triton/',
  pythonApi: 'python-api.json',
};

export const SITE_FILES: SiteFiles = typeof HIPPOCAMP_FILES === 'object' ? HIPPOCAMP_FILES : PLAIN;
