/**
 * The editor's questions about a text, and their answers: plain data, so that a worker can be
 * asked. Every answer comes from the text alone, but for what is known of the packages.
 */
import type { Position } from '../1-parse/tree';
import type { Parser } from '../1-parse/parser';
import type { Api } from './api';
import { completionsAt, type Completions } from './complete';
import { describeAt, type Description } from './describe';
import {
  definitionAt,
  Project,
  referencesAt,
  rename,
  renameAt,
  type Files,
  type Place,
  type Renaming,
} from './project';
import { outlineOf, type OutlineItem } from './outlineOf';
import { settingsOf } from './settings';
import type { LaunchSettings } from './settingValues';
import { signatureAt, type SignatureHelp } from './signature';

interface At {
  readonly files: Files;
  readonly file: string;
}
/** One type a kind, so that a request determines its answer's type. */
type Each<Kind extends string, Rest> = Kind extends string
  ? At & Rest & { readonly kind: Kind }
  : never;
export type LanguageRequest =
  | Each<'complete' | 'signature', { readonly index: number }>
  | Each<'describe' | 'definition' | 'references' | 'renameable', { readonly position: Position }>
  | Each<'rename', { readonly position: Position; readonly name: string }>
  | Each<'settings', { readonly kernel: string; readonly line: number }>
  | Each<'outline', unknown>;

/** The answer to each kind of request. */
export interface LanguageAnswers {
  readonly complete: Completions;
  readonly signature: SignatureHelp | null;
  readonly describe: Description | null;
  readonly definition: Place | null;
  readonly references: readonly Place[];
  readonly renameable: Place | { readonly problem: string };
  readonly rename: Renaming;
  /** The launch of a kernel on a line; null where there is none. */
  readonly settings: LaunchSettings | null;
  readonly outline: readonly OutlineItem[];
}
export type LanguageAnswer = LanguageAnswers[keyof LanguageAnswers];

export function answer(request: LanguageRequest, parser: Parser, api: Api): LanguageAnswer {
  const { files, file } = request;
  switch (request.kind) {
    case 'complete':
      return completionsAt(files, parser, api, file, request.index);
    case 'signature':
      return signatureAt(files, parser, api, file, request.index) ?? null;
    case 'describe':
      return describeAt(files, parser, api, file, request.position) ?? null;
    case 'definition':
      return definitionAt(new Project(files, parser), file, request.position) ?? null;
    case 'references':
      return referencesAt(new Project(files, parser), file, request.position);
    case 'renameable':
      return renameAt(new Project(files, parser), file, request.position);
    case 'rename':
      return rename(new Project(files, parser), file, request.position, request.name);
    case 'settings':
      return settingsOf(new Project(files, parser), file, request.kernel, request.line);
    case 'outline':
      return outlineOf(new Project(files, parser), file);
    default:
      return request satisfies never;
  }
}
