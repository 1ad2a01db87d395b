import { eventTypes } from './catalogue.ts';

/** `a.b.c` has the wildcards `a.*` and `a.b.*`. */
const wildcardsOf = (type: string) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`);

/** All that match a type of the catalogue: one that matches none is refused as any unknown type is. */
export const wildcards = ['*', ...new Set(eventTypes.flatMap(wildcardsOf))];

/** What an endpoint listens to, as its row has it. `*` has the empty prefix, `a.*` has `a.`. */
export function listening(asked: string[]): { event_types: string[]; event_prefixes: string[] | null } {
  const event_types = [...new Set(asked)];
  const prefixes = event_types.filter((type) => type.endsWith('*')).map((type) => type.slice(0, -1));
  return { event_types, event_prefixes: prefixes.length > 0 ? prefixes : null };
}
