import { type Definition, definitions } from './contract.ts';

/** What Joi tells of a schema, as far as it has fields. */
type Described = {
  keys?: Record<string, Described>;
  items?: Described[];
  patterns?: { rule: Described }[];
  matches?: { schema?: Described; switch?: { then?: Described; otherwise?: Described }[] }[];
  whens?: Record<string, Described>[];
};

const secret = /token|secret|password|credential|authorization|bearer|headers$|(^|_)keys?$|(^|_)pin$/i;

/** Paths of all fields; `*` stands for a name that the client chooses. */
function* fieldsOf({ keys, items = [], patterns = [], matches = [], whens = [] }: Described, path: string): Generator<string> {
  const within = function* (described: Described | undefined, name: string): Generator<string> {
    const at = path ? `${path}.${name}` : name;
    yield at;
    if (described) yield* fieldsOf(described, at);
  };
  for (const [name, described] of Object.entries(keys ?? {})) yield* within(described, name);
  for (const { rule } of patterns) yield* within(rule, '*');
  const same = [
    ...items,
    ...matches.flatMap((match) => [match.schema, ...(match.switch ?? []).flatMap(({ then, otherwise }) => [then, otherwise])]),
    ...whens.flatMap(({ then, otherwise }) => [then, otherwise]),
  ];
  for (const described of same) if (described) yield* fieldsOf(described, path);
}

/** A name that a secret has, or one within such a field; not what the client calls by a name of its own. */
const isNamedSo = (path: string) => path.split('.').some((name) => secret.test(name));
const isLeaf = (path: string, all: string[]) => !all.some((other) => other.startsWith(`${path}.`));

export type SecretField = { endpoint: Definition; path: string };

/** Every field of every body that is named as a secret is: each innermost one, once for its operation. */
export const secretFields = (): SecretField[] =>
  definitions.flatMap((endpoint) => {
    const all = [...new Set(fieldsOf((endpoint.body?.describe() ?? {}) as Described, ''))];
    const isAbout = endpoint.path.includes('/secrets');
    const found = all.filter((path) => (isAbout || isNamedSo(path)) && isLeaf(path, all));
    return found.map((path) => ({ endpoint, path }));
  });

export const nameOf = ({ endpoint, path }: SecretField) => `${endpoint.operationId} ${path}`;
