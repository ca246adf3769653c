/**
 * The colours of the program's lines for the specialization in view; null where the visitor wants
 * none.
 */
import { useCompilation } from '../../state/compilation';
import { useEditorSettings } from '../../state/editorSettings';
import type { LineColors } from '../../state/lineColors';

export function useLineColors(): LineColors | null {
  const colors = useCompilation((state) => state.lineColors);
  return useEditorSettings((state) => state.lineColors) ? colors : null;
}
