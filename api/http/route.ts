import type { Request, RequestHandler, Response } from 'express';
import Joi from 'joi';
import { actorOf, type Caller, noOrganization } from '../../src/organizations/caller.ts';
import { includeAct } from '../../src/platform/audit/record.ts';
import { endWriteTurn } from '../../src/platform/database/connection-shares.ts';
import type { Em } from '../../src/platform/database/database.ts';
import { type Own, ownRows } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';
import { asTenant } from '../../src/platform/ledger/tenant.ts';
import type { Work } from '../../src/platform/ledger/transact.ts';
import { Afterwards, type Tx } from '../../src/platform/ledger/tx.ts';
import { clientAddress, countedClient } from './client-address.ts';
import { idIn } from './derived.ts';
import type { AnyEndpoint, Deps, Endpoint, From, Input, Receive, Reply } from './endpoint.ts';
import { renderError } from './errors.ts';
import {
  checkKey,
  hashOfBody,
  type IdempotencyKey,
  isAnswered,
  isStored,
  OwnWithKey,
  Replayed,
  storeRefusal,
  writeOnce,
} from './idempotency.ts';
import { authenticated, challenge } from './middleware/authenticate.ts';
import { checkStorable, jsonBody, largestBody, rawBody } from './middleware/body.ts';
import { limited } from './middleware/rate-limit.ts';
import { logOf } from './middleware/request-log.ts';
import { isSecure } from './middleware/session-cookie.ts';
import { preferredWait, waitForOperation } from './prefer-wait.ts';
import { answerError, send, setHeaders } from './send.ts';
import { inItsTurn, isReading } from './turn.ts';

type Definition = Endpoint<unknown, unknown>;
type Validate = ReturnType<typeof import('./middleware/validated.ts').validated>;

/** The only code that knows Express. */
export function routeOf(endpoint: AnyEndpoint, deps: Deps): RequestHandler {
  const definition = endpoint as unknown as Definition;
  const { operationId, scope, otherScopes, rawBodyBytes, receive, beforeBody, errorShape } = definition;
  const isRead = isReading(definition);
  const takesBody = !receive && definition.method !== 'get' && definition.method !== 'delete';
  const authenticate = scope === 'public' ? undefined : authenticated(deps, scope, otherScopes);
  const quota = definition.isUnlimited ? undefined : limited(deps.limits);
  const bytes = scope === 'public' ? deps.config.publicBodyMaxBytes : largestBody;
  const bounds = { bytes, values: deps.config.bodyMaxValues };
  const limit = rawBodyBytes ?? bytes;
  const readBody = rawBodyBytes ? rawBody(rawBodyBytes) : takesBody ? jsonBody(bounds) : undefined;
  const body = takesBody && !rawBodyBytes ? (definition.body ?? Joi.object({})) : undefined;
  let validate: Validate | undefined;
  return async (req, res) => {
    res.locals.operationId = operationId;
    res.locals.isRead = isRead;
    try {
      try {
        const admitted = authenticate?.(req, res);
        if (admitted) await admitted;
      } finally {
        // A request without a valid credential counts too, and gets a 429 instead beyond the limit.
        const counted = quota?.(req, res);
        if (counted) await counted;
      }
      beforeBody?.((name) => req.get(name));
      if (readBody) await deps.intake.read(readBody, limit, req, res, rawBodyBytes ? 'provider' : 'person');
      checkStorable(req, definition);
      // For all endpoints, and with celebrate, it would be a fifth of the start: each is made at its first request.
      validate ??= (await import('./middleware/validated.ts')).validated({ ...definition, body, deps });
      const check = validate;
      const work = async () => {
        const checked = check(req, res);
        if (checked) await checked;
        await (receive ? answerReceived(receive, definition, deps, req, res) : answer(definition, deps, req, res));
      };
      await inItsTurn(deps.database, definition, res, work);
    } catch (error) {
      if (authenticate && error instanceof AppError && error.status === 401) challenge(res);
      answerError(error, errorShape, res);
    }
  };
}

/** A class: an object literal with getters costs V8 a hidden class per request. */
class RequestInput implements Input<unknown, unknown> {
  readonly #req: Request;
  readonly #res: Response;
  readonly #deps: Deps;
  readonly #key: IdempotencyKey | undefined;
  readonly #definition: Definition;
  #em: Em | undefined;
  #own: Own | undefined;
  readonly params: Record<string, string>;
  readonly body: unknown;
  readonly caller: Caller;

