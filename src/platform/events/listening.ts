import { eventTypes } from './catalogue.ts';

/** `a.b.c` has the wildcards `a.*` and `a.b.*`. */
const wildcardsOf = (type: string) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`);

/** All that match a type of the catalogue: one that matches none is refused as any unknown type is. */
export const wildcards = ['*', ...new Set(eventTypes.flatMap(wildcardsOf))];

/** `*` has the empty prefix, `a.*` has `a.`. Undefined: no wildcard. */
const prefixOf = (pattern: string) => (pattern === '*' || pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined);

const matches = (pattern: string, type: string) => {
  const prefix = prefixOf(pattern);
  return prefix === undefined ? type === pattern : type.startsWith(prefix);
};

/** The types that types and wildcards name: the rule by which an event finds its endpoints (record.ts). */
export const typesMatching = (patterns: string[], types: string[] = eventTypes) =>
  types.filter((type) => patterns.some((pattern) => matches(pattern, type)));

/** What an endpoint listens to, as its row has it. */
export function listening(asked: string[]): { event_types: string[]; event_prefixes: string[] | null } {
  const event_types = [...new Set(asked)];
  const prefixes = event_types.flatMap((type) => prefixOf(type) ?? []);
  return { event_types, event_prefixes: prefixes.length > 0 ? prefixes : null };
}
