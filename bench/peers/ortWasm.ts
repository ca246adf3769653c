/**
 * Where ONNX Runtime's WebAssembly lies, and its name packed beside the bundle, for a machine
 * without packages.
 */
export const ORT_FOLDER = 'node_modules/onnxruntime-web/dist';
export const ORT_WASM = 'ort-wasm-simd-threaded.asyncify.wasm';
export const PACKED_ORT = `${ORT_WASM}.br`;
