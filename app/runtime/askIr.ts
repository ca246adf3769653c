/**
 * Questions about a kernel's IR as another GPU would get it (`compiler/inspect/irQuestion.ts`):
 * what a lesson's checks ask of a program. The answer is the same on every adapter, also where the
 * launch was interpreted.
 */
import { answerIr, type IrAnswer, parseIrQuestion } from '../../compiler/inspect/irQuestion';
import type { Compile } from '../../compiler/pipeline';
import type { CompileRequest } from '../../compiler/program';
import { settle } from '../../compiler/regroup';
import { findProfile } from '../../compiler/targets/index';
import { retarget } from '../../compiler/targets/retarget';

export type IrReply = { readonly answer: IrAnswer } | { readonly error: string };

/** The request that compiles a kernel for a profile, with the IR of each pass. */
export function requestForIr(request: CompileRequest, profile: string): CompileRequest {
  const found = findProfile(profile);
  if (!found) throw new Error(`there is no target ${profile}`);
  const shown = retarget(request, found.target);
  return { ...shown, options: { ...shown.options, keepIr: true } };
}

export function askIr(
  compile: Compile,
  request: CompileRequest,
  profile: string,
  question: string,
): IrReply {
  try {
    const { result } = settle((each) => compile(each), requestForIr(request, profile));
    if (result.kind === 'compiled') return { answer: answerIr(result, parseIrQuestion(question)) };
    const [first] = result.kind === 'failed' ? result.diagnostics : [];
    return { error: `it does not compile for ${profile}: ${first?.message ?? 'its tensors'}` };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
