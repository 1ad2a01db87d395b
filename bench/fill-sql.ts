/** Parts of statements of an insert-select, of $1: organizations, called `o`, and numbers of rows, called `n`. */

/** The id of something an organization has once. `name`: SQL of a text. */
export const idNamed = (name: string) =>
  `overlay(overlay(md5(o::text || ${name}) placing '4' from 13) placing '8' from 17)::uuid`;
export const idOf = (name: string) => idNamed(`'${name}'`);
export const organizations = 'unnest($1::uuid[]) as o';
export const seconds = (sql: string) => `${sql} * interval '1 second'`;
export const word = (n: string) => `initcap(translate(lpad((${n})::text, 7, '0'), '0123456789', 'baelionuts'))`;
export const anyOf = (words: string[], number: string) => `(array['${words.join("', '")}'])[1 + (${number}) % ${words.length}]`;
