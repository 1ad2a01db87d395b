import type { Database, Em, Source } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import type { IdempotencyKey as StoredReply } from '../../src/platform/idempotency/idempotency-key.entity.ts';
import type { Transact, Work, Write } from '../../src/platform/ledger/transact.ts';
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

/** Leaves the transaction: the reply exists already. */
class Replayed extends Error {
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

/** SQL (all of this file): on the path of every write with a key, inside its transaction (bench: POST /v1/messages). */
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

/** The stored reply to the same request; a 422 when the key was used with another body. */
export async function storedReply(source: Source, secrets: Secrets, key: IdempotencyKey): Promise<Reply | undefined> {
  const [row] = await query<RowOf<typeof StoredReply, 'body_hash' | 'reply'>>(source, findStatement, paramsOf(key));
  if (!row) return undefined;
  if (Buffer.compare(row.body_hash, key.bodyHash) !== 0)
    throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used with another body');
  const reply = JSON.parse(secrets.open(row.reply)) as Reply;
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
}

/** Whether a stored reply exists; the body is compared later. */
export async function isAnswered(source: Source, key: Omit<IdempotencyKey, 'bodyHash'>): Promise<boolean> {
  const rows = await query(source, existsStatement, paramsOf(key));
  return rows.length > 0;
}

const storeStatement = `
  insert into idempotency_keys (organization_id, method, path, key, body_hash, status, reply, contact_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (organization_id, method, path, key) do update
     set body_hash = excluded.body_hash,
         status = excluded.status,
         reply = excluded.reply,
         contact_id = excluded.contact_id,
         created_at = clock_timestamp()
   where idempotency_keys.created_at <= clock_timestamp() - interval '24 hours'`;

const storeParams = (secrets: Secrets, key: IdempotencyKey, reply: Reply) => [
  ...paramsOf(key),
  key.bodyHash,
  reply.status,
  secrets.seal(JSON.stringify(reply)),
  contactIn(reply) ?? key.contactId ?? null,
];

/** The contact a reply shows: a message has `contact_id`, a reply with `custom_fields` is a contact. */
function contactIn({ body }: Reply): string | undefined {
  const { data } = (body ?? {}) as { data?: { id?: string; contact_id?: string | null; custom_fields?: object } };
  return data?.contact_id ?? (data?.custom_fields && data.id);
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

/** "Still running" is an advisory lock in the transaction that also writes the row: a crash frees it, a repeat gets a 409. */
export async function writeOnce<Seen>(
  transact: Transact,
  secrets: Secrets,
  key: IdempotencyKey,
  options: Write<Seen>,
  work: Work<Tx, Seen, Reply>,
): Promise<Reply> {
  try {
    return await transact(
      {
        ...options,
        isOneTrip: false,
        beforeCommit: async (em, reply) => void (await query(em, storeStatement, storeParams(secrets, key, reply as Reply))),
      },
      async (tx, seen) => {
        if (!(await tryLock(tx.em, key)))
          throw new AppError('request_in_progress', 'A request with this Idempotency-Key is still running', {
            retryAfterSeconds: 1,
          });
        const stored = await storedReply(tx.em, secrets, key);
        if (stored) throw new Replayed(stored);
        return work(tx, seen);
      },
    );
  } catch (error) {
    if (error instanceof Replayed) return error.reply;
    throw error;
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

/** Takes the key's lock: a same request that still runs stores its own reply instead. */
export async function storeRefusal(database: Database, secrets: Secrets, key: IdempotencyKey, reply: Reply) {
  await database.transaction(async (em) => {
    if (await tryLock(em, key)) await query(em, storeStatement, storeParams(secrets, key, reply));
  });
}

async function tryLock(em: Em, key: IdempotencyKey): Promise<boolean> {
  const [lock] = await query<{ is_free: boolean }>(em, 'select pg_try_advisory_xact_lock(hashtextextended($1, 1)) as is_free', [
    paramsOf(key).join('\n'),
  ]);
  return lock?.is_free ?? false;
}

export const hashOfBody = (body: unknown) => sha256(JSON.stringify(body ?? null));
