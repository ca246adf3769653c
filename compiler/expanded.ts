/**
 * Expanded tensors: those that repeat elements by a stride of 0, as `expand` and the gradient of a
 * sum make them. A kernel that takes one for contiguous leaves its memory.
 */

/**
 * A hint for an access that leaves such a tensor; null for any other tensor.
 * @param strides in elements.
 */
export function expandedHint(
  name: string,
  shape: readonly number[] | null | undefined,
  strides: readonly number[] | null | undefined,
): string | null {
  if (!shape || !strides?.some((stride, i) => stride === 0 && shape[i]! > 1)) return null;
  const elements = shape.reduce((product, size) => product * size, 1);
  const held = shape.reduce((product, size, i) => (strides[i] === 0 ? product : product * size), 1);
  return (
    `${name} is an expanded tensor of shape [${shape.join(', ')}] and strides [${strides.join(', ')}]: ` +
    `memory holds ${held} of its ${elements} elements. Pass \`.contiguous()\` of it, or its strides.`
  );
}
