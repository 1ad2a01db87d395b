import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import Joi from 'joi';
import { errorBodies } from '../api/http/errors.ts';
import { openapiDocument } from '../api/openapi.ts';
import { sendTypes } from '../src/messaging/send-body.ts';
import { catalogue } from '../src/platform/events/catalogue.ts';
import { anyZone } from '../src/platform/schemas/moment.ts';
import { changesOf } from '../src/providers/messaging-app/inbound.ts';
import { useApp } from './support/app.ts';
import { definitions } from './support/contract.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema: Json; example?: unknown }>;
type Response = { description: string; content?: Content; headers?: Json };
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required: boolean; schema: Json; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, Response | { $ref: string }>;
};

/** Made once: it takes seconds. */
const made = openapiDocument();
const document = JSON.parse(JSON.stringify(made)) as {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Json; securitySchemes: Json; headers: Json; responses: Record<string, Response> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
/** A reply, where it stands. */
const found = (response: Operation['responses'][string]): Response =>
  '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response;
/** Made once: a schema takes longer to make than to apply. */
const requiredBodies = Object.fromEntries(
  Object.entries(errorBodies).map(([shape, schema]) => [shape, schema.required()]),
) as typeof errorBodies;
const app = useApp();

test('is OpenAPI 3.1 with a title and a version', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect([typeof document.info.title, typeof document.info.version]).toEqual(['string', 'string']);
  expect(Object.keys(document.components.securitySchemes)).toEqual(['apiKeyAuth', 'bearerAuth', 'sessionAuth']);
});

test('is valid to a validator that knows nothing of us', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
});

test('every tag is described, and none that nobody uses', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
});

test('has every endpoint and no other', () => {
  const wanted = definitions.map(({ operationId, method, path }) =>
    [operationId, method, path.replace(/:(\w+)/g, '{$1}')].join(' '),
  );
  expect(operations.map(({ path, method, operation }) => [operation.operationId, method, path].join(' ')).sort()).toEqual(
    wanted.sort(),
  );
});

type Checked = { operationId: string; path: string; operation: Operation; endpoint: (typeof definitions)[number] };

/** Of each operation. */
const checks: Record<string, (checked: Checked) => void> = {
  'says what it is': ({ operation, endpoint }) => {
    expect(operation.summary).toMatch(/^[A-Z].{3,}[^.]$/);
    expect(operation.tags).toEqual([endpoint.tag]);
    const { scope } = endpoint;
    const named: Record<string, string[]> = {
      public: [],
      session: ['sessionAuth'],
      user: ['bearerAuth', 'sessionAuth'],
      account: ['bearerAuth', 'sessionAuth'],
    };
    const schemes = named[scope] ?? ['apiKeyAuth', 'bearerAuth', 'sessionAuth'];
    expect(operation.security).toEqual(schemes.map((scheme) => ({ [scheme]: scope in named ? [] : [scope] })));
  },
  'declares each parameter of its path': ({ path, operation, endpoint }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(named);
    for (const { required, schema } of declared) expect([required, schema.type]).toEqual([true, 'string']);
    expect(Boolean(endpoint.isIdempotent)).toBe((operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key'));
  },
  'declares every reply, with a body where there is one': ({ operation, endpoint }) => {
    const wanted = [
      ...Object.keys(endpoint.responses),
      ...endpoint.errors.map(String),
      ...(endpoint.params ? ['400'] : []),
      '409',
      '413',
      '415',
      ...(endpoint.isUnlimited ? [] : ['429']),
      '500',
      '503',
    ];
    expect(new Set(Object.keys(operation.responses))).toEqual(new Set(wanted));
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description, content } = found(response);
      expect([status, description.length > 0]).toEqual([status, true]);
      expect([status, content !== undefined]).toEqual([status, endpoint.responses[Number(status)] !== null]);
    }
  },
  'shows a request it would take': ({ operationId, operation, endpoint }) => {
    const { params = {}, query = {}, body } = endpoint.example ?? {};
    expect(Object.keys(params)).toEqual(Object.keys(endpoint.params ?? {}));
    for (const [name, schema] of Object.entries(endpoint.params ?? {}))
      expect(schema.validate(params[name]).error).toBeUndefined();
    expect((endpoint.query ?? Joi.object({})).validate(query, { context: anyZone }).error).toBeUndefined();
    const examples = Object.fromEntries((operation.parameters ?? []).map(({ name, example }) => [name, example]));
    expect(examples).toMatchObject({ ...params, ...query });
    const takesBody = [endpoint.body, endpoint.rawBodyBytes, endpoint.receive].some((one) => one !== undefined);
    expect(body !== undefined).toBe(takesBody);
    if (!takesBody) return;
    expect(endpoint.body?.validate(body, { abortEarly: false, context: anyZone }).error).toBeUndefined();
    if (operationId.startsWith('provider-webhooks.receive')) expect(changesOf(body)).toHaveLength(1);
    const type = endpoint.receive?.contentType ?? 'application/json';
    expect(operation.requestBody!.content[type]!.example).toEqual(body);
  },
  'shows the reply to it, one that it may give': ({ operationId, operation, endpoint }) => {
    const replies = Object.entries(endpoint.responses);
    expect([operationId, replies.length > 0]).toEqual([operationId, true]);
    const reply = endpoint.example?.reply;
    expect([operationId, reply !== undefined]).toEqual([operationId, replies.some(([, schema]) => schema !== null)]);
    for (const [status, schema] of replies) {
      if (schema === null) continue;
      expect(schema.validate(reply, { convert: false, abortEarly: false, allowUnknown: false }).error).toBeUndefined();
      const [shown] = Object.values(found(operation.responses[status]!).content!);
      expect(shown!.example).toEqual(reply);
    }
  },
  'shows every error, in its own shape': ({ operation, endpoint }) => {
    const schema = requiredBodies[endpoint.errorShape ?? 'standard'];
    // A protocol may have a reply of its own for a status that says no.
    const errors = Object.entries(operation.responses).filter(
      ([status]) => Number(status) >= 400 && endpoint.responses[Number(status)] === undefined,
    );
    expect(errors.length).toBeGreaterThan(0);
    for (const [status, response] of errors) {
      const [shown] = Object.values(found(response).content!);
      expect([status, schema.validate(shown!.example, { convert: false }).error]).toEqual([status, undefined]);
    }
  },
};

