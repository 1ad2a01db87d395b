import { celebrate, Modes, Segments } from 'celebrate';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import Joi from 'joi';
import { AppError } from '../src/errors.ts';
import type { Log } from '../src/log.ts';
import type { Caller } from '../src/organizations/keys.ts';
import type { AnyEndpoint, Deps, Endpoint, Input, Reply } from './endpoint.ts';
import { renderError, toAppError } from './errors.ts';
import { checkKey, hashOfBody, type IdempotencyKey, isStored, storedReply, storeRefusal, writeOnce } from './idempotency.ts';
import { authenticated } from './middleware/authenticate.ts';
import { jsonBody, rawBody, storable } from './middleware/body.ts';
import { preferredWait, waitForOperation } from './prefer-wait.ts';

type Definition = Endpoint<unknown, unknown>;

/** The only glue to Express: who calls, what they sent, whether it is valid, the handler, its reply or error. */
export function routeOf(endpoint: AnyEndpoint, deps: Deps): (RequestHandler | ErrorRequestHandler)[] {
  const definition = endpoint as unknown as Definition;
  const named: RequestHandler = (_req, res, next) => {
    res.locals.operationId = definition.operationId;
    next();
  };
  return [
    named,
    ...(definition.scope === 'public' ? [] : [authenticated(deps.authenticate, definition.scope)]),
    ...bodyOf(definition),
    storable(definition.subject),
    validated(definition),
    (req: Request, res: Response) => answer(definition, deps, req, res),
    errorAnswer(definition.errorShape ?? 'standard', definition.subject),
  ];
}

function bodyOf({ method, rawBodyBytes }: Definition): RequestHandler[] {
  if (rawBodyBytes) return [rawBody(rawBodyBytes)];
  return method === 'get' || method === 'delete' ? [] : [jsonBody];
}

function validated({ params, query, body, rawBodyBytes, method }: Definition): RequestHandler {
  const takesBody = !rawBodyBytes && method !== 'get' && method !== 'delete';
  return celebrate(
    {
      ...(params && { [Segments.PARAMS]: Joi.object(params) }),
      [Segments.QUERY]: (query ?? Joi.object({})).label('query'),
      ...(takesBody && { [Segments.BODY]: (body ?? Joi.object({})).label('body') }),
    },
    { abortEarly: false, errors: { wrap: { label: false } } },
    { mode: Modes.FULL },
  );
}

async function answer(definition: Definition, deps: Deps, req: Request, res: Response) {
  const caller = res.locals.caller as Caller;
  const key = definition.isIdempotent && caller ? idempotencyKey(definition, req, caller) : undefined;
  const em = deps.database.em();
  const input: Input<unknown, unknown> = {
    params: req.params as Record<string, string>,
    query: req.query,
    body: req.body,
    caller,
    em,
    log: res.locals.log as Log,
    header: (name) => req.get(name),
    write: (options, work) =>
      key ? writeOnce(deps.ledger.transact, deps.secrets, key, options, work) : deps.ledger.transact(options, work),
  };
  const stored = key && (await storedReply(em, deps.secrets, key));
  if (stored) return send(res, stored);
  let reply: Reply;
  try {
    reply = await definition.handler(input, deps);
  } catch (error) {
    if (key && error instanceof AppError && isStored(error)) {
      const { body, contentType } = renderError(error, definition.errorShape ?? 'standard', String(res.locals.requestId));
      await storeRefusal(deps.database, deps.secrets, key, {
        status: error.status,
        body,
        headers: { 'Content-Type': contentType },
      });
    }
    throw error;
  }
  send(res, reply.operationId && caller ? await waited(definition, input, deps, reply, res) : reply);
}

/** A client that prefers to wait gets the outcome; everybody else the subject as it stands, and where to look. */
async function waited(
  definition: Definition,
  input: Input<unknown, unknown>,
  deps: Deps,
  reply: Reply,
  res: Response,
): Promise<Reply> {
  const seconds = preferredWait(input.header('prefer'));
  if (!seconds) return reply;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const applied = { 'Preference-Applied': `wait=${seconds}` };
  try {
    const outcome = await waitForOperation(input.em, input.caller.organizationId, reply.operationId!, seconds, gone.signal);
    if (outcome === 'full') return reply;
    const final = outcome === 'succeeded' && definition.outcome ? await definition.outcome(input, deps, reply) : reply;
    return { ...final, operationId: reply.operationId, headers: { ...final.headers, ...applied } };
  } catch (error) {
    // What was created is there, whatever became of the work that follows it: the operation tells.
    if (reply.status === 201) return { ...reply, headers: { ...reply.headers, ...applied } };
    // A refusal is an answer too: it names the operation it is about.
    setHeaders(res, { headers: applied, operationId: reply.operationId });
    throw error;
  }
}

/** The path as declared, its ids filled in: another spelling of the same path is the same request. */
function idempotencyKey({ path }: Definition, req: Request, caller: Caller): IdempotencyKey | undefined {
  const key = checkKey(req.get('idempotency-key'));
  return key === undefined
    ? undefined
    : {
        organizationId: caller.organizationId,
        method: req.method,
        path: path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(req.params[name])),
        key,
        bodyHash: hashOfBody(req.body),
      };
}

function setHeaders(res: Response, { headers, operationId }: Pick<Reply, 'headers' | 'operationId'>) {
  for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value);
  if (!operationId) return;
  res.setHeader('Operation-Id', operationId);
  res.setHeader('Link', `</v1/operations/${operationId}>; rel="monitor"`);
}

function send(res: Response, reply: Reply) {
  setHeaders(res, reply);
  const { status, body } = reply;
  res.status(status);
  if (body === undefined) res.end();
  else if (typeof body === 'string') res.type('text/plain').send(body);
  else res.json(body);
}

/** Renders what was thrown in the endpoint's own shape. Also used, with the standard shape, for paths nobody has. */
export const errorAnswer =
  (shape: Definition['errorShape'] = 'standard', subject?: string): ErrorRequestHandler =>
  (error: unknown, _req, res, next) => {
    const known = toAppError(error, subject);
    res.locals.errorCode = known.code;
    if (known.status >= 500) res.locals.cause = known.cause ?? known;
    if (res.headersSent) return next(error);
    if (known.retryAfterSeconds) res.setHeader('Retry-After', String(known.retryAfterSeconds));
    const { body, contentType } = renderError(known, shape, String(res.locals.requestId));
    res.status(known.status).setHeader('Content-Type', `${contentType}; charset=utf-8`);
    res.send(JSON.stringify(body));
  };
