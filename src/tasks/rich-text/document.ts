import type { AttributeSpec, Attrs, MarkType, Node, NodeType } from 'prosemirror-model';
import type { Path } from '../../platform/errors.ts';
import { richTextFault } from './fault.ts';
import { schema } from './schema.ts';

const maxDepth = 32;

type Fields = Record<string, unknown>;

/** Throws 422 with the path of the first fault. */
export function readDocument(json: unknown): Node {
  if (checkedNode(json, [], 1) !== schema.topNodeType) throw richTextFault(['type'], 'node', 'must be doc');
  try {
    const document = schema.nodeFromJSON(json);
    document.check();
    return document;
  } catch (error) {
    if (error instanceof RangeError) throw richTextFault([], 'document', `is no document: ${error.message}`);
    throw error;
  }
}

export const wordsOf = (document: Node): string => document.textBetween(0, document.content.size, '\n');

function checkedNode(value: unknown, path: Path, depth: number): NodeType {
  if (depth > maxDepth) throw richTextFault(path, 'depth', `is deeper than ${maxDepth} nodes`);
  const node = fieldsOf(value, path, ['type', 'attrs', 'content', 'marks', 'text']);
  const type = typeOf<NodeType>(schema.nodes, node.type, path, 'node');
  checkAttributes(type.spec.attrs, node.attrs, path);
  if (type.isText) checkText(node.text, path);
  else if (node.text !== undefined) throw richTextFault([...path, 'text'], 'text', 'belongs to a text node');
  checkContent(type, node.content, path, depth);
  return type;
}

function checkText(text: unknown, path: Path) {
  if (typeof text !== 'string' || text === '') throw richTextFault([...path, 'text'], 'text', 'must be a text that is not empty');
}

/** The place of each child, and its marks: which are allowed is said by the node that holds it. */
function checkContent(type: NodeType, content: unknown, path: Path, depth: number) {
  const children = listOf(content, [...path, 'content']);
  let match = type.contentMatch;
  for (const [index, child] of children.entries()) {
    const at: Path = [...path, 'content', index];
    const childType = checkedNode(child, at, depth + 1);
    const next = match.matchType(childType);
    if (!next) throw richTextFault(at, 'content', `has no place here: ${childType.name} in ${type.name}`);
    match = next;
    checkMarks(type, (child as Fields).marks, [...at, 'marks']);
  }
  if (!match.validEnd) throw richTextFault([...path, 'content'], 'content', `is not complete: ${type.name} needs more`);
}

function checkMarks(parent: NodeType, marks: unknown, path: Path) {
  const seen = new Set<MarkType>();
  for (const [index, value] of listOf(marks, path).entries()) {
    const at: Path = [...path, index];
    const mark = fieldsOf(value, at, ['type', 'attrs']);
    const type = typeOf<MarkType>(schema.marks, mark.type, at, 'mark');
    if (!parent.allowsMarkType(type)) throw richTextFault(at, 'mark', `has no place here: ${type.name} in ${parent.name}`);
    if (seen.has(type)) throw richTextFault(at, 'mark', `is a second ${type.name}`);
    seen.add(type);
    checkAttributes(type.spec.attrs, mark.attrs, at);
  }
}

function checkAttributes(known: Record<string, AttributeSpec> = {}, given: unknown, path: Path) {
  const at: Path = [...path, 'attrs'];
  const attributes: Attrs = given === undefined || given === null ? {} : fieldsOf(given, at, Object.keys(known));
  for (const [name, { validate, default: usual }] of Object.entries(known)) {
    if (!Object.hasOwn(attributes, name) && usual !== undefined) continue;
    try {
      (validate as (value: unknown) => void)(attributes[name]);
    } catch (error) {
      throw richTextFault([...at, name], 'attribute', (error as Error).message);
    }
  }
}

function fieldsOf(value: unknown, path: Path, known: string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw richTextFault(path, 'object', 'must be an object');
  const stranger = Object.keys(value).find((key) => !known.includes(key));
  if (stranger !== undefined) throw richTextFault([...path, stranger], 'unknown', 'is not allowed');
  return value as Fields;
}

function listOf(value: unknown, path: Path): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw richTextFault(path, 'list', 'must be a list');
  return value;
}

function typeOf<Type>(types: object, name: unknown, path: Path, what: string): Type {
  if (typeof name === 'string' && Object.hasOwn(types, name)) return (types as Record<string, Type>)[name]!;
  throw richTextFault([...path, 'type'], what, `must be one of ${Object.keys(types).join(', ')}`);
}
