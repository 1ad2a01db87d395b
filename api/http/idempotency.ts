import { type BatchStatement, runBatch } from '../../src/platform/database/batch.ts';
import type { Database, Source } from '../../src/platform/database/database.ts';
import { assertionCodes, sqlStateOf } from '../../src/platform/database/errors.ts';
import { OwnRows } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import type { IdempotencyKey as StoredReply } from '../../src/platform/idempotency/idempotency-key.entity.ts';
import type { Once, Transact, Work, Write } from '../../src/platform/ledger/transact.ts';
import type { Tx } from '../../src/platform/ledger/tx.ts';
import { type Secrets, sha256 } from '../../src/platform/secrets.ts';
import type { Reply } from './endpoint.ts';
import { renderError } from './errors.ts';

export type IdempotencyKey = {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  bodyHash: Buffer;
  contactId?: string;
};

/** Leaves the handler: the reply exists already. */
export class Replayed extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('replayed');
    this.reply = reply;
  }
}

/** 1-255 printable characters; anything else is a 422 on the header. */
export function checkKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
  throw new AppError('invalid_request', message, {
    details: [{ field: 'Idempotency-Key', location: 'header', code: 'string.pattern', message }],
  });
}

/** SQL (all of this file): on the path of every write with a key, in its transaction (bench: POST /v1/messages). */
const isOfRequest = `
  organization_id = $1 and method = $2 and path = $3 and key = $4
  and created_at > clock_timestamp() - interval '24 hours'`;

const findStatement = `
  select body_hash, reply
    from idempotency_keys
   where ${isOfRequest}`;

const existsStatement = `
  select 1
    from idempotency_keys
   where ${isOfRequest}`;

const paramsOf = ({ organizationId, method, path, key }: Omit<IdempotencyKey, 'bodyHash'>) => [organizationId, method, path, key];

type Found = RowOf<typeof StoredReply, 'body_hash' | 'reply'>;

/** The stored reply to the same request; a 422 when the key was used with another body. */
function replyOf(secrets: Secrets, key: IdempotencyKey, row: Found | undefined): Reply | undefined {
  if (!row) return undefined;
  if (Buffer.compare(row.body_hash, key.bodyHash) !== 0)
    throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used with another body');
  const reply = JSON.parse(secrets.open(row.reply)) as Reply;
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
}

async function storedReply(source: Source, secrets: Secrets, key: IdempotencyKey): Promise<Reply | undefined> {
  const [row] = await query<Found>(source, findStatement, paramsOf(key));
  return replyOf(secrets, key, row);
}

/** The organization's rows for a request with a key. Unless `look` was first, the look for the key's reply travels with the first text. */
export class OwnWithKey extends OwnRows {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #key: IdempotencyKey;
  #isLooked = false;

  constructor(database: Database, secrets: Secrets, key: IdempotencyKey) {
    super(database, key.organizationId);
    this.#database = database;
    this.#secrets = secrets;
    this.#key = key;
  }

