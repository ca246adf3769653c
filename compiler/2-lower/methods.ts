/** `x.name(…)`: methods of tensors, dtypes, block pointers and descriptors. */
import { MESSAGES } from './codes';
import { callDtypeMethod } from './attributes';
import { callFunction } from './calls';
import type { Context } from './context';
import { callableOf } from './functions';
import { isLibraryMember } from './library';
import { callObjectMethod } from './objects';
import { callPythonMethod, hasPythonMethod } from './pythonMethods';
import { callBuiltin, memberBuiltin } from './registry';
import { callAggregateMethod } from './builtins/blocks';
import { callSharedMethod } from './builtins/gluonShared';
import { bool, describe, shapeVal, type Val } from './values';

export function callMethod(
  cx: Context,
  self: Val,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  if (self.kind === 'dtype') return callDtypeMethod(cx, self.dtype, name);
  if (self.kind === 'blocktype') {
    if (name === 'is_block') return bool(true);
    if (name === 'get_block_shapes') return shapeVal(self.shape);
    return bool(false);
  }
  if (hasPythonMethod(self, name)) return callPythonMethod(cx, self, name, args);
  if (self.kind === 'object') return callObjectMethod(cx, self, name, args, keywords);
  if (self.kind === 'aggregate' && self.type === 'shared_memory')
    return callSharedMethod(cx, self, name, args, keywords);
  if (self.kind === 'aggregate') return callAggregateMethod(cx, self, name, args, keywords);
  const operation = memberBuiltin(name);
  if (operation) return callBuiltin(cx, operation, [self, ...args], keywords);
  if (isLibraryMember(name))
    return callFunction(cx, callableOf(cx, `lib:${name}`), [self, ...args], keywords);
  return cx.fail('HC0109', MESSAGES.HC0109.noSuchMethod({ self: describe(self), name }));
}
