export function compilerVersion(root: string): { readonly HIPPOCAMP_COMPILER: string };
