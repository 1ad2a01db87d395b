import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { uuidv7 } from '../platform/ids.ts';
import { sha256 } from '../platform/secrets.ts';
import { now } from '../platform/time/clock.ts';
import { newSecretToken } from './credentials.ts';

/** A session ends this long after it was last used. */
export const sessionSeconds = 14 * 24 * 3600;
/** Its end is moved at most this often: not a write for every request. */
const extendedEveryMs = 3_600_000;

export const isStale = (expiresAt: string) => new Date(expiresAt).getTime() < now() + sessionSeconds * 1000 - extendedEveryMs;

const end = `clock_timestamp() + ${sessionSeconds} * interval '1 second'`;

export async function extendSession(source: Source, id: string): Promise<void> {
  await query(
    source,
    `update sessions set expires_at = ${end}, seen_at = clock_timestamp() where id = $1 and expires_at > clock_timestamp()`,
    [id],
  );
}

export type Device = { address: string; userAgent: string; telemetryId?: string };

/**
 * A session of a new id in the organization the user was in last, while he is a member there, else in his first. Returns what its cookie
 * holds: only the hash of it is stored.
 */
export async function openSession(source: Source, userId: string, device: Device) {
  const token = newSecretToken();
  const [row] = await query<{ id: string; organization_id: string | null }>(
    source,
    `insert into sessions (id, user_id, hash, organization_id, expires_at, address, user_agent, telemetry_id)
     values ($1, $2, $3, (select organization_id from memberships where user_id = $2 order by used_at desc nulls last, created_at limit 1),
       ${end}, $4, $5, $6) returning id, organization_id`,
    [uuidv7(), userId, sha256(token), device.address, device.userAgent.slice(0, 500), device.telemetryId ?? null],
  );
  return { id: row!.id, organizationId: row!.organization_id, token };
}

/** Ends the session a browser still had when somebody logged in with it: whoever knew the old id knows nothing of the new one. */
export async function endSessionOf(source: Source, token: string): Promise<void> {
  await query(source, 'delete from sessions where hash = $1', [sha256(token)]);
}

export async function endSession(source: Source, id: string): Promise<void> {
  await query(source, 'delete from sessions where id = $1', [id]);
}

/** Ends all sessions and bearer tokens of a user, all but one session with those made in it. */
export async function endSessions(source: Source, userId: string, exceptSessionId?: string): Promise<void> {
  await query(source, 'delete from sessions where user_id = $1 and id is distinct from $2', [userId, exceptSessionId ?? null]);
  // Two nulls are not the same session: without an exception no token stays.
  await query(source, 'delete from bearer_tokens where user_id = $1 and (session_id = $2) is not true', [
    userId,
    exceptSessionId ?? null,
  ]);
}

/** The next login begins there too. Returns false when the user is not a member of that organization, or there is none. */
export async function switchOrganization(
  source: Source,
  session: { id: string; userId: string },
  organizationId: string,
): Promise<boolean> {
  const rows = await query(
    source,
    `with m as (update memberships set used_at = clock_timestamp() where organization_id = $3 and user_id = $2 returning organization_id)
     update sessions s set organization_id = m.organization_id from m where s.id = $1 and s.user_id = $2 returning s.id`,
    [session.id, session.userId, organizationId],
  );
  return rows.length > 0;
}
