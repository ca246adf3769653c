/**
 * Ruff's formatter, in WebAssembly: 11 MB (3 compressed), loaded when somebody formats for the
 * first time.
 */
type Ruff = typeof import('@astral-sh/ruff-wasm-web');

let loading: Promise<InstanceType<Ruff['Workspace']>> | null = null;

async function load(): Promise<InstanceType<Ruff['Workspace']>> {
  const [ruff, wasm] = await Promise.all([
    import('@astral-sh/ruff-wasm-web'),
    import('@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm?url'),
  ]);
  await ruff.default({ module_or_path: wasm.default });
  return new ruff.Workspace({ 'line-length': 100, 'indent-width': 4 }, ruff.PositionEncoding.Utf16);
}

/** The text as Ruff writes it; null where it does not parse or Ruff could not be loaded. */
export async function formatPython(text: string): Promise<string | null> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  try {
    return (await loading).format(text);
  } catch {
    return null;
  }
}
