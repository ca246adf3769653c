/**
 * Names the compiler that is in this build: another text, another name. What was measured of its
 * kernels counts for them only.
 */

/**
 * Set by the bundler (`app/cli/compilerVersion.mjs`); in development as it was when the server
 * started.
 */
declare const HIPPOCAMP_COMPILER: string | undefined;

export const COMPILER_VERSION =
  typeof HIPPOCAMP_COMPILER === 'string' ? HIPPOCAMP_COMPILER : 'not built';
