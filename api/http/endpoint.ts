import type { Readable } from 'node:stream';
import type Joi from 'joi';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Scope } from '../../src/organizations/scopes.ts';
import type { Em } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';
import type { Work, Write } from '../../src/platform/ledger/transact.ts';
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
  /** More fields of the body, as JSON text: a large document is not parsed to be written again. */
  texts?: Record<string, string>;
  /** In place of a body: sent as it comes, at the client's pace, and destroyed when the client goes away. */
  stream?: Readable;
  headers?: Record<string, string>;
  /** The operation to name in the headers, and to wait for if the client prefers. */
  operationId?: string;
  /** Added to the audit log's entry. `organizationId`: if it is not the caller's. */
  audit?: { organizationId?: string; subject?: string; details?: Record<string, unknown> };
  /** Runs once the transaction of `write` has committed. */
  committed?(): void;
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
  /** The one transaction of the request. It also stores the reply for an Idempotency-Key: a crash leaves both or neither. */
  write<Seen>(options: Write<Seen>, work: Work<TenantTx, Seen, Reply>): Promise<Reply>;
};

/** A body the endpoint read itself: the handler's `body`, and the hash for the Idempotency-Key. */
export type Received<Body> = {
  body: Body;
  hash: Buffer;
  /** Runs after the request: frees what the handler did not keep. */
  discard(): Promise<void>;
};

export type Receive<Body> = {
  contentType: string;
  description: string;
  /** The name of the file in a form (`multipart/form-data`), which may be sent instead. Any other content type is taken too, as the file's. */
  formField?: string;
  take(
    /** `isRepeat`: the Idempotency-Key has a reply. The body is only compared and creates nothing. */
    request: {
      stream: Readable;
      caller: Caller;
      query: unknown;
      header(name: string): string | undefined;
      isRepeat: boolean;
    },
    deps: Deps,
  ): Promise<Received<Body>>;
};

type Said<Body, Query> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** `user`: a person with a session or token, any role. `account`: the same, but a token needs all of its user's scopes. */
  scope: Scope | 'public' | 'user' | 'account' | 'session';
  /** Callers with one of these are let in too; the handler decides what they may see. */
  otherScopes?: Scope[];
  /** The type of the audited record, whose id is the path's or the reply's. */
  audit?: string;
  /** Its reply shows a secret once: an Idempotency-Key replays it to the same caller only. */
  holdsSecret?: boolean;
  /** Its reply shows less to a caller with fewer scopes: an Idempotency-Key replays it to the same scopes only. */
  isShapedByScopes?: boolean;
  /** What a missing or foreign id is called in its 404. */
  subject?: string;
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /** Keeps the raw bytes for a signature; at most so many. */
  rawBodyBytes?: number;
  /** Throws for headers that are refused in any case, before the body is read. */
  beforeBody?: (header: (name: string) => string | undefined) => void;
  /** Reads the body itself, in place of JSON. */
  receive?: Receive<Body>;
  /** Asks for work that a client may wait for with `Prefer: wait`. */
  isOperation?: boolean;
  /** How long it waits for a client that does not say. Default: not at all. */
  waitSeconds?: number;
  /** The error code for a waiting client when the work is refused. Default: `provider_refused`. */
  refusedCode?: ErrorCode;
  /** Exempt from rate limits: the provider decides how often it calls, and repeats refused calls. */
  isUnlimited?: boolean;
  /** The reply is a streamed file; an organization has a limited number of places for these, and others for `media`. */
  isDownload?: boolean | 'media';
  /** A record that is not there is no error: what is asked holds already. A malformed parameter is a 422 then. */
  isMissingFine?: boolean;
  /** Writes nothing, whatever its method: it may be repeated after a 503, so that its large reply is counted as one to a GET. */
  isRead?: boolean;
  /** Its work is counted (`timeShares`): it has a place of the organization, which stays taken until the work is paid for. */
  isCounted?: boolean;
  /** Takes an Idempotency-Key. */
  isIdempotent?: boolean;
  /** Its handler begins with a text of `own`, which takes the look for the key's reply with it. */
  looksFirst?: boolean;
  errorShape?: ErrorShape;
};

type Handlers<Body, Query, Params> = {
  handler(input: Input<Body, Query, Params>, deps: Deps): Promise<Reply>;
  /** The reply once the operation has succeeded, for a client that waited. */
  outcome?(input: Input<Body, Query, Params>, deps: Deps, reply: Reply): Promise<Reply>;
};

/** An endpoint as declared; `endpoint()` derives the rest. */
type Declaration<Path extends string, Body, Query> = Said<Body, Query> &
  Handlers<Body, Query, { [Name in ParamOf<Path>]: string }> & {
    /** Express path; its parameters are ids, and a malformed one is the endpoint's 404. */
    path: Path;
    /** Path parameters that are not ids. */
    params?: { [Name in ParamOf<Path>]?: Joi.Schema };
    /** Replies by status; null: without a body. Statuses common to all endpoints are in api/http/errors.ts. */
    responses: Record<number, View | null>;
    /** Error statuses that do not follow from scope, path, query and body. */
    errors?: readonly number[];
    /** The path of the created record, if it is not below the endpoint's own path. */
    location?: string;
    /** Document examples beside the replies' own. The docs page starts a try with the query's. */
    example?: { params?: { [Name in ParamOf<Path>]?: string }; query?: Record<string, unknown>; body?: unknown };
  };

/** Complete: validation, document, reply check and route come from it. */
export type Endpoint<Body = unknown, Query = unknown> = Said<Body, Query> &
  Handlers<Body, Query, Record<string, string>> & {
    path: string;
    params?: Record<string, Joi.Schema>;
    /** Reply bodies by status; null: none. */
    responses: Record<number, Joi.Schema | null>;
    /** Reply schemas with a name in the document. */
    named: Record<string, Joi.Schema>;
    /** Error statuses it may give beside the common ones. */
    errors: number[];
    /** The parent path of created records, for `locate`. */
    location?: string;
    locate?: (reply: Reply, params: Record<string, string>) => Reply;
    /** Shown in the document; a test validates each against its schema. */
    example: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; reply?: unknown };
  };

export type AnyEndpoint = Endpoint<never, never>;

/** Without its type, a schema would disable the compiler's checks. */
type Typed<Body, Query> = (0 extends 1 & Body ? { body: 'Joi.object<Body>() says what it takes' } : unknown) &
  (0 extends 1 & Query ? { query: 'Joi.object<Query>() says what it takes' } : unknown);

/** Infers types from the declaration, and derives params, errors, example and Location once, at start. */
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
    get errors() {
      return errorsOf(declared);
    },
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
