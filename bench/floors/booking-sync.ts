import { Agent as HttpAgent } from 'node:http';
import got from 'got';
import type pg from 'pg';
import { transactions } from './transactions.ts';

const read = `select b.id, b.organization_id, b.starts_at, b.ends_at, b.timezone, s.name as service_name, s.location, f.calendar_id, o.order_no,
    o.customer_name, o.customer_phone, o.customer_email, k.id as connection_id, k.credentials
  from jobs j join bookings b on b.organization_id = $2 and b.order_id = j.subject_id
  join booking_calendars c on c.organization_id = $2 and c.booking_id = b.id and c.status = 'pending'
  join orders o on o.organization_id = $2 and o.id = b.order_id join services s on s.organization_id = $2 and s.id = b.service_id
  join staff f on f.organization_id = $2 and f.id = b.staff_id
  join connections k on k.organization_id = $2 and k.id = f.calendar_connection_id and k.deleted_at is null
  where j.organization_id = $2 and j.id = $1 and j.state = 'queued'`;
const synced = `update booking_calendars set status = 'synced', synced = wanted, connection_id = $3, calendar_id = $4, event_id = $5, etag = $6,
  event_url = $7, last_synced_at = now(), pending_since = null, updated_at = now() where organization_id = $1 and booking_id = $2`;

const { env } = process;
const soonMs = 60_000;

/** A booking becomes an entry of its calendar: the insert, and the row that says so. */
export function bookingSyncWork(pool: pg.Pool, organization: string) {
  const inTransaction = transactions(pool);
  const http = {
    agent: { http: new HttpAgent({ keepAlive: true, maxSockets: 256 }) },
    retry: { limit: 0 },
    timeout: { request: 15_000 },
  };
  const calendar = got.extend({ ...http, prefixUrl: env.CALENDAR_URL });
  const tokens = new Map<string, Promise<{ token: string; until: number }>>();

  async function newToken(credentials: string) {
    const form = { ...JSON.parse(credentials), grant_type: 'refresh_token' };
    const answer = await got
      .post(env.CALENDAR_TOKEN_URL!, { ...http, form })
      .json<{ access_token: string; expires_in: number }>();
    return { token: answer.access_token, until: Date.now() + answer.expires_in * 1000 - soonMs };
  }
  /** Asked for once, and kept as long as it is good. */
  async function tokenOf(connection: string, credentials: string): Promise<string> {
    const kept = tokens.get(connection) ?? newToken(credentials);
    tokens.set(connection, kept);
    const { token, until } = await kept;
    if (Date.now() < until) return token;
    tokens.delete(connection);
    return tokenOf(connection, credentials);
  }

  return async (job: string) => {
    const { rows } = await pool.query({ name: 'booking', text: read, values: [job, organization] });
    const [row] = rows;
    if (!row) return;
    const token = await tokenOf(row.connection_id, row.credentials);
    const event = await calendar
      .post(`calendars/${encodeURIComponent(row.calendar_id)}/events`, {
        searchParams: { conferenceDataVersion: '1', sendUpdates: 'none' },
        headers: { authorization: `Bearer ${token}` },
        json: {
          id: row.id.replaceAll('-', ''),
          summary: `${row.service_name}: ${row.customer_name}`,
          description: [`Order ${row.order_no}`, row.customer_name, row.customer_phone, row.customer_email].join('\n'),
          location: row.location,
          start: { dateTime: row.starts_at.toISOString(), timeZone: row.timezone },
          end: { dateTime: row.ends_at.toISOString(), timeZone: row.timezone },
          extendedProperties: { private: { kanal_booking: row.id } },
        },
      })
      .json<{ id: string; etag: string; htmlLink: string }>();
    await inTransaction(async (client) => {
      const place = [row.connection_id, row.calendar_id, event.id, event.etag, event.htmlLink];
      await client.query({ name: 'synced', text: synced, values: [organization, row.id, ...place] });
      await client.query({
        name: 'done',
        text: 'delete from jobs where organization_id = $2 and id = $1',
        values: [job, organization],
      });
    });
  };
}
