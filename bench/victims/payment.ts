import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenPage, openPages, paymentEvent, signedEvent } from '../commerce/pages.ts';
import { shopOf } from '../commerce/shop.ts';
import { evenPace } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

const perSecond = 20;
const graceMs = 3_000;

/** From the webhook's row to the end of its work: the page was read at the provider, the payment stands, the order is paid. */
export const openPayment: OpenVictim = async (stage, base) => {
  const { kanal } = stage;
  const { paymentId } = await shopOf(kanal);
  return {
    name: 'payment',
    what: `payment, webhook to paid order, ${perSecond} a second`,
    async round(seconds) {
      const pages = await openPages(stage, perSecond * seconds);
      const events: string[] = [];
      const answers = await evenPace(base, perSecond, seconds, () => asked(pages[events.length]!, events, paymentId));
      const { rows } = await untilPaid();
      const late = rows.filter(({ paid }) => !paid).length;
      return metOf({ ...answers, late: answers.late + late, took: rows.map(({ took }) => took) }, seconds);

      async function untilPaid() {
        for (const until = Date.now() + graceMs; ; await sleep(100)) {
          const found = await kanal.sql.query<{ paid: boolean; took: number }>(
            `select w.status = 'applied' and o.payment_status = 'paid' as paid,
                    (extract(epoch from coalesce(w.applied_at, clock_timestamp()) - w.received_at) * 1000)::float8 as took
               from unnest($2::text[], $3::uuid[]) as x(event, order_id)
               join connection_webhooks w on w.organization_id = $1 and w.connection_id = $4 and w.external_id = x.event
               join orders o on o.organization_id = $1 and o.id = x.order_id`,
            [kanal.tenant.organizationId, events, pages.slice(0, events.length).map(({ orderId }) => orderId), paymentId],
          );
          if (Date.now() > until || found.rows.every(({ paid }) => paid)) return found;
        }
      }
    },
    close: async () => undefined,
  };
};

function asked({ pageId, reference }: OpenPage, events: string[], paymentId: string) {
  const event = paymentEvent(pageId, reference);
  events.push(event.id);
  const { body, headers } = signedEvent(event);
  return { method: 'POST' as const, path: `/v1/providers/payments/${paymentId}/webhook`, headers, body };
}
