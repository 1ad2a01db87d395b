import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Scope } from '../../src/organizations/scopes.ts';
import type { Em } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';
import type { Write } from '../../src/platform/ledger/transact.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import type { Log } from '../../src/platform/log.ts';
import type { Deps } from './deps.ts';
import { errorsOf, exampleParamsOf, locating, type ParamOf, paramsOf, repliesOf } from './derived.ts';
import type { View } from './view.ts';

export type { Deps };

/** The spec's three error bodies: `{error: {code, …}}`, `{error, code}`, `{title, status, detail}`. */
export type ErrorShape = 'standard' | 'lookup' | 'problem';

export type Reply = {
  status: number;
  body?: unknown;
  /** In place of a body: sent as it comes, at the client's pace, and destroyed when the client goes away. */
  stream?: Readable;
  headers?: Record<string, string>;
  /** The work asked for: named in the headers, and waited for when the client prefers. */
  operationId?: string;
  /** What the audit log shall say beside the action, where the endpoint is audited. `organizationId`: when it concerns another than the caller's. */
  audit?: { organizationId?: string; subject?: string; details?: Record<string, unknown> };
};

/** Where a request came from, for the audit log and the login limits. */
export type From = { address: string; requestId: string };

export type Input<Body, Query, Params = Record<string, string>> = {
  params: Params;
  query: Query;
  body: Body;
  /** Set unless the endpoint is public. */
  caller: Caller;
  /** The rows of the caller's organization. */
  own: Own;
  /** The request's own EntityManager, for reads across organizations. */
  em: Em;
  log: Log;
  from: From;
  header(name: string): string | undefined;
  /** Whether cookies of this request's host travel by TLS only. */
  isSecure: boolean;
  /**
   * The one transaction that has the effect. With an Idempotency-Key its reply is stored by that very transaction, so that a crash
   * leaves either both or neither.
   */
  write<Seen>(options: Write<Seen>, work: (tx: TenantTx, seen: Seen) => Promise<Reply>): Promise<Reply>;
};

/** What became of a body that was taken as it came: the handler's `body`, and the hash that an Idempotency-Key is bound to. */
export type Received<Body> = {
  body: Body;
  hash: Buffer;
  /** Once the request is over: what the handler has not made its own goes. */
  discard(): Promise<void>;
};

export type Receive<Body> = {
  contentType: string;
  description: string;
  take(
    /** `isRepeat`: its Idempotency-Key has a reply already. The body is read to see that it is the same, and makes nothing new. */
    request: { stream: Readable; caller: Caller; header(name: string): string | undefined; isRepeat: boolean },
    deps: Deps,
  ): Promise<Received<Body>>;
};

/** What an endpoint says itself. */
type Said<Body, Query> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * What a caller must be allowed. `public` needs no credential; `user` a person, by session or bearer token, whatever the role; `account`
   * the same, but not a token that may do less than its user: it changes what the user is; `session` a session.
   */
  scope: Scope | 'public' | 'user' | 'account' | 'session';
  /** Whoever has one of these is let in too, and the handler decides what they may see. */
  otherScopes?: Scope[];
  /** Kept in the audit log, by `write`: the type of the record it is about, whose id is the path's or the reply's. */
  audit?: string;
  /** Its reply shows a secret once: an Idempotency-Key replays it to the same caller only. */
  holdsSecret?: boolean;
  /** What a missing or foreign id is called in its 404. */
  subject?: string;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /** The body as it came, for a signature over its bytes; up to this many bytes. */
  rawBodyBytes?: number;
  /** Throws for headers that are refused whatever the body: nothing of it is read then. */
  beforeBody?: (header: (name: string) => string | undefined) => void;
  /** Takes the body itself, as it comes, in place of JSON. */
  receive?: Receive<Body>;
  /** Asks for work that a client may wait for with `Prefer: wait`. */
  isOperation?: boolean;
  /** What a refusal of that work is called for a client that waited; unset: `provider_refused`. */
  refusedCode?: ErrorCode;
  /** Counts for nobody's rate limit: the provider decides how often it calls, and repeats what is refused. */
  isUnlimited?: boolean;
  /** Its reply is a file, sent as it is read: an organization has so many places for these. */
  isDownload?: boolean;
  /** Takes an Idempotency-Key. */
  isIdempotent?: boolean;
  errorShape?: ErrorShape;
};

