import type Joi from 'joi';
import { contentTypeOf, type Endpoint } from '../endpoint.ts';
import { commonErrors } from '../errors.ts';
import { STATUS_CODES } from '../node-http.ts';
import { errorResponse } from './errors.ts';
import { headers } from './headers.ts';
import { type Json, schemaOf } from './json-schema.ts';

type Definition = Endpoint<unknown, unknown>;

function success(endpoint: Definition, status: number, schema: Joi.Schema | null): Json {
  const { isOperation, isIdempotent, isUnlimited, example } = endpoint;
  const own = headers(
    (status === 201 || status === 202) && 'Location',
    isOperation && 'Operation-Id',
    isOperation && 'Link',
    isOperation && 'Preference-Applied',
    isIdempotent && 'Idempotent-Replayed',
    !isUnlimited && 'RateLimit-Policy',
    !isUnlimited && 'RateLimit',
  );
  const reply = example?.reply !== undefined && { example: example.reply };
  return {
    description: STATUS_CODES[status] ?? 'In the words of the protocol',
    ...(Object.keys(own).length > 0 && { headers: own }),
    ...(schema && { content: { [contentTypeOf(schema)]: { schema: schemaOf(schema, 'output'), ...reply } } }),
  };
}

function responsesOf(endpoint: Definition): Json {
  const good = Object.entries(endpoint.responses).map(([status, schema]) => [status, success(endpoint, Number(status), schema)]);
  const statuses = [...new Set([...endpoint.errors, ...commonErrors(endpoint)])].sort();
  const bad = statuses.map((status) => [status, errorResponse(endpoint.errorShape ?? 'standard', status, endpoint)]);
  return Object.fromEntries([...good, ...bad]);
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same body gets the same reply for 24 hours',
  schema: { type: 'string', maxLength: 255 },
};
const prefer = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`wait=10` waits up to so many seconds, at most 30',
  schema: { type: 'string' },
};

const exampleOf = (examples: Record<string, unknown> | undefined, name: string) =>
  examples?.[name] !== undefined && { example: examples[name] };

function parametersOf({ params, query, isIdempotent, isOperation, example }: Definition): Json[] {
  const path = Object.entries(params ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemaOf(schema, 'input'),
    ...exampleOf(example?.params, name),
  }));
  const keys = (query?.describe().keys ?? {}) as Record<string, { flags?: { description?: string; presence?: string } }>;
  const json = query ? ((schemaOf(query, 'input').properties ?? {}) as Record<string, Json>) : {};
  const search = Object.entries(keys).map(([name, { flags }]) => ({
    name,
    in: 'query',
    required: flags?.presence === 'required',
    ...(flags?.description && { description: flags.description }),
    schema: json[name] ?? {},
    ...exampleOf(example?.query, name),
  }));
  return [...path, ...search, ...(isIdempotent ? [idempotencyKey] : []), ...(isOperation ? [prefer] : [])];
}

const neededOf = (scope: Definition['scope']) => {
  if (scope === 'public') return undefined;
  if (scope === 'session') return 'For a person with a session';
  if (scope === 'user') return 'For a person, with a session or a bearer token, whatever the role';
  if (scope === 'account')
    return 'For a person, with a session or a bearer token that has all scopes of its role, whatever the role';
  return `Scope: \`${scope}\``;
};

/** Any of these, with the scope as OpenAPI 3.1 names it for every scheme. */
function securityOf(scope: Definition['scope']): Record<string, string[]>[] {
  if (scope === 'public') return [];
  if (scope === 'session') return [{ sessionAuth: [] }];
  if (scope === 'user' || scope === 'account') return [{ bearerAuth: [] }, { sessionAuth: [] }];
  return [{ apiKeyAuth: [scope] }, { bearerAuth: [scope] }, { sessionAuth: [scope] }];
}

/** A body without required fields may be left out. */
const isBodyNeeded = ({ body, receive, rawBodyBytes }: Definition) =>
  receive !== undefined || rawBodyBytes !== undefined || body?.validate({}).error !== undefined;

const formOf = (field: string): Json => ({
  type: 'object',
  required: [field],
  properties: { [field]: { type: 'string', format: 'binary' } },
});

export function operationOf(endpoint: Definition): Json {
  const { operationId, summary, description, tag, scope, body, rawBodyBytes, receive, example } = endpoint;
  const parameters = parametersOf(endpoint);
  const needed = neededOf(scope);
  const stream = receive && { type: 'string', description: receive.description };
  const schema = stream ?? (rawBodyBytes ? { type: 'object', additionalProperties: true } : body && schemaOf(body, 'input'));
  const content = schema && { schema, ...(example?.body !== undefined && { example: example.body }) };
  const form = receive?.formField !== undefined && { 'multipart/form-data': { schema: formOf(receive.formField) } };
  return {
    operationId,
    summary,
    ...((description || needed) && { description: [description, needed].filter(Boolean).join('\n\n') }),
    tags: [tag],
    security: securityOf(scope),
    ...(scope !== 'public' && { 'x-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && {
      requestBody: {
        required: isBodyNeeded(endpoint),
        content: { [receive?.contentType ?? 'application/json']: content, ...form },
      },
    }),
    responses: responsesOf(endpoint),
  };
}
