import type { Plugin } from 'esbuild';

export const raw: Plugin;
