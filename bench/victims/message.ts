import { setTimeout as sleep } from 'node:timers/promises';
import { postMessageRequest } from '../paths/http.ts';
import { evenPace } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

const usualPerSecond = 50;
const graceMs = 3_000;

/** From the message's row to its provider's answer, by the worker; each message to another person. */
export const openMessage: OpenVictim = (...given) => openMessageAt(usualPerSecond)(...given);

export const openMessageAt =
  (perSecond: number): OpenVictim =>
  async ({ kanal: { sql, tenant } }, base) => {
    let person = 0;
    return {
      name: 'message',
      what: `message accepted to sent, ${perSecond} a second`,
      async round(seconds) {
        const ids: string[] = [];
        const answers = await evenPace(
          base,
          perSecond,
          seconds,
          () => postMessageRequest(tenant, tenant.people[person++ % tenant.people.length]!.phone),
          ({ body }) => ids.push((JSON.parse(body) as { data: { id: string } }).data.id),
        );
        const { rows } = await untilSent();
        // Accepted is what counts here: the time of the POST itself is GET's neighbour's to measure.
        const late = rows.filter(({ sent }) => !sent).length;
        return metOf({ ...answers, late: answers.late + late, took: rows.map(({ took }) => took) }, seconds);

        async function untilSent() {
          for (const until = Date.now() + graceMs; ; await sleep(100)) {
            const found = await sql.query<{ sent: boolean; took: number }>(
              `select status = 'sent' as sent,
                    (extract(epoch from case when status = 'sent' then updated_at else clock_timestamp() end - created_at) * 1000)::float8 as took
               from messages where id = any($1)`,
              [ids],
            );
            if (Date.now() > until || found.rows.every(({ sent }) => sent)) return found;
          }
        }
      },
      close: async () => undefined,
    };
  };
