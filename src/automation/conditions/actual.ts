import type { Facts } from './facts.ts';
import { behind } from './facts.ts';
import { isAnything, type Named } from './named.ts';
import type { Plain } from './plain-facts.ts';

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Plain)[name] : undefined;

const along = (value: unknown, path: string[]) => path.reduce(memberOf, value);

/** Undefined: there is no such object, so that no comparison with it holds. */
export function objectOf(facts: Facts, { root }: Pick<Named, 'root'>): Plain | undefined {
  return facts[root] ?? undefined;
}

/** What a field says in the facts, in the form that `conditionHolds` takes. */
export function actualOf(facts: Facts, named: Named): unknown {
  const object = objectOf(facts, named);
  if (named.field.type === 'link') return facts[behind]?.links?.[named.name];
  return object && valueIn(object, named);
}

/** The same of an object of the root. */
export function valueIn(object: Plain, { root, name, field }: Named): unknown {
  if (isAnything(root)) return along(object, name.split('.').slice(1));
  if (field.typed)
    return along(
      object.fields,
      field.typed.path.filter((step) => step !== undefined),
    );
  if (field.type !== 'json') return memberOf(object, name);
  // A message's content is any JSON, too; a custom field's key may have dots.
  if (root === 'message') return along(object, name.split('.'));
  return memberOf(memberOf(object, name.slice(0, name.indexOf('.'))), field.key!);
}
