import type { Definition } from './contract.ts';

type Described = {
  type?: string;
  flags?: { only?: boolean };
  rules?: { name: string; args?: { limit?: number } }[];
  keys?: Record<string, Described>;
  items?: Described[];
};
type Path = (string | number)[];
/** `max`: of the units that the schema takes. */
export type TextField = { path: Path; max: number };

function* within(described: Described, path: Path): Generator<TextField> {
  for (const [key, field] of Object.entries(described.keys ?? {})) {
    const at = [...path, key];
    const limit = field.rules?.find(({ name }) => name === 'max')?.args?.limit;
    if (field.type === 'string' && !field.flags?.only && typeof limit === 'number') yield { path: at, max: limit };
    yield* within(field, at);
    for (const item of field.items ?? []) yield* within(item, [...at, 0]);
  }
}

/** The texts with a limit in a body, at any depth. */
export const textFieldsOf = ({ body }: Pick<Definition, 'body'>): TextField[] => [
  ...within((body?.describe() ?? {}) as Described, []),
];

/** A copy of the body with the text in its place. */
export function withText(good: object, { path }: Pick<TextField, 'path'>, text: string): object {
  const body = structuredClone(good) as Record<string | number, unknown>;
  let at = body;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = typeof path[index + 1] === 'number' ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  }
  at[path.at(-1)!] = text;
  return body;
}
