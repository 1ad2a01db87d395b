import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../receiver.ts';
import { evenPace } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

const perSecond = 50;
const graceMs = 3_000;

/** From the event's row (written just before its commit) to the receiver's last byte. */
export const openWebhook: OpenVictim = async ({ kanal: { sql, tenant }, receiver }, base) => {
  const listenTo = (types: string) =>
    sql.query('update webhook_endpoints set event_types = $2 where id = $1', [tenant.endpointId, types]);
  await listenTo('{contact.updated}');
  let number = 0;
  return {
    name: 'webhook',
    what: `webhook, commit to received, ${perSecond} a second`,
    async round(seconds) {
      await receiver.process.ask({ reset: true, secret: tenant.endpointSecret });
      const { rows: before } = await sql.query('select coalesce(max(seq), 0) as seq from events');
      const answers = await evenPace(base, perSecond, seconds, () => {
        number += 1;
        return {
          method: 'PATCH',
          path: `/v1/contacts/${tenant.people[number % tenant.people.length]!.contactId}`,
          headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `P ${number} ${Date.now()}` }),
        };
      });
      const { rows } = await sql.query<{ id: string; at: number }>(
        `select id, (extract(epoch from created_at) * 1000)::float8 as at from events where seq > $1 and organization_id = $2 and type = 'contact.updated'`,
        [before[0].seq, tenant.organizationId],
      );
      let { arrivals } = await receiver.process.ask<Report>({ report: true });
      for (const until = Date.now() + graceMs; Date.now() < until; await sleep(100)) {
        if (rows.every(({ id }) => arrivals[id] !== undefined)) break;
        ({ arrivals } = await receiver.process.ask<Report>({ report: true }));
      }
      const took = rows.map(({ id, at }) => (arrivals[id] ?? Date.now()) - at);
      const late = rows.filter(({ id }) => arrivals[id] === undefined).length;
      return metOf({ ...answers, late: answers.late + late, took }, seconds);
    },
    close: async () => void (await listenTo('{}')),
  };
};
