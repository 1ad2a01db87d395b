import type Joi from 'joi';

export type Json = Record<string, unknown>;

const values = new Set(['default', 'const', 'enum', 'example', 'examples']);

/** An object of which no field is named may have any: without being told so, generators of clients take it for one without fields. */
function opened(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(opened);
  const entries = Object.entries(json).map(([key, value]) => [key, values.has(key) ? value : opened(value)]);
  const object = Object.fromEntries(entries) as Json;
  const isOpen = object.type === 'object' && !object.properties && object.additionalProperties === undefined;
  return isOpen ? { ...object, additionalProperties: true } : object;
}

/** JSON Schema as Joi writes it, with the `xor` it leaves out. */
export function schemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const json = opened(schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })) as Json;
  delete json.$schema;
  const { dependencies } = schema.describe() as { dependencies?: { rel: string; peers: string[] }[] };
  const exclusive = dependencies?.find(({ rel }) => rel === 'xor');
  return exclusive ? { ...json, oneOf: exclusive.peers.map((peer) => ({ required: [peer] })) } : json;
}

/** Each named schema stands once, under `components`: wherever it occurs, a reference takes its place. */
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
