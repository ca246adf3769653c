/**
 * Signature of a call: of the packages, of the language, of the program's own functions and
 * kernels.
 */
import type { Parser } from '../1-parse/parser';
import { lookUp, parametersOf, type Api } from './api';
import { ignoredText, LAUNCH_HINTS } from './hints';
import { isJitted, type Files } from './project';
import { describeFunction } from './resolve';
import { openCall, typingAt, type OpenCall, type Typing } from './typing';

export interface Signature {
  /** `tl.load(pointer, mask=None, …)`. */
  readonly label: string;
  readonly doc: string;
  readonly parameters: readonly { readonly label: string; readonly name: string }[];
}

export interface SignatureHelp extends Signature {
  /** Index of the parameter that is being typed; null beyond the last. */
  readonly active: number | null;
}

/** Keywords of every launch besides the kernel's own parameters. */
const LAUNCH_OPTIONS = ['num_warps=4', 'num_stages=3', 'num_ctas=1'];
const LAUNCH_TEXT = ignoredText(
  LAUNCH_HINTS.filter(({ name }) => LAUNCH_OPTIONS.some((option) => option.startsWith(`${name}=`))),
);

export function signatureAt(
  files: Files,
  parser: Parser,
  api: Api,
  file: string,
  index: number,
): SignatureHelp | undefined {
  const typing = typingAt(files, parser, api, file, index);
  if (typing.cursor.within === 'comment') return undefined;
  const call = openCall(typing.text, typing.cursor);
  const signature = call && signatureOf(typing, call);
  return signature && { ...signature, active: activeParameter(typing, call, signature) };
}

export function signatureOf(typing: Typing, { callee }: OpenCall): Signature | undefined {
  const { project, resolver } = typing;
  const target = typing.calledBy(callee);
  if (target) {
    const described = describeFunction(project, target);
    if (!described) return undefined;
    const jitted = isJitted(project, target);
    const isMethod = /^\(self\b/.test(described.signature);
    const own = parametersOf(described.signature).slice(isMethod ? 1 : 0);
    const launched = jitted && /\]\s*$/.test(callee);
    const parameters = launched
      ? [...own, ...LAUNCH_OPTIONS.flatMap((o) => parametersOf(`(${o})`))]
      : own;
    return {
      label: `${target.symbol.name}(${parameters.map(({ label }) => label).join(', ')})`,
      doc: launched ? [described.doc, LAUNCH_TEXT].filter(Boolean).join('\n\n') : described.doc,
      parameters,
    };
  }
  const meaning = typing.meaningOf(callee);
  const found = meaning?.kind === 'path' ? lookUp(resolver.api, meaning.path) : undefined;
  if (found?.entry.signature === undefined) return builtinSignature(typing, callee);
  return {
    label: `${callee.replace(/\s+/g, '')}${found.entry.signature}`,
    doc: found.entry.doc ?? '',
    parameters: parametersOf(found.entry.signature),
  };
}

function builtinSignature({ resolver }: Typing, callee: string): Signature | undefined {
  const found = /^\w+$/.test(callee) ? lookUp(resolver.api, `builtins.${callee}`) : undefined;
  if (found?.entry.signature === undefined) return undefined;
  const { signature, doc = '' } = found.entry;
  return { label: `${callee}${signature}`, doc, parameters: parametersOf(signature) };
}

function activeParameter(
  { text, index }: Typing,
  { bracket }: OpenCall,
  { parameters }: Signature,
): number | null {
  const keyword = /^\s*(\w+)\s*=(?!=)/.exec(text.slice(bracket.pieces.at(-1), index))?.[1];
  if (keyword !== undefined) {
    const named = parameters.findIndex(({ name }) => name === keyword);
    if (named >= 0) return named;
    const rest = parameters.findIndex(({ label }) => label.startsWith('**'));
    return rest >= 0 ? rest : null;
  }
  const variadic = parameters.findIndex(({ label }) => /^\*\w/.test(label));
  const commas = bracket.pieces.length - 1;
  const at = variadic >= 0 ? Math.min(commas, variadic) : commas;
  return at < parameters.length ? at : null;
}

/** The keywords that a call has been given up to the cursor, and how many arguments without one. */
export function givenArguments(
  text: string,
  { bracket: { pieces } }: OpenCall,
): { readonly keywords: ReadonlySet<string>; readonly positional: number } {
  const keywords = new Set<string>();
  let positional = 0;
  for (const [i, start] of pieces.slice(0, -1).entries()) {
    const name = /^\s*(\w+)\s*=(?!=)/.exec(text.slice(start, pieces[i + 1]))?.[1];
    if (name) keywords.add(name);
    else positional++;
  }
  return { keywords, positional };
}
