/**
 * Generated code whose lines are linked with the program's: the selected line is lit in it, a click
 * selects the line that a line of code comes from, and both have one colour.
 */
import { useMemo } from 'react';
import type { Location } from '../../../compiler/ir/location';
import { useDocument } from '../../state/document';
import { colorsOfCode } from '../../state/lineColors';
import { select, useLocation, type LocationSource } from '../../state/location';
import { CodeView } from './CodeView';
import { lineOf, linesFrom } from './sourceLines';
import { useLineColors } from './useLineColors';

export function LinkedCode(props: {
  readonly label: string;
  readonly language: string;
  readonly text: string;
  /** For each line of the text; empty where none is linked. */
  readonly locations: readonly (Location | null)[];
  /** The panel that shows it. */
  readonly from: LocationSource;
  /** 1-based line that stands first. */
  readonly start?: number;
}): React.ReactNode {
  const { locations, from, ...shown } = props;
  const line = useLocation((state) => state.selected);
  const files = useDocument((state) => state.files);
  const lineColors = useLineColors();
  const lit = useMemo(
    () => (line ? linesFrom(locations, line.file, line.line) : []),
    [line, locations],
  );
  const colors = useMemo(
    () => lineColors && colorsOfCode(lineColors, locations, files),
    [lineColors, locations, files],
  );
  return (
    <CodeView
      {...shown}
      lit={lit}
      colors={colors}
      reveal={line !== null && line.from !== from}
      onLine={(number) => {
        const place = lineOf(locations, number, files);
        if (place) select({ ...place, from });
      }}
    />
  );
}
