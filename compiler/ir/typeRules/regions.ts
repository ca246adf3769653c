/** What applies a region to elements: reductions, scans, sorting, maps. */
import { sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { I1, elementOf, shapeOf, tensor } from '../types';
import type { Type } from '../types';
import { need, none, stated } from './rule';
import type { Check, Infer, TypeRule } from './rule';

const dropAxis: Infer = ({ operands, attributes }) =>
  operands.map((type) => {
    const axis = Number(attributes['axis']);
    return tensor(
      shapeOf(type).filter((_, i) => i !== axis),
      elementOf(type),
    );
  });
const mapRegion: Check = ({ operands, regions }, results) => {
  const [first] = operands;
  if (!first) return 'needs an input';
  const all = [...operands, ...results];
  if (!all.every((type) => sameShape(shapeOf(type), shapeOf(first)))) return 'shapes differ';
  const fits = (values: readonly { readonly type: Type }[], tiles: readonly Type[]): boolean =>
    values.length === tiles.length &&
    values.every(({ type }, i) => sameType(type, elementOf(tiles[i]!)));
  if (!fits(regions[0]!.args, operands)) return 'the region takes one element of each input';
  return need(
    fits(regions[0]!.terminator.operands, results),
    'the region must return one element of each result',
  );
};
const combineRegion: Check = ({ operands, attributes, regions }) => {
  const shape = shapeOf(operands[0]!);
  if (!operands.every((type) => sameShape(shapeOf(type), shape))) return 'inputs differ in shape';
  const axis = Number(attributes['axis']);
  if (!(axis >= 0 && axis < shape.length)) return `no axis ${axis}`;
  const elements = operands.map(elementOf);
  const args = regions[0]!.args.map((arg) => arg.type);
  const wanted = [...elements, ...elements];
  const fits = args.length === wanted.length && args.every((t, i) => sameType(t, wanted[i]!));
  if (!fits) return 'the region takes the left elements and then the right ones';
  const yielded = regions[0]!.terminator.operands.map((value) => value.type);
  return need(
    yielded.length === elements.length && yielded.every((t, i) => sameType(t, elements[i]!)),
    'the region must return one element of each input',
  );
};

export const REGION_RULES = {
  'tt.reduce': { infer: dropAxis, check: combineRegion },
  'tt.reduce.return': { infer: none },
  'tt.scan': { infer: ({ operands }) => operands, check: combineRegion },
  'tt.scan.return': { infer: none },
  'tt.sort': {
    infer: stated,
    check: ({ operands: [x], attributes, regions }, [result]) => {
      const [from, to] = [shapeOf(x!), shapeOf(result!)];
      const keep = Number(attributes['keep']);
      const first = Number(attributes['first']);
      const steps = Math.log2(from.at(-1) ?? 0);
      if (!(keep >= 0 && keep <= steps && first >= 1)) return 'no such stages';
      if (!sameShape(to, [...from.slice(0, -1), 2 ** keep])) return 'the result has another shape';
      if (!sameType(elementOf(x!), elementOf(result!))) return 'element types differ';
      const region = regions[0]!;
      const types = region.args.map((arg) => arg.type);
      if (types.length !== 2 || types.some((type) => !sameType(type, elementOf(x!))))
        return 'the region takes two elements';
      const given = region.terminator.operands.map((value) => value.type);
      return need(
        given.length === 2 && given.every((type) => sameType(type, I1)),
        'the region must return two truth values',
      );
    },
  },
  'tt.sort.return': { infer: none },
  'tt.map_elementwise': { infer: stated, check: mapRegion },
  'tt.map_elementwise.return': { infer: none },
} satisfies Record<string, TypeRule>;
