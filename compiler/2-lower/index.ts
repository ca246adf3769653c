/** The lowering's public face. */
export { lower, type LowerRequest, type LowerResult } from './lower';
export { CODES, TYPE_CODES, type Code } from './codes';
