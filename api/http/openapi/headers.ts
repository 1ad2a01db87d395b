import { exampleIds } from '../../../src/platform/examples.ts';
import type { Json } from './json-schema.ts';

/** Headers of replies, each described once. */
const known = {
  Location: { description: 'Where the new record is, or for work that was asked for its operation', schema: { type: 'string' } },
  'Operation-Id': {
    description: 'The operation asked for',
    schema: { type: 'string', format: 'uuid' },
    example: exampleIds.operation,
  },
  Link: {
    description: 'Where the operation is',
    schema: { type: 'string' },
    example: `</v1/operations/${exampleIds.operation}>; rel="monitor"`,
  },
  'Preference-Applied': {
    description: 'Set when the reply was waited for, as `Prefer` asked',
    schema: { type: 'string' },
    example: 'wait=10',
  },
  'Idempotent-Replayed': {
    description: '`true`: the reply to the first request with this Idempotency-Key, once more',
    schema: { type: 'string', const: 'true' },
  },
  'RateLimit-Policy': {
    description: 'The quota of the API key, token, session or address: `q` requests in `w` seconds; not there when there is none',
    schema: { type: 'string' },
    example: '"default";q=6000;w=60',
  },
  RateLimit: {
    description: 'What is left of the quota: `r` requests in the next `t` seconds',
    schema: { type: 'string' },
    example: '"default";r=5999;t=60',
  },
  'Retry-After': { description: 'Seconds to wait before trying again', schema: { type: 'integer' }, example: 1 },
};

type Name = keyof typeof known;

export const headers = (...names: (Name | false | undefined)[]): Json =>
  Object.fromEntries(
    names.filter((name) => typeof name === 'string').map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

export const headerComponents: Json = known;
