/**
 * A tensor's elements by their distance from its first one, as its strides spread them out: names,
 * and the grid that the memory panel draws them in.
 */

/** Indices of the element at this distance; null where no element of the tensor lies there. */
export function indicesOf(
  offset: number,
  shape: readonly number[],
  strides: readonly number[],
): number[] | null {
  if (offset < 0 || shape.length !== strides.length) return null;
  const order = shape
    .map((_, d) => d)
    .filter((d) => shape[d]! > 1)
    .sort((a, b) => strides[b]! - strides[a]!);
  const indices = shape.map(() => 0);
  let rest = offset;
  for (const d of order) {
    const stride = strides[d]!;
    // Repeated along this dimension: its first element stands for all.
    if (stride <= 0) continue;
    const index = Math.min(shape[d]! - 1, Math.floor(rest / stride));
    indices[d] = index;
    rest -= index * stride;
  }
  return rest === 0 ? indices : null;
}

/** `[3, 17]`; null where no element lies there. */
export function elementName(
  offset: number,
  shape: readonly number[] | null,
  strides: readonly number[] | null,
): string | null {
  if (!shape || !strides) return null;
  const indices = indicesOf(offset, shape, strides);
  return indices && `[${indices.join(', ')}]`;
}

/**
 * Elements from one drawn row to the next, where the tensor says so: a matrix's own row, or its
 * column where it is transposed. Null for vectors.
 */
export function pitchOf(
  shape: readonly number[] | null,
  strides: readonly number[] | null,
): number | null {
  const rows = (shape ?? [])
    .map((size, d) => ({ size, stride: strides?.[d] ?? 0 }))
    .filter(({ size, stride }) => size > 1 && stride > 1)
    .map(({ stride }) => stride);
  return rows.length > 0 ? Math.min(...rows) : null;
}

/** For a vector: the power of two that fills a picture of these proportions best. */
export function vectorPitch(count: number, width: number, height: number): number {
  const square = Math.sqrt((Math.max(1, count) * width) / height);
  return Math.max(64, 2 ** Math.round(Math.log2(square)));
}
