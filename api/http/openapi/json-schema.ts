import type Joi from 'joi';
import type { Union } from '../../../src/platform/schemas/variants.ts';

export type Json = Record<string, unknown>;

const values = new Set(['default', 'const', 'enum', 'example', 'examples']);

/** An object without named fields allows any: without this, client generators give it no fields. */
function opened(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(opened);
  const entries = Object.entries(json).map(([key, value]) => [key, values.has(key) ? value : opened(value)]);
  const object = Object.fromEntries(entries) as Json;
  const isOpen = object.type === 'object' && !object.properties && object.additionalProperties === undefined;
  return isOpen ? { ...object, additionalProperties: true } : object;
}

type Described = {
  dependencies?: { rel: string; peers: string[] }[];
  keys?: Record<string, Described>;
  items?: Described[];
  whens?: { ref: { path: string[] }; is: { allow: unknown[] }; then?: { flags?: { presence?: string } } }[];
  matches?: { switch?: { then?: Described }[] }[];
  metas?: { variants?: { discriminator: string; names: Record<string, string> } }[];
};

/** Joi's own JSON Schema, plus the `xor` it leaves out and the schema's variants. */
export function schemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const variants = variantsOf(schema, side);
  if (variants.length === 0) return wholeSchemaOf(schema, side);
  const mapping = variants.map(({ value, name }) => [value, referenceTo(name)]);
  return {
    oneOf: variants.map(({ json }) => json),
    discriminator: { propertyName: variants[0]!.discriminator, mapping: Object.fromEntries(mapping) },
  };
}

function wholeSchemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const json = opened(schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })) as Json;
  delete json.$schema;
  return withExclusive(json, schema.describe() as Described);
}

/** Adds the `xor` of each object, wherever it is. */
function withExclusive(json: Json, described: Described): Json {
  const { dependencies, keys = {}, items: [item] = [], whens, matches } = described;
  const inAnyOf = (of: (Described | undefined)[]) =>
    (json.anyOf as Json[]).map((one, index) => (of[index] ? withExclusive(one, of[index]) : one));
  if (whens) return json.anyOf ? { ...json, anyOf: inAnyOf([{ ...described, whens: undefined }]) } : json;
  const choices = matches?.[0]?.switch;
  if (choices) return { ...json, anyOf: inAnyOf(choices.map(({ then }) => then)) };
  if (item && json.items) return { ...json, items: withExclusive(json.items as Json, item) };
  if (!json.properties) return json;
  const properties = Object.entries(json.properties).map(([key, child]) => [
    key,
    keys[key] ? withExclusive(child as Json, keys[key]) : child,
  ]);
  const exclusive = dependencies?.find(({ rel }) => rel === 'xor');
  return {
    ...json,
    properties: Object.fromEntries(properties),
    ...(exclusive && { oneOf: exclusive.peers.map((peer) => ({ required: [peer] })) }),
  };
}

/** Variants by the value of one field: `meta({ variants: { discriminator, names } })`. Their fields follow from `when`. */
export function variantsOf(schema: Joi.Schema, side: 'input' | 'output') {
  const { keys = {}, metas } = schema.describe() as Described;
  const declared = metas?.find(({ variants }) => variants)?.variants;
  if (!declared) return [];
  const { discriminator, names } = declared;
  const whole = wholeSchemaOf(schema, side) as { properties: Record<string, Json>; required: string[] };
  const conditionOf = (field: string) => keys[field]!.whens?.find(({ ref }) => ref.path[0] === discriminator);
  const valuesOf = (field: string) => conditionOf(field)?.is.allow;
  const isRequired = (field: string) => conditionOf(field)?.then?.flags?.presence === 'required';
  const bound = Object.keys(whole.properties).filter(valuesOf);
  return Object.entries(names).map(([value, name]) => {
    const own = bound.filter((field) => valuesOf(field)!.includes(value));
    const fields = Object.entries(whole.properties).flatMap(([field, json]) => {
      if (field === discriminator) return [[field, { type: 'string', const: value }]];
      if (!bound.includes(field)) return [[field, json]];
      return own.includes(field) ? [[field, (json.anyOf as Json[])[0]]] : [];
    });
    const json: Json = {
      ...whole,
      properties: Object.fromEntries(fields),
      required: [...whole.required, ...own.filter(isRequired)],
    };
    return { discriminator, value, name, json };
  });
}

/** Moves each named schema to `components` and refers to it everywhere. */
export function referring(named: Record<string, Json>): (json: unknown) => unknown {
  const names = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));
  return function refer(json): unknown {
    if (typeof json !== 'object' || json === null) return json;
    const name = names.get(JSON.stringify(json));
    if (name) return { $ref: referenceTo(name) };
    if (Array.isArray(json)) return json.map(refer);
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, refer(value)]));
  };
}

const referenceTo = (name: string) => `#/components/schemas/${name}`;

/** Shows each schema of `variantsBy` as one of its variants, and gives these by their names. */
export function showingUnions(unions: Union[]): { show: (json: unknown) => unknown; named: Record<string, Json> } {
  const shownAs = new Map(
    unions.map(({ discriminator, variants, schema }) => {
      const mapping = Object.fromEntries(Object.entries(variants).map(([value, { name }]) => [value, referenceTo(name)]));
      const oneOf = Object.values(mapping).map(($ref) => ({ $ref }));
      return [JSON.stringify(wholeSchemaOf(schema, 'input')), { oneOf, discriminator: { propertyName: discriminator, mapping } }];
    }),
  );
  function show(json: unknown): unknown {
    if (typeof json !== 'object' || json === null) return json;
    if (Array.isArray(json)) return json.map(show);
    const { description, ...bare } = json as Json;
    const shown = bare.anyOf && shownAs.get(JSON.stringify(bare));
    if (shown) return { ...(description !== undefined && { description }), ...shown };
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, show(value)]));
  }
  // By name: modules are loaded in another order by each who asks.
  const named = unions
    .flatMap(({ variants }) => Object.values(variants))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, schema }) => [name, show(wholeSchemaOf(schema, 'input'))]);
  return { show, named: Object.fromEntries(named) };
}
