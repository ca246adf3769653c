/**
 * Bessel functions of order 0 and 1, which JavaScript's Math lacks, to about 1e-15: of the first
 * and second kind by Miller's recurrence and Neumann's series, modified ones by series and by the
 * integral that defines them, all of them by Hankel's expansions where the argument is large.
 */

const EULER = 0.5772156649015329;
/** From here on, Hankel's expansions are exact to the last digits. */
const LARGE = 30;

/** J₀, J₁, J₂ … at x in (0, LARGE), by recurrence downwards; their sum is known. */
function ladder(x: number): Float64Array {
  // So near 0 that the recurrence would overflow, the first terms are exact.
  if (x < 1e-5) return Float64Array.of(1 - (x * x) / 4, x / 2, (x * x) / 8, 0);
  const top = 2 * Math.ceil((x + 50) / 2);
  const J = new Float64Array(top + 2);
  J[top] = 1e-300;
  for (let k = top; k > 0; k--) {
    J[k - 1] = ((2 * k) / x) * J[k]! - J[k + 1]!;
    if (Math.abs(J[k - 1]!) > 1e200) for (let i = k - 1; i <= top; i++) J[i]! *= 1e-200;
  }
  let sum = J[0]!;
  for (let k = 2; k <= top; k += 2) sum += 2 * J[k]!;
  return J.map((value) => value / sum);
}

/** Hankel's two sums at x for an order: the even and the odd terms, up to the smallest. */
function hankel(order: 0 | 1, x: number, sign: 1 | -1): { even: number; odd: number } {
  const mu = 4 * order * order;
  const sums = [1, 0];
  let term = 1;
  for (let k = 1; k < 60; k++) {
    const next = (term * (mu - (2 * k - 1) ** 2)) / (k * 8 * x);
    if (Math.abs(next) > Math.abs(term) || Math.abs(next) < 1e-18) break;
    term = next;
    // For J and Y, the signs go + + − −; for I and K they are in the terms.
    sums[k % 2]! += sign < 0 && k % 4 > 1 ? -term : term;
  }
  return { even: sums[0]!, odd: sums[1]! };
}

/** J and Y far out: amplitude √(2/πx) at the phase x − π/4 − order·π/2. */
function wave(order: 0 | 1, x: number, second: boolean): number {
  const { even, odd } = hankel(order, x, -1);
  // cos and sin of x − π/4 (− π/2), by the sum formula: the difference would lose digits of x.
  const [c, s] = [Math.cos(x), Math.sin(x)];
  const [near, far] = [(c + s) * Math.SQRT1_2, (s - c) * Math.SQRT1_2];
  const [cosine, sine] = order === 0 ? [near, far] : [far, -near];
  const amplitude = Math.sqrt(2 / (Math.PI * x));
  return amplitude * (second ? even * sine + odd * cosine : even * cosine - odd * sine);
}

function firstKind(order: 0 | 1, x: number): number {
  const a = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  if (a === 0) return order === 0 ? 1 : x;
  return sign * (a < LARGE ? ladder(a)[order]! : wave(order, a, false));
}

export const besselJ0 = (x: number): number => firstKind(0, x);
export const besselJ1 = (x: number): number => firstKind(1, x);

function secondKind(order: 0 | 1, x: number): number {
  if (!(x >= 0)) return NaN;
  if (x === 0) return -Infinity;
  if (x >= LARGE) return wave(order, x, true);
  const J = ladder(x);
  const log = Math.log(x / 2) + EULER;
  let sum = 0;
  for (let k = 1; 2 * k + 1 < J.length; k++) {
    const weight = order === 0 ? 1 / k : (2 * k + 1) / (k * (k + 1));
    sum += (k % 2 ? -weight : weight) * J[2 * k + order]!;
  }
  if (order === 0) return (2 * log * J[0]! - 4 * sum) / Math.PI;
  return ((-2 / x) * J[0]! + 2 * (log - 1) * J[1]! - 2 * sum) / Math.PI;
}

