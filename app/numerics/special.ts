/** Special functions that JavaScript's Math lacks, to about 1e-15 relative. */

/** The error function: its Maclaurin series near zero, 1 − erfc elsewhere. */
export function erf(x: number): number {
  if (x !== x) return x;
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a > 2) return Math.sign(x) * (1 - erfcPositive(a));
  // 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (2n+1)!! : all terms positive, so no cancellation.
  const square = 2 * x * x;
  let term = x;
  let sum = x;
  for (let n = 1; n < 80; n++) {
    term *= square / (2 * n + 1);
    sum += term;
    if (Math.abs(term) < Math.abs(sum) * 1e-17) break;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

export function erfc(x: number): number {
  if (x !== x) return x;
  if (x < 2) return 1 - erf(x);
  return x > 27 ? 0 : erfcPositive(x);
}

/** The continued fraction of erfc, from the bottom; x ≥ 2. */
function erfcPositive(x: number): number {
  let fraction = x;
  for (let k = 60; k > 0; k--) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (fraction * Math.sqrt(Math.PI));
}

/** Lanczos' coefficients for g = 7, n = 9. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

export function lgamma(x: number): number {
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
  const z = x - 1;
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (z + i);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

export function gamma(x: number): number {
  if (Number.isInteger(x) && x > 0 && x < 171) {
    let product = 1;
    for (let i = 2; i < x; i++) product *= i;
    return product;
  }
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  return Math.exp(lgamma(x));
}
