/**
 * The specialization that the one in view is compared with: its compilation stands on the left of
 * the diffs of Passes and WGSL. It belongs to the program, and follows its text.
 */
import { shownRequest, useAsIf } from './asIf';
import { compileAside, currentOptions, useCompilation, type Compiled } from './compilation';
import { programInView, storeOfProgram } from './ofProgram';
import { programText, useDocument } from './document';
import type { SpecializationChoice } from './view';

export interface ComparedState {
  readonly choice: SpecializationChoice | null;
  /** As the select of the status bar names it. */
  readonly label: string;
  /** Null while it is compiled. */
  readonly result: Compiled | null;
  readonly failure: string | null;
}

const NOTHING: ComparedState = { choice: null, label: '', result: null, failure: null };
export const useCompared = storeOfProgram<ComparedState>(NOTHING);

let compiles = 0;

/** Null: nothing is compared any more. */
export async function compareWith(choice: SpecializationChoice | null): Promise<void> {
  const mine = ++compiles;
  const store = useCompared.of(programInView());
  const option = currentOptions().find(
    ({ kernel, key }) => kernel === choice?.kernel && key === choice.key,
  );
  if (!option) return store.setState(NOTHING);
  const { label, request } = option;
  const known = store.getState();
  const same = known.choice?.key === option.key && known.choice.kernel === option.kernel;
  store.setState({ ...(same ? known : NOTHING), choice, label });
  const shown = shownRequest(request);
  const options = { ...shown.options, keepIr: true };
  try {
    const { result } = await compileAside({ ...shown, options });
    if (mine === compiles) store.setState({ result, failure: null });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    if (mine === compiles) store.setState({ result: null, failure });
  }
}

/**
 * An edit changes both sides. The one in view is compiled first: its result says that the text is
 * checked.
 */
export function followCompared(): void {
  useAsIf.subscribe(() => {
    const { choice } = useCompared.getState();
    if (choice) void compareWith(choice);
  });
  let text = programText(useDocument.getState());
  useCompilation.subscribe(({ result, resultText }, old) => {
    const { choice } = useCompared.getState();
    if (result === old.result || resultText === text) return;
    text = resultText;
    if (choice) void compareWith(choice);
  });
}