  constructor(
    definition: Definition,
    req: Request,
    res: Response,
    deps: Deps,
    { key, own }: { key?: IdempotencyKey; own?: Own } = {},
  ) {
    this.#definition = definition;
    this.#req = req;
    this.#res = res;
    this.#deps = deps;
    this.#key = key;
    this.#own = own;
    this.params = req.params as Record<string, string>;
    this.body = req.body;
    this.caller = res.locals.caller as Caller;
  }

  get query() {
    return this.#req.query;
  }

  get em() {
    this.#em ??= this.#deps.database.em();
    return this.#em;
  }

  get log() {
    return logOf(this.#res, this.#deps.log);
  }

  get from(): From {
    return { address: clientAddress(this.#req) ?? '', requestId: String(this.#res.locals.requestId) };
  }

  get isSecure() {
    return isSecure(this.#req, this.#deps.config);
  }

  readonly header = (name: string) => this.#req.get(name);

  get own(): Own {
    this.#own ??= ownRows(this.#deps.database, this.caller.organizationId);
    return this.#own;
  }

  readonly write: Input<unknown, unknown>['write'] = async (options, work) => {
    const { ledger, database, secrets } = this.#deps;
    const { audit, locate } = this.#definition;
    const organizationId = this.caller?.organizationId ?? noOrganization;
    const located = (reply: Reply) => (locate ? locate(reply, this.params) : reply);
    const done: Work<Tx, Parameters<typeof work>[1], Reply> = async (tx, seen) => {
      const reply = await work(asTenant(tx, organizationId), seen);
      return reply instanceof Afterwards ? new Afterwards(() => located(reply.read())) : located(reply);
    };
    const whole: typeof done = audit ? (tx, seen) => this.#audited(tx, () => done(tx, seen)) : done;
    const { transact } = ledger;
    const caused = { ...options, cause: this.caller && { by: actorOf(this.caller) } };
    const reply = await (this.#key ? writeOnce(transact, database, secrets, this.#key, caused, whole) : transact(caused, whole));
    reply.committed?.();
    return reply;
  };

  /** An audit entry exists if and only if the act was committed. */
  async #audited(tx: Tx, work: () => Promise<Reply | Afterwards<Reply>>): Promise<Reply> {
    const done = await work();
    if (done instanceof Afterwards) throw new Error('The entry of an audited write needs its reply before the ledger is written');
    const { audit, ...reply } = done;
    const id = Object.values(this.params)[0] ?? idIn(reply) ?? this.caller.organizationId;
    const organizationId = audit?.organizationId ?? this.caller.organizationId;
    includeAct(tx, {
      organizationId: organizationId === noOrganization ? null : organizationId,
      actor: actorOf(this.caller),
      action: this.#definition.operationId,
      subject: audit?.subject ?? `${this.#definition.audit}:${id}`,
      details: audit?.details,
      ...this.from,
    });
    return reply;
  }
}

async function answerReceived(receive: Receive<unknown>, definition: Definition, deps: Deps, req: Request, res: Response) {
  const [type = ''] = (req.get('content-type') ?? '').split(';');
  if (receive.formField === undefined && type.trim().toLowerCase() !== receive.contentType)
    throw new AppError('unsupported_media_type', `The body must be ${receive.contentType}`);
  const caller = res.locals.caller as Caller;
  const arrived = deps.intake.upload(req, caller.organizationId);
  const received = await takeBody(receive, definition, deps, req, caller).finally(arrived);
  req.body = received.body;
  try {
    await answer(definition, deps, req, res, received.hash);
  } finally {
    await received.discard();
  }
}

async function takeBody(receive: Receive<unknown>, definition: Definition, deps: Deps, req: Request, caller: Caller) {
  // The body's hash is not needed yet: it is known once the body is read.
  const key = definition.isIdempotent ? idempotencyKey(definition, req, caller) : undefined;
  const isRepeat = key !== undefined && (await isAnswered(deps.database, key));
  return receive.take({ stream: req, caller, query: req.query, header: (name) => req.get(name), isRepeat }, deps);
}

async function answer(definition: Definition, deps: Deps, req: Request, res: Response, bodyHash?: Buffer) {
  const caller = res.locals.caller as Caller;
  const key = definition.isIdempotent && caller ? idempotencyKey(definition, req, caller, bodyHash) : undefined;
  const own = key && new OwnWithKey(deps.database, deps.secrets, key);
  const input = new RequestInput(definition, req, res, deps, { key, own });
  const replay = (stored: Reply) => send(res, stored, deps.intake.holdReply);
  const stored = definition.looksFirst ? undefined : await own?.look();
  if (stored) return replay(stored);
  if (definition.isDownload)
    deps.intake.download(res, caller?.organizationId ?? countedClient(req), definition.isDownload === 'media');
  let reply: Reply;
  try {
    const handled = () => definition.handler(input, deps);
    if (definition.isCounted) endWriteTurn();
    reply = await (definition.isCounted ? deps.reads.counted(caller.organizationId, handled) : handled());
  } catch (error) {
    if (error instanceof Replayed) return replay(error.reply);
    if (key && error instanceof AppError && isStored(error)) {
      // A handler that refused before its first statement.
      const earlier = await own?.look();
      if (earlier) return replay(earlier);
      const { body, contentType } = renderError(error, definition.errorShape ?? 'standard', String(res.locals.requestId));
      await storeRefusal(deps.database, deps.secrets, key, {
        status: error.status,
        body,
        headers: { 'Content-Type': contentType },
      });
    }
    throw error;
  }
  const answer = reply.operationId && caller ? await waited(definition, input, deps, reply, res) : reply;
  send(res, answer, deps.intake.holdReply);
}

/** A waiting client gets the outcome; others get the subject's present state and where to look. */
async function waited(
  definition: Definition,
  input: Input<unknown, unknown>,
  deps: Deps,
  reply: Reply,
  res: Response,
): Promise<Reply> {
  const preferred = preferredWait(input.header('prefer'));
  const seconds = preferred ?? definition.waitSeconds;
  if (!seconds) return reply;
  const closed = new AbortController();
  if (res.closed) closed.abort();
  else res.once('close', () => closed.abort());
  const applied: Record<string, string> = preferred ? { 'Preference-Applied': `wait=${seconds}` } : {};
  const asItStands = async () => (definition.outcome ? definition.outcome(input, deps, reply) : reply);
  endWriteTurn();
  try {
    const outcome = await waitForOperation(
      input,
      deps.intake.waits,
      reply.operationId!,
      seconds,
      closed.signal,
      definition.refusedCode,
    );
    if (outcome === 'full') return reply;
    const final = outcome === 'succeeded' ? await asItStands() : reply;
    return { ...final, operationId: reply.operationId, headers: { ...final.headers, ...applied } };
  } catch (error) {
    // The created record, or the operation itself, exists whatever happens to the work.
    if (reply.status === 201 || reply.status === 202)
      return { ...(await asItStands()), headers: { ...reply.headers, ...applied } };
    // A refusal names its operation too.
    setHeaders(res, { headers: applied, operationId: reply.operationId });
    throw error;
  }
}

/** A key or token with few scopes must not see a reply made for another one of the same person. */
const holderOf = (caller: Caller) => (caller.by === 'session' ? actorOf(caller) : `${caller.by}:${caller.id}`);

/** The declared path with its ids: different spellings of one path are the same request. */
function idempotencyKey(
  { path, query, holdsSecret, isShapedByScopes }: Definition,
  req: Request,
  caller: Caller,
  bodyHash?: Buffer,
): IdempotencyKey | undefined {
  const key = checkKey(req.get('idempotency-key'));
  // A secret shown once must not be shown to another caller who guesses the key, nor a record that its scopes do not show.
  const seenBy = holdsSecret ? holderOf(caller) : isShapedByScopes && [...caller.scopes].sort().join(' ');
  // Where the query is part of the request, another query is another request.
  const asked = query && req.url.includes('?') ? [req.body, req.query] : req.body;
  return key === undefined
    ? undefined
    : {
        organizationId: caller.organizationId,
        method: req.method,
        path: path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(req.params[name])),
        key,
        bodyHash: bodyHash ?? hashOfBody(seenBy ? [seenBy, asked] : asked),
        contactId: req.params.contactID as string | undefined,
      };
}
