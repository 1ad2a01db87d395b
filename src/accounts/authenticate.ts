import { hash } from 'node:crypto';
import { type Caller, noOrganization } from '../organizations/caller.ts';
import type { ApiKey } from '../organizations/organization.entity.ts';
import { type Role, scopesOf } from '../organizations/roles.ts';
import type { Database } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { now } from '../platform/time/clock.ts';
import type { BearerToken, Session } from './account.entity.ts';
import { looksLike, looksLikeSecretToken, type Prefix } from './credentials.ts';
import { extendSession, isStale } from './sessions.ts';

/** A revoked key or token is refused on every process within this time. */
const cacheMs = 5_000;
const maxCached = 10_000;
/** `last_used_at` is written this often at most. */
const usedEveryMs = 60_000;

/** An answer, or the promise of one: what is known already costs the request no turn of the queue of promises. */
export type Awaitable<Answer> = Answer | Promise<Answer>;

/**
 * Asked before the database is, for a credential that this process has not found right before: throws when no more may be asked. What it
 * resolves to is called when the credential is right after all.
 */
export type Charge = () => Promise<() => void>;

export type Authenticate = {
  /** Who a key or bearer token is; undefined: nobody's. One that is cached costs no query and no promise. */
  key(text: string, charge?: Charge): Awaitable<Caller | undefined>;
  token(text: string, charge?: Charge): Awaitable<Caller | undefined>;
  /** Asked of the database each time: a session that was ended or has changed its organization is so at once. */
  session(text: string, charge?: Charge): Promise<{ caller: Caller; isExtended: boolean } | undefined>;
  /** Forgets what this process remembers of a key, token or user; the others do within 5 seconds. */
  forget(id: string): void;
  /** Once what is being noted in the background is written. */
  settled(): Promise<unknown>;
};

type Row = RowOf<typeof ApiKey, 'id' | 'organization_id' | 'scopes' | 'role' | 'expires_at' | 'last_used_at'> &
  Partial<RowOf<typeof BearerToken, 'user_id' | 'session_id'>>;

/** `noteUse` writes for an id that it was used, in one minute for one process only. */
type Kind = { prefix: Prefix; byHash: string; noteUse: string; toCaller(row: Row): Caller };

const keys: Kind = {
  prefix: 'kk_',
  // SQL: hot, as all statements of this file: one for each request whose credential is not cached (bench: get, post).
  byHash: `select id, organization_id, scopes, role, expires_at, last_used_at
    from api_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
  noteUse: `update api_keys
    set last_used_at = clock_timestamp()
    where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '59 seconds')`,
  toCaller: (row) => ({
    by: 'key',
    id: row.id,
    organizationId: row.organization_id,
    role: row.role,
    scopes: new Set(row.scopes),
    ...(row.expires_at && { expiresAt: new Date(row.expires_at) }),
  }),
};

/** Bound to its organization: it ends with the membership, and a lower role takes scopes from it at once. */
const tokens: Kind = {
  prefix: 'kt_',
  byHash: `select t.id, t.organization_id, t.scopes, t.expires_at, t.last_used_at, t.user_id, t.session_id, m.role
    from bearer_tokens t
    join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
    where t.hash = $1 and t.expires_at > clock_timestamp()`,
  noteUse: `update bearer_tokens
    set last_used_at = clock_timestamp()
    where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '59 seconds')`,
  toCaller: (row) => ({
    by: 'token',
    id: row.id,
    organizationId: row.organization_id,
    role: row.role,
    scopes: new Set(row.scopes.filter((scope) => (scopesOf[row.role] as ReadonlySet<string>).has(scope))),
    userId: row.user_id,
    ...(row.session_id && { sessionId: row.session_id }),
    expiresAt: new Date(row.expires_at!),
  }),
};

type SessionRow = RowOf<typeof Session, 'id' | 'user_id' | 'organization_id' | 'expires_at'> & { role: Role | null };

const sessions = `select s.id, s.user_id, s.organization_id, s.expires_at, m.role
  from sessions s
  left join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
  where s.hash = $1 and s.expires_at > clock_timestamp()`;

const nothing: ReadonlySet<string> = new Set();

export function createAuthenticate(database: Database): Authenticate {
  /** An entry past its time stays until it is pushed out: the credential was right, and its look-up is charged to nobody. */
  const cache = new Map<string, { prefix: Prefix; caller: Caller; until: number }>();
  const rightSessions = new Set<string>();
  const noting = new Set<Promise<unknown>>();
  let forgotten = 0;

  function note(noteUse: string, { id, last_used_at }: Row) {
    if (last_used_at && now() - new Date(last_used_at).getTime() < usedEveryMs) return;
    const work = query(database, noteUse, [id]).catch(() => undefined);
    noting.add(work);
    void work.finally(() => noting.delete(work));
  }

  function find(kind: Kind, text: string, charge?: Charge): Awaitable<Caller | undefined> {
    const name = hash('sha256', text, 'base64');
    const hit = cache.get(name);
    if (hit?.prefix === kind.prefix && hit.until > performance.now()) return hit.caller;
    if (!looksLike(kind.prefix, text)) return undefined;
    return charge && !hit ? charged(charge, () => lookUp(kind, name)) : lookUp(kind, name);
  }

  async function charged<Found>(charge: Charge, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const giveBack = await charge();
    const found = await look();
    if (found) giveBack();
    return found;
  }

  async function lookUp({ prefix, byHash, noteUse, toCaller }: Kind, name: string): Promise<Caller | undefined> {
    const before = forgotten;
    const [row] = await query<Row>(database, byHash, [Buffer.from(name, 'base64')]);
    cache.delete(name);
    if (!row) return undefined;
    note(noteUse, row);
    const caller = toCaller(row);
    // What was read before something was forgotten may be that very thing.
    if (before !== forgotten) return caller;
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    // By the steady clock; its end is by the database's.
    const leftMs = caller.expiresAt ? caller.expiresAt.getTime() - now() : cacheMs;
    const until = performance.now() + Math.min(cacheMs, leftMs);
    cache.set(name, { prefix, caller, until });
    return caller;
  }

  async function lookUpSession(name: string): Promise<{ caller: Caller; isExtended: boolean } | undefined> {
    const [row] = await query<SessionRow>(database, sessions, [Buffer.from(name, 'base64')]);
    rightSessions.delete(name);
    if (!row) return undefined;
    if (rightSessions.size >= maxCached) rightSessions.delete(rightSessions.keys().next().value!);
    rightSessions.add(name);
    const isExtended = isStale(row.expires_at);
    if (isExtended) await extendSession(database, row.id);
    const caller: Caller = {
      by: 'session',
      id: row.id,
      organizationId: row.organization_id ?? noOrganization,
      role: row.role ?? 'viewer',
      scopes: row.role ? scopesOf[row.role] : nothing,
      userId: row.user_id,
      sessionId: row.id,
    };
    return { caller, isExtended };
  }

  return {
    key: (text, charge) => find(keys, text, charge),
    token: (text, charge) => find(tokens, text, charge),
    async session(text, charge) {
      if (!looksLikeSecretToken(text)) return undefined;
      const name = hash('sha256', text, 'base64');
      return charge && !rightSessions.has(name) ? charged(charge, () => lookUpSession(name)) : lookUpSession(name);
    },
    forget(id) {
      forgotten += 1;
      for (const [name, { caller }] of cache) if (caller.id === id || caller.userId === id) cache.delete(name);
    },
    settled: () => Promise.all(noting),
  };
}
