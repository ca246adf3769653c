/**
 * Counts the mutable fields of classes, from their text alone. A field is mutable if it is not
 * `readonly`, or if it holds a collection that can be changed: by its declared type, or, without
 * one, by what it begins as. A field that begins as an object literal counts once for each
 * property, so that state in such an object counts as it would in the class. Fields of a base class
 * count there.
 */
import { parseAst } from 'vite';

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const COLLECTION = /^((Weak)?(Map|Set)|Array|(Big)?(Ui|I)nt\d+(Clamped)?Array|Float\d+Array)$/;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const nameOf = (node: unknown): string =>
  isNode(node) && typeof node['name'] === 'string' ? node['name'] : '';

/** Whether a value of this type can be changed, as far as the type says. */
function isMutableType(type: unknown): boolean {
  if (!isNode(type)) return false;
  switch (type.type) {
    case 'TSArrayType':
    case 'TSTupleType':
      return true;
    case 'TSTypeReference':
      return COLLECTION.test(nameOf(type['typeName']));
    case 'TSUnionType':
      return nodes(type['types']).some(isMutableType);
    case 'TSTypeOperator': {
      // `readonly`: of an array or a tuple, whose elements may be changed all the same.
      const inner = type['typeAnnotation'];
      if (!isNode(inner)) return false;
      return [inner['elementType'], ...nodes(inner['elementTypes'])].some(isMutableType);
    }
    default:
      return false;
  }
}

/** How many mutable fields a value stands for. */
function weightOfValue(value: unknown): number {
  if (!isNode(value)) return 0;
  if (value.type === 'ObjectExpression') return nodes(value['properties']).length;
  if (value.type === 'ArrayExpression') return 1;
  return value.type === 'NewExpression' && COLLECTION.test(nameOf(value['callee'])) ? 1 : 0;
}

/** How many mutable fields a field, or a parameter that declares one, stands for. */
function weight(field: Node): number {
  let declared = isNode(field['parameter']) ? field['parameter'] : field;
  if (declared.type === 'AssignmentPattern' && isNode(declared['left']))
    declared = declared['left'];
  const annotation = declared['typeAnnotation'];
  const byValue = weightOfValue(field['value']);
  const least = field['readonly'] === true ? 0 : 1;
  if (isNode(annotation))
    return Math.max(least, isMutableType(annotation['typeAnnotation']) ? 1 : 0);
  return Math.max(least, byValue);
}

function fieldsOf(member: Node): Node[] {
  if (member.type === 'PropertyDefinition' || member.type === 'AccessorProperty') return [member];
  if (member['kind'] !== 'constructor' || !isNode(member['value'])) return [];
  return nodes(member['value']['params']).filter(({ type }) => type === 'TSParameterProperty');
}

export interface ClassFields {
  readonly name: string;
  readonly fields: number;
}

/** The mutable fields of each class of a TypeScript file, by the class's name. */
export function mutableFields(text: string): ClassFields[] {
  const found: ClassFields[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    if (value.type === 'ClassDeclaration' || value.type === 'ClassExpression') {
      const body = isNode(value['body']) ? value['body'] : undefined;
      const fields = nodes(body?.['body']).flatMap(fieldsOf);
      const count = fields.reduce((sum, field) => sum + weight(field), 0);
      found.push({ name: nameOf(value['id']) || 'a class', fields: count });
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}
