import { paymentEvent, signedEvent } from '../../commerce/pages.ts';
import { shopOf, webhookSecret } from '../../commerce/shop.ts';
import { abuse } from '../abuse.ts';
import { clients, paymentCallback, type Request, together } from '../requests.ts';

const [signers, largeCallers, browsers] = [20, 5, 10];
const largest = 256 * 1024;

/** As many values as are parsed, nearly, in a body of nearly the greatest size. */
const largeEvent = (number: number) => {
  const values = Array.from({ length: 19_000 }, () => 1);
  return { ...paymentEvent(`cs_none_${number}`, 'nothing'), values, filled: 'a'.repeat(largest - 2 * values.length - 1_000) };
};

type Target = { base: string; organizationId: string; paymentId: string; shipperId: string };

export const connectionCallbacks = abuse<Target>({
  number: 12,
  finding: 'D12',
  what: `${signers} callbacks at once that a payment and a shipping account have signed, about nothing that is there, ${largeCallers} of nearly 256 kB, and ${browsers} browsers that come back from a consent that nobody gave`,
  victims: ['get', 'payment'],
  hasWorker: true,
  async prepare({ base, kanal, hostile: { tenant } }) {
    const { paymentId, shipperId } = await shopOf({ ...kanal, tenant });
    return { base, organizationId: tenant.organizationId, paymentId, shipperId };
  },
  attack(target, tally) {
    const large = Array.from({ length: 8 }, (_, number) => signedEvent(largeEvent(number)));
    return together(
      // Each is another one: what is repeated is not stored again.
      clients(signers, 200, tally, (_, number) => (number % 2 === 0 ? paid(target, number) : shipped(target, number))),
      clients(largeCallers, 1_000, tally, (_, number) => paymentCallback(target, 'large', large[number % large.length]!)),
      clients(browsers, 500, tally, (_, number) => ({
        base: target.base,
        method: 'GET',
        path: `/v1/connections/oauth/callback?${new URLSearchParams({ state: `${target.organizationId}.${number}`, code: 'x' })}`,
        headers: {},
        nameFor: (status) => `consent ${status}`,
      })),
    );
  },
});

const paid = (target: Target, number: number) =>
  paymentCallback(target, 'payment', signedEvent(paymentEvent(`cs_none_${number}`, 'nothing')));

const shipped = ({ base, shipperId }: Target, number: number): Request => ({
  base,
  method: 'POST',
  path: `/v1/providers/shipping/${shipperId}/webhook`,
  headers: { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret },
  body: JSON.stringify({ event: 'order.status', order_id: `none${number}`, status: 'picked' }),
  nameFor: (status) => `shipping ${status}`,
});
