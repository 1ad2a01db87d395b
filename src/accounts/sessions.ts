import { sql } from 'kysely';
import { Membership } from '../organizations/organization.entity.ts';
import { newSecretToken } from '../platform/credentials.ts';
import { cut } from '../platform/cut.ts';
import { now as databaseNow } from '../platform/database/columns.ts';
import type { Em, Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { type TablesOf, tables } from '../platform/database/tables.ts';
import { uuidv7 } from '../platform/ids.ts';
import { sha256 } from '../platform/secrets.ts';
import { now } from '../platform/time/clock.ts';
import { BearerToken, Session } from '../users/user.entity.ts';

/** A session ends this long after its last use. */
export const sessionSeconds = 14 * 24 * 3600;
/** The end is moved at most this often, which saves a write per request. */
const extendedEveryMs = 3_600_000;

export const isStale = (expiresAt: string) => new Date(expiresAt).getTime() < now() + sessionSeconds * 1000 - extendedEveryMs;

/** SQL: hot: a part of authenticating a session (authenticate.ts). */
export async function extendSession(source: Source, id: string): Promise<void> {
  await query(
    source,
    `update sessions
     set expires_at = clock_timestamp() + $2 * interval '1 second', seen_at = clock_timestamp()
     where id = $1 and expires_at > clock_timestamp()`,
    [id, sessionSeconds],
  );
}

export type Device = { address: string; userAgent: string; telemetryId?: string };

/** In the organization the user used last, else in the user's first. Only the hash of the returned token is stored. */
export async function openSession(em: Em, userId: string, device: Device) {
  const token = newSecretToken();
  const row = await tables<TablesOf<typeof Session | typeof Membership>>(em)
    .insertInto('sessions')
    .values(({ selectFrom }) => ({
      id: uuidv7(),
      user_id: userId,
      hash: sha256(token),
      organization_id: selectFrom('memberships')
        .select('organization_id')
        .where('user_id', '=', userId)
        .orderBy('used_at', (order) => order.desc().nullsLast())
        .orderBy('created_at')
        .limit(1),
      expires_at: sql<string>`clock_timestamp() + ${sessionSeconds} * interval '1 second'`,
      address: device.address,
      user_agent: cut(device.userAgent, 500),
      telemetry_id: device.telemetryId ?? null,
    }))
    .returning(['id', 'organization_id'])
    .executeTakeFirstOrThrow();
  return { id: row.id, organizationId: row.organization_id, token };
}

/** Against session fixation: the session in the browser's cookie ends at a login. */
export async function endSessionOf(em: Em, token: string): Promise<void> {
  await em.nativeDelete(Session, { hash: sha256(token) });
}

export async function endSession(em: Em, id: string): Promise<void> {
  await em.nativeDelete(Session, { id });
}

/** Also ends the user's bearer tokens, except those of the excepted session. */
export async function endSessions(em: Em, userId: string, exceptSessionId?: string): Promise<void> {
  const sessions = exceptSessionId ? { id: { $ne: exceptSessionId } } : {};
  await em.nativeDelete(Session, { user_id: userId, ...sessions });
  const tokens = exceptSessionId ? { $or: [{ session_id: null }, { session_id: { $ne: exceptSessionId } }] } : {};
  await em.nativeDelete(BearerToken, { user_id: userId, ...tokens });
}

/** The next login begins there too. False: the user is not a member, or the session has ended. */
export async function switchOrganization(
  em: Em,
  session: { id: string; userId: string },
  organizationId: string,
): Promise<boolean> {
  const membership = { organization_id: organizationId, user_id: session.userId };
  if ((await em.nativeUpdate(Membership, membership, { used_at: databaseNow() })) === 0) return false;
  const own = { id: session.id, user_id: session.userId };
  return (await em.nativeUpdate(Session, own, { organization_id: organizationId })) > 0;
}
