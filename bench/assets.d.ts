/** Files that the bundler puts into the benchmark as text or bytes. */
declare module '*.py' {
  const text: string;
  export default text;
}
declare module '*.wasm' {
  const bytes: Uint8Array;
  export default bytes;
}
