import { type Field, type Fields, fieldOf } from '../../platform/listing/fields.ts';
import { operatorsOf } from '../../platform/listing/filters.ts';
import type { Operator } from '../../platform/listing/operators.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { recordFieldsOf } from '../../records/types/listing.ts';
import { isAnything, ofEveryRecord, ofRoots } from './named.ts';
import { type Root, roots } from './roots.ts';

export { eventMembers, rootsOfEvent } from './event-names.ts';
export { conditionFaults } from './faults.ts';
export type { ConditionContext } from './named.ts';

/** For whoever builds a form. A name that ends in `<key>` stands for any key. */
export type ListedField = { name: string; type: string; operators: readonly Operator[]; values?: readonly string[] };

const listedOf = (root: Root, fields: Fields): ListedField[] => {
  const named = (name: string) => (isAnything(root) ? name : `${root}.${name}`);
  const one = (name: string, asked: string): ListedField => {
    const field = fieldOf(fields, asked)!;
    const options = [...(field.typed?.options ?? [])];
    const values = field.values ?? (options.length > 0 ? options : undefined);
    return { name: named(name), type: shownType(field), operators: operatorsOf(field), ...(values && { values }) };
  };
  const whole = [fields.columns, fields.names, fields.links ?? {}, fields.typed?.fields ?? {}].flatMap((each) =>
    Object.keys(each),
  );
  return [
    ...whole.map((name) => one(name, name)),
    ...Object.keys(fields.objects).map((name) => one(`${name}.<key>`, `${name}.key`)),
  ];
};

/** A list of texts, of which one is compared, is `texts`; of ids `ids`. */
function shownType({ type, typed }: Field): string {
  if (typed) return typed.type;
  if (type === 'name' || type === 'codes') return 'texts';
  return type === 'link' ? 'ids' : type;
}

/** `types`: whose declared fields are listed, too. */
export const conditionFields = (types: ObjectType[] = []): ListedField[] => [
  ...roots.flatMap((root) => listedOf(root, root === 'record' ? ofEveryRecord : ofRoots[root])),
  ...types.flatMap((type) =>
    listedOf('record', { ...ofEveryRecord, columns: {}, objects: {}, typed: recordFieldsOf(type).typed }),
  ),
];