type Handlers<Body, Query, Params> = {
  handler(input: Input<Body, Query, Params>, deps: Deps): Promise<Reply>;
  /** The reply once the operation has succeeded, for a client that waited. */
  outcome?(input: Input<Body, Query, Params>, deps: Deps, reply: Reply): Promise<Reply>;
};

/** What is written down for an endpoint. The rest follows from it: `endpoint()` puts it in. */
type Declaration<Path extends string, Body, Query> = Said<Body, Query> &
  Handlers<Body, Query, { [Name in ParamOf<Path>]: string }> & {
    /** Express path; its parameters are ids, and a malformed one is the endpoint's 404. */
    path: Path;
    /** Those of the path that are no ids. */
    params?: { [Name in ParamOf<Path>]?: Joi.Schema };
    /** Replies by status; null: without a body. The statuses every endpoint may give stand in api/http/errors.ts. */
    responses: Record<number, View | null>;
    /** Error statuses that follow neither from scope, path, query and body nor are everybody's. */
    errors?: readonly number[];
    /** Where what it makes is found by its id, when that is not below its own path. */
    location?: string;
    /** What the document shows beside the replies' own examples. A query's is what a try on the docs page begins with. */
    example?: { params?: { [Name in ParamOf<Path>]?: string }; query?: Record<string, unknown>; body?: unknown };
  };

/** One definition, whole: validation, document, reply check and route come from it. */
export type Endpoint<Body = unknown, Query = unknown> = Said<Body, Query> &
  Handlers<Body, Query, Record<string, string>> & {
    path: string;
    params?: Record<string, Joi.Schema>;
    /** Reply bodies by status; null: none. */
    responses: Record<number, Joi.Schema | null>;
    /** The records in its replies that the document knows by a name. */
    named: Record<string, Joi.Schema>;
    /** Error statuses it may give beside the common ones. */
    errors: number[];
    /** Below it is what was made, where something may be; `locate` tells the client. */
    location?: string;
    locate?: (reply: Reply, params: Record<string, string>) => Reply;
    /** What the document shows; a test holds each to its schema. */
    example: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; reply?: unknown };
  };

export type AnyEndpoint = Endpoint<never, never>;

/** A schema without its type would let anything through the compiler. */
type Typed<Body, Query> = (0 extends 1 & Body ? { body: 'Joi.object<Body>() says what it takes' } : unknown) &
  (0 extends 1 & Query ? { query: 'Joi.object<Query>() says what it takes' } : unknown);

/** Types of path, query and body are those of what is declared; params, errors, example and Location follow from it, once, at start. */
export function endpoint<Path extends string, Body = unknown, Query = unknown>(
  declared: Declaration<Path, Body, Query> & Typed<Body, Query>,
): AnyEndpoint {
  const { path, params, responses, location = path, example, ...rest }: Declaration<string, Body, Query> = declared;
  const replies = repliesOf(responses);
  const whole = {
    ...rest,
    path,
    params: paramsOf(path, params),
    responses: replies.schemas,
    named: replies.named,
    errors: errorsOf(declared),
    ...(201 in responses && { location, locate: locating(location) }),
    example: { ...example, params: exampleParamsOf(path, example?.params), reply: replies.example },
  };
  return whole as unknown as AnyEndpoint;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** A text is plain unless its schema names another type in `meta({ contentType })`. */
export function contentTypeOf(schema: Joi.Schema): string {
  const metas = (schema.describe().metas ?? []) as { contentType?: string }[];
  const named = metas.find(({ contentType }) => contentType)?.contentType;
  return named ?? (schema.type === 'string' ? 'text/plain' : 'application/json');
}
