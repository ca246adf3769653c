/** The WebAssembly of the parser, deflated, as base64: made by `scripts/package.ts`. */
declare module 'hippocamp:parser-wasm' {
  export const treeSitter: string;
  export const python: string;
}
