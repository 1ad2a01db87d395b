import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { endpoints } from '../../api/index.ts';

type Schema = { $ref?: string; properties?: Record<string, Schema> } & Record<string, unknown>;
type Operation = { operationId: string; responses: Record<string, { content?: Record<string, { schema: Schema }> }> };
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const isSecret = (name: string) =>
  /(^|_)(secrets?|tokens?|passwords?|credentials?)$/.test(name) || name === 'key' || name === 'previous_secret';

/** The names of all fields of a schema, in whatever they stand. */
function namesIn(schema: unknown, seen = new Set<string>()): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { $ref, properties, ...rest } = schema as Schema;
  if ($ref) {
    const name = $ref.split('/').at(-1)!;
    return seen.has(name) ? [] : namesIn(document.components.schemas[name], new Set([...seen, name]));
  }
  const { example: _, examples: __, enum: ___, ...inner } = rest;
  return [
    ...Object.keys(properties ?? {}),
    ...[...Object.values(properties ?? {}), ...Object.values(inner)].flatMap((one) => namesIn(one, seen)),
  ];
}

const shown = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, responses }) => {
    const replies = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const names = replies.flatMap(([, { content = {} }]) => Object.values(content).flatMap(({ schema }) => namesIn(schema)));
    return [...new Set(names.filter(isSecret))].map((name) => `${operationId} ${name}`);
  });

/** Not a secret of the organization: why. */
const harmless: Record<string, string> = {
  checkout_token: 'of an order, for its customer: the contract names it',
  client_token: 'chosen by the client for its own message',
};
/** What the caller makes is shown once, to the caller alone; `webhooks:secrets` reads it later. */
const made = [
  'api-keys.create key',
  'api-keys.rotate key',
  'auth.tokens.create token',
  'commerce.orders.booking.checkin-token checkin_token',
  'flows.data-exchange.rotate-secret secret',
  'invitations.create token',
  'webhooks.endpoints.create secret',
  'webhooks.endpoints.rotate-secret secret',
];
const revealed = ['flows.data-exchange.reveal-secret', 'webhooks.endpoints.reveal-secret'].flatMap((operationId) => [
  `${operationId} secret`,
  `${operationId} previous_secret`,
]);
const endpointOf = (line: string) => endpoints.find(({ operationId }) => operationId === line.split(' ')[0])!;

test('each secret in a reply is one that the caller makes, or one that a scope for secrets reads', () => {
  const found = shown.filter((line) => harmless[line.split(' ')[1]!] === undefined);
  expect(found.sort()).toEqual([...made, ...revealed].sort());
});

test('what still signs is read with webhooks:secrets alone', () => {
  for (const line of revealed) expect(endpointOf(line).scope).toBe('webhooks:secrets');
});

test('a reply with a new secret is replayed to the caller alone who made it', () => {
  for (const line of made) expect(endpointOf(line).holdsSecret).toBe(true);
});
