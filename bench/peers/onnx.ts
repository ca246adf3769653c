/**
 * Writes ONNX models of one node as bytes: the few messages of its protocol buffers that such a
 * model needs (onnx.proto: ModelProto, GraphProto, NodeProto, AttributeProto, ValueInfoProto).
 */
import type { Element } from '../work';

/** A tensor of the node's type, or of `type`; without a name an input that is left out. */
export interface Value {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type?: 'i32';
}
export interface Node {
  readonly op: string;
  readonly type: Exclude<Element, 'i8'>;
  readonly inputs: readonly Value[];
  readonly output: readonly number[];
  /** Outputs behind the first. */
  readonly more?: readonly Value[];
  readonly integers?: Readonly<Record<string, number>>;
  readonly floats?: Readonly<Record<string, number>>;
  readonly domain?: 'com.microsoft';
}

type Field = Uint8Array;

function varint(value: number): number[] {
  const out: number[] = [];
  for (let left = BigInt.asUintN(64, BigInt(value)); ; left >>= 7n) {
    if (left < 128n) return [...out, Number(left)];
    out.push(Number(left & 127n) | 128);
  }
}
function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
const integer = (field: number, value: number): Field =>
  Uint8Array.from([...varint(field * 8), ...varint(value)]);
const bytes = (field: number, value: Uint8Array): Field =>
  concat([Uint8Array.from([...varint(field * 8 + 2), ...varint(value.length)]), value]);
const text = (field: number, value: string): Field => bytes(field, new TextEncoder().encode(value));
const message = (field: number, fields: readonly Field[]): Field => bytes(field, concat(fields));
const float = (field: number, value: number): Field =>
  concat([
    Uint8Array.from(varint(field * 8 + 5)),
    new Uint8Array(new Float32Array([value]).buffer),
  ]);

/** Values of the types of attributes. */
const FLOAT_TYPE = 1;
const INTEGER_TYPE = 2;
/** Values of the types of tensors. */
const ELEMENT_TYPES: Readonly<Record<Node['type'] | 'i32', number>> = { f32: 1, f16: 10, i32: 6 };

function value(field: number, { name, shape, type: own }: Value, element: Node['type']): Field {
  const dims = shape.map((size) => message(1, [integer(1, size)]));
  const type = message(1, [integer(1, ELEMENT_TYPES[own ?? element]), message(2, dims)]);
  return message(field, [text(1, name), message(2, [type])]);
}

/** A model whose graph is the node: its inputs by name, its output `out` and what is behind it. */
export function onnxModel(node: Node): Uint8Array {
  const attributes = [
    ...Object.entries(node.integers ?? {}).map(([name, each]) =>
      message(5, [text(1, name), integer(3, each), integer(20, INTEGER_TYPE)]),
    ),
    ...Object.entries(node.floats ?? {}).map(([name, each]) =>
      message(5, [text(1, name), float(2, each), integer(20, FLOAT_TYPE)]),
    ),
  ];
  const outputs = [{ name: 'out', shape: node.output }, ...(node.more ?? [])];
  const graph = [
    message(1, [
      ...node.inputs.map(({ name }) => text(1, name)),
      ...outputs.map(({ name }) => text(2, name)),
      text(4, node.op),
      ...attributes,
      ...(node.domain ? [text(7, node.domain)] : []),
    ]),
    text(2, 'bench'),
    ...node.inputs.filter(({ name }) => name !== '').map((each) => value(11, each, node.type)),
    ...outputs.map((each) => value(12, each, node.type)),
  ];
  return concat([
    integer(1, 8),
    message(7, graph),
    message(8, [text(1, ''), integer(2, 17)]),
    ...(node.domain ? [message(8, [text(1, node.domain), integer(2, 1)])] : []),
  ]);
}
