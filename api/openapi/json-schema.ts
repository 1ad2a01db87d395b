import type Joi from 'joi';

export type Json = Record<string, unknown>;

/** JSON Schema as Joi writes it, with the `xor` it leaves out. */
export function schemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const json = schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' }) as Json;
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
