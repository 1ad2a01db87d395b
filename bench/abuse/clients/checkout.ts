import { address, giveToken, insertOrders } from '../../commerce/orders.ts';
import { paymentEvent, signedEvent } from '../../commerce/pages.ts';
import { shopOf } from '../../commerce/shop.ts';
import { abuse } from '../abuse.ts';
import { answerTo, clients, loops, paymentCallback, type Request, together, withKey } from '../requests.ts';
import type { Tally } from '../tally.ts';

const [buyers, readers, callers] = [10, 20, 10];
/** As many as an order may have. */
const lines = 100;
const huge = 300 * 1024;

type Target = {
  base: string;
  apiKey: string;
  contactIds: string[];
  variantIds: string[];
  methodId: string;
  paymentId: string;
  token: string;
};

export const checkout = abuse<Target>({
  number: 11,
  finding: 'D11',
  what: `${buyers} who make carts of ${lines} lines, orders of them and pages to pay on, ${readers} who read customers' pages by good and by wrong tokens, ${callers} payment callbacks that are unsigned, wrong or huge`,
  victims: ['get', 'payment'],
  hasWorker: true,
  async prepare({ base, kanal, hostile: { tenant } }) {
    const side = { ...kanal, tenant };
    const shop = await shopOf(side);
    const { orderIds } = await insertOrders(side, shop, 1, () => true);
    const { variantIds, methodId, paymentId } = shop;
    const contactIds = tenant.people.map(({ contactId }) => contactId);
    return {
      base,
      apiKey: tenant.apiKey,
      contactIds,
      variantIds,
      methodId,
      paymentId,
      token: await giveToken(side, orderIds[0]!),
    };
  },
  attack(target, tally) {
    // Of the same organization, which the first part of a token names, and of no order.
    const wrong = `${target.token.slice(0, -8)}AAAAAAAA`;
    const calls = callbacks(target);
    return together(
      buying(target, tally),
      clients(readers, 500, tally, (_, number) => ({
        base: target.base,
        method: 'GET',
        path: `/v1/checkout/${number % 2 === 0 ? target.token : wrong}`,
        headers: {},
        nameFor: (status) => `page ${status}`,
      })),
      clients(callers, 500, tally, (_, number) => calls[number % calls.length]!),
    );
  },
});

/** Each of them: a cart, the order of it, a page on which it is paid. */
function buying(target: Target, tally: Tally) {
  let number = 0;
  return loops(buyers, 500, async (_, signal) => {
    const first = number++;
    const items = Array.from({ length: lines }, (_, line) => ({
      variant_id: target.variantIds[(first + line) % target.variantIds.length],
      quantity: 1,
    }));
    const contact_id = target.contactIds[first % target.contactIds.length];
    const content = { contact_id, items, delivery_method_id: target.methodId, shipping_address: address };
    const draftId = await idOf(withKey(target, 'cart', 'POST', '/v1/commerce/draft-orders', content), tally, signal);
    if (!draftId) return;
    const orderId = await idOf(withKey(target, 'order', 'POST', `/v1/commerce/draft-orders/${draftId}/convert`), tally, signal);
    if (!orderId) return;
    const session = withKey(target, 'checkout', 'POST', `/v1/commerce/orders/${orderId}/payment-sessions`, {
      success_url: 'https://shop.example/paid',
    });
    tally.add(await answerTo(session, signal));
  });
}

async function idOf(request: Request, tally: Tally, signal: AbortSignal): Promise<string | undefined> {
  let id: string | undefined;
  const onText = (text: string) => {
    id = /"id":"([0-9a-f-]{36})"/.exec(text)?.[1];
  };
  tally.add(await answerTo({ ...request, onText }, signal));
  return id;
}

function callbacks(target: Target): Request[] {
  const small = signedEvent(paymentEvent('cs_nobody', 'nothing'));
  const filled = (bytes: number) => JSON.stringify({ filled: 'a'.repeat(bytes) });
  return [
    paymentCallback(target, 'unsigned', { ...small, headers: { 'content-type': 'application/json' } }),
    paymentCallback(target, 'wrong', { ...small, body: `${small.body} ` }),
    paymentCallback(target, 'wrong and large', { ...small, body: filled(200 * 1024) }),
    paymentCallback(target, 'huge', { ...small, body: filled(huge) }),
  ];
}