  /** Only the first time. */
  async look(): Promise<Reply | undefined> {
    if (this.#isLooked) return undefined;
    const reply = await storedReply(this.#database, this.#secrets, this.#key);
    this.#isLooked = true;
    return reply;
  }

  override async sql<Row>(text: string, params: unknown[] = []): Promise<Row[]> {
    if (this.#isLooked) return super.sql(text, params);
    const statements = [
      { text: findStatement, params: paramsOf(this.#key) },
      { text, params: [this.organizationId, ...params] },
    ];
    const [found, rows] = await runBatch(this.#database.pool, statements);
    this.#isLooked = true;
    const reply = replyOf(this.#secrets, this.#key, found?.[0] as Found | undefined);
    if (reply) throw new Replayed(reply);
    return rows as Row[];
  }
}

/** Whether a stored reply exists; the body is compared later. */
export async function isAnswered(source: Source, key: Omit<IdempotencyKey, 'bodyHash'>): Promise<boolean> {
  const rows = await query(source, existsStatement, paramsOf(key));
  return rows.length > 0;
}

const columns = 'organization_id, method, path, key, body_hash, status, reply, contact_id';
const unlessStored = `
  on conflict (organization_id, method, path, key) do update
     set body_hash = excluded.body_hash,
         status = excluded.status,
         reply = excluded.reply,
         contact_id = excluded.contact_id,
         created_at = clock_timestamp()
   where idempotency_keys.created_at <= clock_timestamp() - interval '24 hours'`;

const storeStatement = `
  insert into idempotency_keys (${columns})
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  ${unlessStored}`;

const storeWhereFree = `
  insert into idempotency_keys (${columns})
  select $1::uuid, $2, $3, $4, $5::bytea, $6::int, $7, $8::uuid
   where pg_try_advisory_xact_lock(hashtextextended($9, 1))
  ${unlessStored}`;

const storeParams = (secrets: Secrets, key: IdempotencyKey, reply: Reply) => [
  ...paramsOf(key),
  key.bodyHash,
  reply.status,
  secrets.seal(JSON.stringify(reply)),
  contactIn(reply) ?? key.contactId ?? null,
];

type Target = { object_kind: string; object_id: string };
type Shown = { id?: string; contact_id?: string | null; custom_fields?: object; targets?: Target[] };

/** The contact a reply shows: a message and a conversation's note have `contact_id`, a reply with `custom_fields` is a contact, a task has targets. */
function contactIn({ body }: Reply): string | undefined {
  const { data, contact_id, targets } = (body ?? {}) as Shown & { data?: Shown };
  const target = targets?.find(({ object_kind }) => object_kind === 'contact')?.object_id;
  return data?.contact_id ?? (data?.custom_fields && data.id) ?? contact_id ?? target;
}

const withdrawStatement = `
  update idempotency_keys
     set status = $3, reply = $4
   where organization_id = $1 and contact_id = any($2::uuid[])`;

/** Replaces replies about an erased contact by a 404: a repeat neither shows nor creates the contact. */
export async function withdrawReplies(tx: Tx, secrets: Secrets, organizationId: string, contactIds: string[], requestId: string) {
  const { body, contentType } = renderError(notFound('Contact'), 'standard', requestId);
  const reply: Reply = { status: 404, body, headers: { 'Content-Type': contentType } };
  await tx.of(organizationId).sql(withdrawStatement, [contactIds, reply.status, secrets.seal(JSON.stringify(reply))]);
}

/** The one name of the key's lock: "still running" is an advisory lock in the transaction that also writes the row. */
const lockOf = (key: IdempotencyKey) => paramsOf(key).join('\n');

const { running, answered } = assertionCodes;

/** Two statements: the second sees what was committed before the first took the lock. */
const claimsOf = (key: IdempotencyKey): BatchStatement[] => [
  { text: `select assert_that(pg_try_advisory_xact_lock(hashtextextended($1, 1)), '${running}')`, params: [lockOf(key)] },
  { text: `select assert_that(not exists (${existsStatement}), '${answered}')`, params: paramsOf(key) },
];

/** A crash frees the key's lock; a repeat while it runs gets a 409. */
export async function writeOnce<Seen>(
  transact: Transact,
  database: Database,
  secrets: Secrets,
  key: IdempotencyKey,
  options: Write<Seen>,
  work: Work<Tx, Seen, Reply>,
): Promise<Reply> {
  const once: Once = {
    claims: claimsOf(key),
    kept: (reply) => ({ text: storeStatement, params: storeParams(secrets, key, reply as Reply) }),
  };
  for (;;) {
    try {
      return await transact({ ...options, once }, work);
    } catch (error) {
      const code = sqlStateOf(error);
      if (code === running)
        throw new AppError('request_in_progress', 'A request with this Idempotency-Key is still running', {
          retryAfterSeconds: 1,
        });
      if (code !== answered) throw error;
    }
    // Stored since the look. None: its 24 hours have ended meanwhile.
    const stored = await storedReply(database, secrets, key);
    if (stored) return stored;
  }
}

const neverStored = new Set([400, 401, 403, 413, 415, 429]);

/** A 4xx is as final as a success: the same request gets the same reply, unless it says to try again. */
export const isStored = (error: AppError) =>
  error.status >= 400 &&
  error.status < 500 &&
  error.retryAfterSeconds === undefined &&
  !neverStored.has(error.status) &&
  error.code !== 'idempotency_mismatch';

/** Unless the key's lock is taken: a same request that still runs stores its own reply instead. */
export async function storeRefusal(database: Database, secrets: Secrets, key: IdempotencyKey, reply: Reply) {
  await query(database, storeWhereFree, [...storeParams(secrets, key, reply), lockOf(key)]);
}

export const hashOfBody = (body: unknown) => sha256(JSON.stringify(body ?? null));
