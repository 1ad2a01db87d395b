import type Joi from 'joi';

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
  keys?: Record<string, { whens?: { ref: { path: string[] }; is: { allow: unknown[] } }[] }>;
  metas?: { variants?: { discriminator: string; names: Record<string, string> } }[];
};

/** Joi's own JSON Schema, plus the `xor` it leaves out and the schema's variants. */
export function schemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const variants = variantsOf(schema, side);
  if (variants.length === 0) return wholeSchemaOf(schema, side);
  const mapping = variants.map(({ value, name }) => [value, `#/components/schemas/${name}`]);
  return {
    oneOf: variants.map(({ json }) => json),
    discriminator: { propertyName: variants[0]!.discriminator, mapping: Object.fromEntries(mapping) },
  };
}

function wholeSchemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const json = opened(schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })) as Json;
  delete json.$schema;
  const { dependencies } = schema.describe() as Described;
  const exclusive = dependencies?.find(({ rel }) => rel === 'xor');
  return exclusive ? { ...json, oneOf: exclusive.peers.map((peer) => ({ required: [peer] })) } : json;
}

/** Variants by the value of one field: `meta({ variants: { discriminator, names } })`. Their fields follow from `when`. */
export function variantsOf(schema: Joi.Schema, side: 'input' | 'output') {
  const { keys = {}, metas } = schema.describe() as Described;
  const declared = metas?.find(({ variants }) => variants)?.variants;
  if (!declared) return [];
  const { discriminator, names } = declared;
  const whole = wholeSchemaOf(schema, side) as { properties: Record<string, Json>; required: string[] };
  const valuesOf = (field: string) => keys[field]!.whens?.find(({ ref }) => ref.path[0] === discriminator)?.is.allow;
  const bound = Object.keys(whole.properties).filter(valuesOf);
  return Object.entries(names).map(([value, name]) => {
    const own = bound.filter((field) => valuesOf(field)!.includes(value));
    const fields = Object.entries(whole.properties).flatMap(([field, json]) => {
      if (field === discriminator) return [[field, { type: 'string', const: value }]];
      if (!bound.includes(field)) return [[field, json]];
      return own.includes(field) ? [[field, (json.anyOf as Json[])[0]]] : [];
    });
    const json: Json = { ...whole, properties: Object.fromEntries(fields), required: [...whole.required, ...own] };
    return { discriminator, value, name, json };
  });
}

/** Moves each named schema to `components` and refers to it everywhere. */
export function referring(named: Record<string, Json>): (json: unknown) => unknown {
  const names = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));
  return function refer(json): unknown {
    if (typeof json !== 'object' || json === null) return json;
    const name = names.get(JSON.stringify(json));
    if (name) return { $ref: `#/components/schemas/${name}` };
    if (Array.isArray(json)) return json.map(refer);
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, refer(value)]));
  };
}
