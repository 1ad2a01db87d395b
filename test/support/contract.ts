import type { Schema } from 'joi';
import { contentTypeOf, type Endpoint } from '../../api/http/endpoint.ts';
import { commonErrors, errorBodies } from '../../api/http/errors.ts';
import { endpoints } from '../../api/index.ts';
import { faultsOfOrder, ordersIn } from './whole-order.ts';

export type Definition = Endpoint<unknown, unknown>;
export type Received = { status: number; headers: Headers; text: string };

export const definitions = endpoints as unknown as Definition[];

/** About records of a kind, which is looked at first. */
export const isOfKind = ({ path }: Pick<Definition, 'path'>) => path.includes('/:objectKind/records');

/** For a person who is logged in, and for no key. */
export const isPersonal = ({ scope }: Definition) => scope === 'session' || scope === 'user' || scope === 'account';

export function definitionOf(operationId: string): Definition {
  const found = definitions.find((endpoint) => endpoint.operationId === operationId);
  if (!found) throw new Error(`No endpoint is called ${operationId}`);
  return found;
}

const routes = definitions.map((endpoint) => ({
  endpoint,
  method: endpoint.method.toUpperCase(),
  path: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
}));

/** Whose a request is. */
export function endpointAt(method: string, path: string): Definition | undefined {
  const [pathname = ''] = path.split('?');
  return routes.find((route) => route.method === method.toUpperCase() && route.path.test(pathname))?.endpoint;
}

/** Throws when a reply is not one the endpoint declares: its status, its content type, every field of its body; and what holds of any order. */
export function checkReply(endpoint: Definition, { status, headers, text }: Received): unknown {
  const fail = (why: string): never => {
    throw new Error(`${endpoint.operationId} answered ${status} against its contract: ${why}\n${text.slice(0, 2_000)}`);
  };
  if (!headers.get('x-request-id')) fail('no X-Request-Id');
  if (status === 201 && !headers.get('location')) fail('something was made, and no Location says where');
  const type = (headers.get('content-type') ?? '').split(';')[0];
  const schema = endpoint.responses[status];
  if (schema === null) return text === '' ? undefined : fail('a body where none is declared');
  const isText = schema?.type === 'string';
  const body = isText ? text : parse(text, fail);
  const shape = endpoint.errorShape ?? 'standard';
  if (!schema && ![...endpoint.errors, ...commonErrors(endpoint)].includes(status)) fail('the status is not declared');
  const wanted = schema ? typeOf(schema) : errorType(shape);
  // A file of any type.
  if (wanted !== '*/*' && type !== wanted) fail(`the content type is ${type}, not ${wanted}`);
  const { error } = (schema ?? errorBodies[shape]).validate(body, { convert: false, abortEarly: false, allowUnknown: false });
  if (error && !(isText && text === '')) fail(error.message);
  for (const order of status < 300 ? ordersIn(body) : []) {
    const faults = faultsOfOrder(order);
    if (faults.length > 0) fail(`an order that does not hold together: ${faults.join(', ')}`);
  }
  const isOwn = headers.get('idempotent-replayed') === null;
  if (!schema && shape === 'standard' && isOwn && requestIdOf(body) !== headers.get('x-request-id')) fail('another request id');
  return body;
}

/** Once for each schema: Joi describes the whole of it for this one word, which was half of what a reply's check costs. */
const typeOf = (schema: Schema): string => {
  const known = types.get(schema) ?? contentTypeOf(schema);
  types.set(schema, known);
  return known;
};
const types = new WeakMap<Schema, string>();

const errorType = (shape: string) => (shape === 'problem' ? 'application/problem+json' : 'application/json');
const requestIdOf = (body: unknown) => (body as { error: { request_id: string } }).error.request_id;

function parse(text: string, fail: (why: string) => never): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('the body is not JSON');
  }
}