// One test for all of them: jest takes longer for a test than a check does.
test.each(operations.map((one) => [one.operation.operationId, one] as const))('%s', (operationId, { path, operation }) => {
  const endpoint = definitions.find((one) => one.operationId === operationId)!;
  for (const [name, check] of Object.entries(checks)) {
    try {
      check({ operationId, path, operation, endpoint });
    } catch (error) {
      throw new Error(`${operationId} ${name}`, { cause: error });
    }
  }
});

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  for (const [, kind, name] of references) expect(Object.keys(document.components[kind as 'schemas'])).toContain(name);
});

test('each named schema stands once: where it is used there is a reference', () => {
  const text = JSON.stringify(document);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect([name, text.split(JSON.stringify(schema)).length - 1]).toEqual([name, 1]);
    expect([name, text.includes(`"#/components/schemas/${name}"`)]).toEqual([name, true]);
  }
});

test('a name is of one schema, wherever it is used', () => {
  const schemas = new Map<string, Joi.Schema>();
  for (const [name, schema] of definitions.flatMap(({ named }) => Object.entries(named))) {
    expect([name, schemas.get(name) === undefined || schemas.get(name) === schema]).toEqual([name, true]);
    schemas.set(name, schema);
  }
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...schemas.keys()]));
});

test('a message to send is one of the variants of its type, each with its own content and exactly one recipient', () => {
  const schema = document.paths['/v1/messages']!.post!.requestBody!.content['application/json']!.schema;
  const reference = (type: string) => `#/components/schemas/${type}_message`;
  expect(schema.discriminator).toEqual({
    propertyName: 'type',
    mapping: Object.fromEntries(sendTypes.map((type) => [type, reference(type)])),
  });
  expect(schema.oneOf).toEqual(sendTypes.map((type) => ({ $ref: reference(type) })));
  for (const type of sendTypes) {
    const variant = document.components.schemas[`${type}_message`] as Record<'properties' | 'required' | 'oneOf', Json>;
    expect(variant.properties.type).toEqual({ type: 'string', const: type });
    expect(sendTypes.filter((other) => other in variant.properties)).toEqual([type]);
    expect([type, 'context' in variant.properties]).toEqual([type, type !== 'reaction']);
    expect(variant.required).toEqual(['channel_id', 'type', type]);
    expect(variant.oneOf).toEqual([{ required: ['to'] }, { required: ['contact_id'] }, { required: ['user_id'] }]);
  }
});

test('an interactive message and its header are variants too, and a file is named in exactly one way', () => {
  const { interactive_message, button_interactive, image_message } = document.components.schemas as Record<string, Json>;
  const partOf = (schema: Json, name: string) => (schema.properties as Record<string, Json>)[name]!;
  for (const part of [partOf(interactive_message!, 'interactive'), partOf(button_interactive!, 'header')]) {
    const { propertyName, mapping } = part.discriminator as { propertyName: string; mapping: Record<string, string> };
    expect(propertyName).toBe('type');
    expect(part.oneOf).toEqual(Object.values(mapping).map(($ref) => ({ $ref })));
    for (const [value, reference] of Object.entries(mapping)) {
      const variant = document.components.schemas[reference.split('/').at(-1)!] as Json;
      expect(partOf(variant, 'type').enum).toEqual([value]);
    }
  }
  const ways = ['id', 'link', 'asset_id'].map((way) => ({ required: [way] }));
  expect(partOf(image_message!, 'image').oneOf).toEqual(ways);
});

test('has every event, with an example its own schema takes', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual(catalogue.map(({ type }) => type).sort());
  for (const { data, example, type } of catalogue) {
    expect([type, data.validate(example, { convert: false }).error]).toEqual([type, undefined]);
    const { post } = document.webhooks[type]!;
    expect(post.requestBody!.content['application/json']!.example).toMatchObject({ type, data: example });
    expect(post.parameters!.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  }
});

test('the committed document is this one', () => {
  expect(readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8')).toBe(`${JSON.stringify(made, null, 2)}\n`);
});

test('is served as it is, without a key', async () => {
  const { status, headers, text } = await app.raw('GET', '/openapi.json', { key: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(text).toBe(JSON.stringify(made, null, 2));
});

test('an object without named fields says that it may have any, which generators of clients need', () => {
  const closed: string[] = [];
  const look = (json: unknown, path: string) => {
    if (typeof json !== 'object' || json === null) return;
    const { type, properties, additionalProperties } = json as Record<string, unknown>;
    if (type === 'object' && !properties && additionalProperties === undefined) closed.push(path);
    for (const [key, value] of Object.entries(json)) if (key !== 'example' && key !== 'examples') look(value, `${path}/${key}`);
  };
  look(made, '');
  expect(closed).toEqual([]);
});
