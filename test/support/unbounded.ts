import type Joi from 'joi';

type Described = {
  type?: string;
  flags?: { unknown?: boolean; only?: boolean };
  rules?: { name: string; args?: { limit?: number } }[];
  keys?: Record<string, Described>;
  items?: Described[];
  patterns?: unknown[];
  whens?: Record<string, Described>[];
  matches?: { ref?: object; switch?: { then?: Described; otherwise?: Described }[] }[];
};

/** Types that hold nothing, whatever their size. */
const single = ['any', 'string', 'number', 'boolean', 'date'];

/** Where a schema takes lists, names or texts without a maximum, or in a way that src/platform/schemas/sizes.ts does not look into. */
export const unboundedIn = (schema: Joi.Schema): string[] => [...unbounded(schema.describe() as Described, 'it')];

function* unbounded(described: Described, path: string): Generator<string> {
  const { type = '', flags, rules = [], keys, items = [], patterns, whens = [], matches = [] } = described;
  const isBounded = rules.some(({ name, args }) => name === 'max' && typeof args?.limit === 'number');
  const isOpen = type === 'object' && (keys === undefined || flags?.unknown === true || patterns !== undefined);
  // Told apart by the value of one field: src/platform/schemas/variants.ts.
  const [choice] = matches.length === 1 ? matches : [];
  const variants = (choice?.ref && choice.switch) || [];
  for (const { then, otherwise } of variants)
    for (const variant of [then, otherwise]) if (variant) yield* unbounded(variant, path);
  if (![...single, 'object', 'array'].includes(type) && variants.length === 0) yield `${path} is of type ${type}`;
  if (type === 'array' && !isBounded) yield `${path} is a list without a maximum`;
  const isFixed = flags?.only === true || rules.some(({ name }) => name === 'guid');
  if (type === 'string' && !isBounded && !isFixed) yield `${path} is a text without a maximum`;
  if (isOpen && !isBounded) yield `${path} takes any number of names`;
  if (items.length > 1) yield `${path} is a list of several kinds`;
  for (const item of items) yield* unbounded(item, `${path}[]`);
  for (const [key, child] of Object.entries(keys ?? {})) yield* unbounded(child, `${path}.${key}`);
  // What a condition adds is not looked into: it may add no list and no object.
  for (const when of whens)
    for (const then of [when.then, when.otherwise])
      if (then?.type && !single.includes(then.type)) yield `${path} depends on a condition and is of type ${then.type} then`;
}
