import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { Authenticate } from '../../src/accounts/authenticate.ts';
import type { Passwords } from '../../src/accounts/password-hash.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Scope } from '../../src/organizations/scopes.ts';
import type { Config } from '../../src/platform/config/config.ts';
import type { Database, Em } from '../../src/platform/database/database.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';
import type { Ledger } from '../../src/platform/ledger/ledger.ts';
import type { Queues } from '../../src/platform/ledger/queues.ts';
import type { TransactOptions } from '../../src/platform/ledger/transact.ts';
import type { Tx } from '../../src/platform/ledger/tx.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';
import type { Log } from '../../src/platform/log.ts';
import type { Metrics } from '../../src/platform/metrics/metrics.ts';
import type { LoginLimits } from '../../src/platform/rate-limits/login.ts';
import type { RequestLimits } from '../../src/platform/rate-limits/requests.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import type { Providers } from '../../src/providers/index.ts';
import type { Intake } from './intake/intake.ts';

export type Deps = {
  config: Config;
  database: Database;
  ledger: Ledger;
  queues: Queues;
  providers: Providers;
  secrets: Secrets;
  authenticate: Authenticate;
  passwords: Passwords;
  loginLimits: LoginLimits;
  limits: RequestLimits;
  intake: Intake;
  /** How lists are read. */
  reads: Reads;
  metrics: Metrics;
  log: Log;
};

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

export type Input<Body, Query> = {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Set unless the endpoint is public. */
  caller: Caller;
  /** The request's own EntityManager, for reads. */
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
  write(options: TransactOptions, work: (tx: Tx) => Promise<Reply>): Promise<Reply>;
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

/** One definition: validation, document, reply check and route come from it. */
export type Endpoint<Body = unknown, Query = unknown> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path; its parameters are ids, and a malformed one is the endpoint's 404. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * What a caller must be allowed. `public` needs no credential; `user` a person, by session or bearer token, whatever the role; `account`
   * the same, but not a token that may do less than its user: it changes what the user is; `session` a session.
   */
  scope: Scope | 'public' | 'user' | 'account' | 'session';
  /** Whoever has one of these is let in too, and the handler decides what he may see. */
  otherScopes?: Scope[];
  /** Kept in the audit log, by `write`: the type of the record it is about, whose id is the path's or the reply's. */
  audit?: string;
  /** Its reply shows a secret once: an Idempotency-Key replays it to the same caller only. */
  holdsSecret?: boolean;
  /** What a missing or foreign id in the path is called. */
  subject?: string;
  params?: Record<string, Joi.Schema>;
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
  /** Reply bodies by status; null: none. The statuses every endpoint may give stand in api/http/errors.ts. */
  responses: Record<number, Joi.Schema | null>;
  /** Error statuses this endpoint may give beside the common ones. */
  errors: number[];
  /** What the document shows; a test holds each to its schema. A query's is what a try on the docs page begins with. */
  example?: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; reply?: unknown };
  handler(input: Input<Body, Query>, deps: Deps): Promise<Reply>;
  /** The reply once the operation has succeeded, for a client that waited. */
  outcome?(input: Input<Body, Query>, deps: Deps, reply: Reply): Promise<Reply>;
};

export type AnyEndpoint = Endpoint<never, never>;

export const endpoint = <Body = unknown, Query = unknown>(definition: Endpoint<Body, Query>): AnyEndpoint =>
  definition as unknown as AnyEndpoint;

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** A text is plain unless its schema names another type in `meta({ contentType })`. */
export function contentTypeOf(schema: Joi.Schema): string {
  const metas = (schema.describe().metas ?? []) as { contentType?: string }[];
  const named = metas.find(({ contentType }) => contentType)?.contentType;
  return named ?? (schema.type === 'string' ? 'text/plain' : 'application/json');
}
