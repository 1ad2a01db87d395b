import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openapiDocument } from '../api/openapi.ts';
import { catalogue } from '../src/events/catalogue.ts';
import { useApp } from './support/app.ts';
import { definitions } from './support/contract.ts';

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
};

const document = JSON.parse(JSON.stringify(openapiDocument())) as {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Json; securitySchemes: Json };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const app = useApp();

test('is OpenAPI 3.1 with a title and a version', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect([typeof document.info.title, typeof document.info.version]).toEqual(['string', 'string']);
  expect(Object.keys(document.components.securitySchemes)).toContain('apiKeyAuth');
});

test('has every endpoint and no other', () => {
  const wanted = definitions.map(({ operationId, method, path }) =>
    [operationId, method, path.replace(/:(\w+)/g, '{$1}')].join(' '),
  );
  expect(operations.map(({ path, method, operation }) => [operation.operationId, method, path].join(' ')).sort()).toEqual(
    wanted.sort(),
  );
});

describe.each(operations.map(({ path, method, operation }) => [operation.operationId, { path, method, operation }] as const))(
  '%s',
  (operationId, { path, operation }) => {
    const endpoint = definitions.find((one) => one.operationId === operationId)!;

    test('says what it is', () => {
      expect(operation.summary).toMatch(/^[A-Z].{3,}[^.]$/);
      expect(operation.tags).toEqual([endpoint.tag]);
      expect(operation.security).toEqual(endpoint.scope === 'public' ? [] : [{ apiKeyAuth: [] }]);
    });

    test('declares each parameter of its path', () => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(named);
      for (const { required, schema } of declared) expect([required, schema.type]).toEqual([true, 'string']);
      expect(Boolean(endpoint.isIdempotent)).toBe((operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key'));
    });

    test('declares every reply, with a body where there is one', () => {
      const wanted = [
        ...Object.keys(endpoint.responses),
        ...endpoint.errors.map(String),
        '409',
        '413',
        '415',
        '429',
        '500',
        '503',
      ];
      expect(new Set(Object.keys(operation.responses))).toEqual(new Set(wanted));
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect([status, description.length > 0]).toEqual([status, true]);
        expect([status, content !== undefined]).toEqual([status, endpoint.responses[Number(status)] !== null]);
      }
    });

    test('its example is one it would take', () => {
      if (endpoint.example?.body === undefined) return;
      expect(endpoint.body!.validate(endpoint.example.body).error).toBeUndefined();
      expect(operation.requestBody!.content['application/json']!.example).toEqual(endpoint.example.body);
    });
  },
);

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name!,
  );
  expect(references.length).toBeGreaterThan(0);
  for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name);
});

test('exactly one recipient is told where Joi alone would keep silent', () => {
  const schema = document.paths['/v1/messages']!.post!.requestBody!.content['application/json']!.schema;
  expect(schema.oneOf).toEqual([{ required: ['to'] }, { required: ['contact_id'] }, { required: ['user_id'] }]);
});

test('has every event, with an example its own schema takes', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual(catalogue.map(({ type }) => type).sort());
  for (const { data, example, type } of catalogue) expect([type, data.validate(example).error]).toEqual([type, undefined]);
});

test('the committed document is this one', () => {
  expect(readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8')).toBe(
    `${JSON.stringify(openapiDocument(), null, 2)}\n`,
  );
});

test('is served as it is, without a key', async () => {
  const { status, headers, body } = await app.raw('GET', '/openapi.json', { key: null });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.paths).toEqual(document.paths);
});
