import { hash } from 'node:crypto';
import { type Caller, noOrganization } from '../organizations/caller.ts';
import type { ApiKey } from '../organizations/organization.entity.ts';
import { type Role, scopesOf } from '../organizations/roles.ts';
import { looksLike, looksLikeSecretToken, type Prefix } from '../platform/credentials.ts';
import type { Database } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { now } from '../platform/time/clock.ts';
import type { BearerToken, Session } from '../users/user.entity.ts';
import { extendSession, isStale } from './sessions.ts';

/** A revoked key or token is refused on every process within this time. */
const cacheMs = 5_000;
const maxCached = 10_000;
/** `last_used_at` is written at most this often. */
const usedEveryMs = 60_000;

/** Without a promise where possible: a cached credential costs no microtask. */
export type Awaitable<Answer> = Answer | Promise<Answer>;

/** Called before the look-up of an uncached credential; throws at the limit. Call its result if the credential is right. */
export type Charge = () => Promise<() => void>;

export type Authenticate = {
  /** Undefined: the credential is unknown or has ended. A cached one costs no query and no promise. */
  key(text: string, charge?: Charge): Awaitable<Caller | undefined>;
  token(text: string, charge?: Charge): Awaitable<Caller | undefined>;
  /** Never cached: an ended session or a switched organization takes effect at once. */
  session(text: string, charge?: Charge): Promise<{ caller: Caller; isExtended: boolean } | undefined>;
  /** Drops the cached callers of a key, token or user in this process; the others do so within 5 seconds. */
  forget(id: string): void;
  settled(): Promise<unknown>;
};

type Row = RowOf<typeof ApiKey, 'id' | 'organization_id' | 'scopes' | 'role' | 'expires_at' | 'last_used_at'> &
  Partial<RowOf<typeof BearerToken, 'user_id' | 'session_id'>>;

type Kind = { prefix: Prefix; byHash: string; noteUse: string; toCaller(row: Row): Caller };

const keys: Kind = {
  prefix: 'kk_',
  // SQL: hot, like all statements of this file: one per request whose credential is not cached (bench: get, post).
  byHash: `select id, organization_id, scopes, role, expires_at, last_used_at
    from api_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
  noteUse: `update api_keys
    set last_used_at = clock_timestamp()
    where organization_id = $1 and id = $2 and (last_used_at is null or last_used_at < clock_timestamp() - interval '59 seconds')`,
  toCaller: (row) => ({
    by: 'key',
    id: row.id,
    organizationId: row.organization_id,
    role: row.role,
    scopes: new Set(row.scopes),
    ...(row.expires_at && { expiresAt: new Date(row.expires_at) }),
  }),
};

/** SQL: hot, as above. Ends with the membership, and has only those of its scopes that the member's present role allows. */
const tokens: Kind = {
  prefix: 'kt_',
  byHash: `select t.id, t.organization_id, t.scopes, t.expires_at, t.last_used_at, t.user_id, t.session_id, m.role
    from bearer_tokens t
    join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
    where t.hash = $1 and t.expires_at > clock_timestamp()`,
  noteUse: `update bearer_tokens
    set last_used_at = clock_timestamp()
    where organization_id = $1 and id = $2 and (last_used_at is null or last_used_at < clock_timestamp() - interval '59 seconds')`,
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

// SQL: hot, one for each request with a session.
const sessions = `select s.id, s.user_id, s.organization_id, s.expires_at, m.role
  from sessions s
  left join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
  where s.hash = $1 and s.expires_at > clock_timestamp()`;

const nothing: ReadonlySet<string> = new Set();

export function createAuthenticate(database: Database): Authenticate {
  /** Expired entries stay until evicted: the credential was right, so its next look-up is not charged. */
  const cache = new Map<string, { prefix: Prefix; caller: Caller; until: number }>();
  const rightSessions = new Set<string>();
  const noting = new Set<Promise<unknown>>();
  let forgotten = 0;

  function note(noteUse: string, { organization_id, id, last_used_at }: Row) {
    if (last_used_at && now() - new Date(last_used_at).getTime() < usedEveryMs) return;
    const work = query(database, noteUse, [organization_id, id]).catch(() => undefined);
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
    // Something was forgotten during the read, perhaps this credential: do not cache it.
    if (before !== forgotten) return caller;
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    // The monotonic clock for the cache, the database's for the credential's end.
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