export const besselY0 = (x: number): number => secondKind(0, x);
export const besselY1 = (x: number): number => secondKind(1, x);

/** e^(−|x|)·I(x), whose series has only positive terms. */
function modifiedFirst(order: 0 | 1, x: number): number {
  const a = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  if (a >= LARGE) {
    if (a === Infinity) return sign < 0 ? -0 : 0;
    const { even, odd } = hankel(order, a, 1);
    return (sign * (even - odd)) / Math.sqrt(2 * Math.PI * a);
  }
  const square = (a * a) / 4;
  let term = order === 0 ? 1 : x / 2;
  let sum = term;
  for (let k = 1; Math.abs(term) > Math.abs(sum) * 1e-18; k++) {
    term *= square / (k * (k + order));
    sum += term;
  }
  return sum * Math.exp(-a);
}

/**
 * With its scale put back, in halves that do not overflow alone. NaN at infinity, as in PyTorch.
 */
function unscaled(scaled: number, exponent: number): number {
  return scaled * Math.exp(exponent / 2) * Math.exp(exponent / 2);
}

export const besselI0e = (x: number): number => modifiedFirst(0, x);
export const besselI1e = (x: number): number => modifiedFirst(1, x);
export const besselI0 = (x: number): number => unscaled(modifiedFirst(0, x), Math.abs(x));
export const besselI1 = (x: number): number => unscaled(modifiedFirst(1, x), Math.abs(x));

/** eˣ·K(x) = ∫ exp(−x (cosh t − 1)) cosh(order·t) dt, by the trapezoidal rule. */
function modifiedSecond(order: 0 | 1, x: number): number {
  if (!(x >= 0)) return NaN;
  if (x === 0) return Infinity;
  if (x === Infinity) return 0;
  if (x >= LARGE) {
    const { even, odd } = hankel(order, x, 1);
    return Math.sqrt(Math.PI / (2 * x)) * (even + odd);
  }
  if (x < 1) return Math.exp(x) * (order === 0 ? smallK0(x) : smallK1(x));
  const step = 1 / 32;
  let sum = 0.5;
  for (let t = step; ; t += step) {
    // cosh t − 1 = 2 sinh²(t/2), without cancellation.
    const term = Math.exp(-2 * x * Math.sinh(t / 2) ** 2) * (order === 0 ? 1 : Math.cosh(t));
    sum += term;
    if (term < sum * 1e-18) return sum * step;
  }
}

/** K₀'s series: −(ln(x/2) + γ) I₀(x) + Σ (x²/4)ᵏ / k!² · (1 + 1/2 + … + 1/k). */
function smallK0(x: number): number {
  const square = (x * x) / 4;
  let sum = -(Math.log(x / 2) + EULER);
  for (let k = 1, term = 1, harmonic = 0, log = sum; k < 30; k++) {
    term *= square / (k * k);
    harmonic += 1 / k;
    sum += term * (harmonic + log);
  }
  return sum;
}

/** K₁'s: from the Wronskian I₀K₁ + I₁K₀ = 1/x, whose terms are positive. */
function smallK1(x: number): number {
  return (1 / x - besselI1(x) * smallK0(x)) / besselI0(x);
}

export const scaledBesselK0 = (x: number): number => modifiedSecond(0, x);
export const scaledBesselK1 = (x: number): number => modifiedSecond(1, x);
export const besselK0 = (x: number): number => (x > 0 && x < 1 ? smallK0(x) : decayed(0, x));
export const besselK1 = (x: number): number => (x > 0 && x < 1 ? smallK1(x) : decayed(1, x));

function decayed(order: 0 | 1, x: number): number {
  return x === 0 ? Infinity : modifiedSecond(order, x) * Math.exp(-x);
}

export const sphericalBesselJ0 = (x: number): number =>
  x === 0 ? 1 : Math.abs(x) === Infinity ? 0 : Math.sin(x) / x;
