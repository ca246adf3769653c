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

/** The logarithmic derivative of gamma: recurrence up to 10, then the asymptotic series. */
export function digamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Infinity : -Infinity;
  if (x < 0 && Number.isInteger(x)) return NaN;
  if (x < 0) return digamma(1 - x) - Math.PI / Math.tan(Math.PI * x);
  let result = 0;
  for (; x < 10; x++) result -= 1 / x;
  const inverse = 1 / (x * x);
  // Bernoulli numbers: 1/12, −1/120, 1/252, −1/240, 1/132, −691/32760, 1/12.
  const series =
    inverse *
    (1 / 12 -
      inverse *
        (1 / 120 -
          inverse *
            (1 / 252 - inverse * (1 / 240 - inverse * (1 / 132 - inverse * (691 / 32760))))));
  return result + Math.log(x) - 0.5 / x - series;
}

/** The inverse of erf: Giles' approximation, made exact by two Newton steps. */
export function erfinv(x: number): number {
  if (x !== x || x < -1 || x > 1) return NaN;
  if (Math.abs(x) === 1) return x * Infinity;
  const w = -Math.log((1 - x) * (1 + x));
  let y: number;
  if (w < 5) {
    const t = w - 2.5;
    y =
      x *
      [
        2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 2.1858087e-4, -1.25372503e-3,
        -4.17768164e-3, 0.246640727, 1.50140941,
      ].reduce((sum, c) => sum * t + c);
  } else {
    const t = Math.sqrt(w) - 3;
    y =
      x *
      [
        -2.00214257e-4, 1.00950558e-4, 1.34934322e-3, -3.67342844e-3, 5.73950773e-3, -7.6224613e-3,
        9.43887047e-3, 1.00167406, 2.83297682,
      ].reduce((sum, c) => sum * t + c);
  }
  for (let step = 0; step < 2; step++) {
    // Near ±1 the difference of erfs cancels; erfc's does not.
    const error = x > 0.5 ? -(erfc(y) - (1 - x)) : x < -0.5 ? erfc(-y) - (1 + x) : erf(y) - x;
    y -= (error * Math.sqrt(Math.PI)) / (2 * Math.exp(-y * y));
  }
  return y;
}
