import type Joi from 'joi';
import { catalogue } from '../src/events/catalogue.ts';
import type { Endpoint } from './endpoint.ts';
import { commonErrors, errorBodies } from './errors.ts';
import { endpoints } from './index.ts';

type Json = Record<string, unknown>;

/** JSON Schema as Joi writes it, with the `xor` it leaves out. */
function schemaOf(schema: Joi.Schema, side: 'input' | 'output'): Json {
  const json = schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' }) as Json;
  delete json.$schema;
  const { dependencies } = schema.describe() as { dependencies?: { rel: string; peers: string[] }[] };
  const exclusive = dependencies?.find(({ rel }) => rel === 'xor');
  return exclusive ? { ...json, oneOf: exclusive.peers.map((peer) => ({ required: [peer] })) } : json;
}

const errorNames: Record<number, string> = {
  400: 'The request cannot be read',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Not found',
  409: 'In conflict, or the same request is still running',
  413: 'The body is too large',
  415: 'The body is of another type',
  422: 'Read, and not valid',
  429: 'Too many requests',
  500: 'A fault on our side',
  503: 'Cannot be done now; try again',
};

function responsesOf(endpoint: Endpoint<unknown, unknown>): Json {
  const shape = endpoint.errorShape ?? 'standard';
  const type = shape === 'problem' ? 'application/problem+json' : 'application/json';
  const good = Object.entries(endpoint.responses).map(([status, schema]) => {
    const isText = schema?.type === 'string';
    return [
      status,
      {
        description: endpoint.summary,
        ...(schema && { content: { [isText ? 'text/plain' : 'application/json']: { schema: schemaOf(schema, 'output') } } }),
      },
    ];
  });
  const bad = [...new Set([...endpoint.errors, ...commonErrors])]
    .sort()
    .map((status) => [
      status,
      { description: errorNames[status], content: { [type]: { schema: { $ref: `#/components/schemas/${shape}_error` } } } },
    ]);
  return Object.fromEntries([...good, ...bad]);
}

function parametersOf({ params, query, isIdempotent, isOperation }: Endpoint<unknown, unknown>): Json[] {
  const path = Object.entries(params ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemaOf(schema, 'input'),
  }));
  const keys = (query?.describe().keys ?? {}) as Record<string, { flags?: { description?: string; presence?: string } }>;
  const json = query ? ((schemaOf(query, 'input').properties ?? {}) as Record<string, Json>) : {};
  const search = Object.keys(keys).map((name) => ({
    name,
    in: 'query',
    required: keys[name]?.flags?.presence === 'required',
    ...(keys[name]?.flags?.description && { description: keys[name].flags.description }),
    schema: json[name] ?? {},
  }));
  const headers = [
    ...(isIdempotent
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            description: 'The same key with the same body gets the same reply for 24 hours',
            schema: { type: 'string', maxLength: 255 },
          },
        ]
      : []),
    ...(isOperation
      ? [
          {
            name: 'Prefer',
            in: 'header',
            required: false,
            description: '`wait=10` waits up to so many seconds, at most 30',
            schema: { type: 'string' },
          },
        ]
      : []),
  ];
  return [...path, ...search, ...headers];
}

function operationOf(endpoint: Endpoint<unknown, unknown>): Json {
  const { operationId, summary, description, tag, scope, body, rawBodyBytes, example } = endpoint;
  const parameters = parametersOf(endpoint);
  const content = rawBodyBytes
    ? { schema: { type: 'object' } }
    : body && { schema: schemaOf(body, 'input'), ...(example?.body !== undefined && { example: example.body }) };
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: scope === 'public' ? [] : [{ apiKeyAuth: [] }],
    ...(scope !== 'public' && { 'x-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content: { 'application/json': content } } }),
    responses: responsesOf(endpoint),
  };
}

/** The whole document, OpenAPI 3.1, from the endpoints and the events. */
export function openapiDocument(url = '/'): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints as unknown as Endpoint<unknown, unknown>[]) {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint) };
  }
  const webhooks = Object.fromEntries(
    catalogue.map(({ type, description, data, example }) => [
      type,
      {
        post: {
          summary: description,
          operationId: `event.${type}`,
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['id', 'type', 'timestamp', 'organization_id', 'data'],
                  properties: {
                    id: { type: 'string', format: 'uuid' },
                    type: { const: type },
                    timestamp: { type: 'string', format: 'date-time' },
                    organization_id: { type: 'string', format: 'uuid' },
                    data: schemaOf(data, 'output'),
                  },
                },
                example: {
                  id: '01932d5f-3a0e-7cc4-8f4e-0242ac120009',
                  type,
                  timestamp: '2026-11-21T10:00:00.000Z',
                  organization_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120001',
                  data: example,
                },
              },
            },
          },
          responses: { '2XX': { description: 'Taken; anything else is tried again' } },
        },
      },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kanal',
      version: '0.1.0',
      description: 'Messaging, CRM and commerce over one HTTP API.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    paths,
    webhooks,
    components: {
      securitySchemes: { apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: Object.fromEntries(
        Object.entries(errorBodies).map(([shape, schema]) => [`${shape}_error`, schemaOf(schema, 'output')]),
      ),
    },
  };
}
