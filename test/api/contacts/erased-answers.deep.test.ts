import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { variant } from '../../support/factories/sold.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { allErased } from '../../support/stored/contacts.ts';
import { storedDeliveryAttempts } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '500' } });
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const name = 'Zubeneschamali Quixworth';
const phone = '+4915755500879';

/** The types of the events whose receiver's answers still name somebody. */
const answered = async () => {
  const rows = await app.rows(
    `select distinct e.type
       from webhook_attempts a
       join webhook_deliveries d on d.id = a.delivery_id
       join events e on e.id = d.event_id
      where a.response_head::text like '%Quixworth%'
      order by 1`,
  );
  return rows.map(({ type }) => type);
};

test('what receivers answered to events of an erased person, their orders, deals and tasks is emptied; what is of others stays', async () => {
  // It read over the API whom the event is about.
  receiver.answer({ headers: { 'x-customer': name } });
  const types = ['deal.created', 'commerce.order.created', 'task.created', 'contact.created'];
  await app.call('webhooks.endpoints.create', { body: { url: receiver.url, event_types: types } });
  const { id: contactId } = (await app.call('contacts.create', { body: { name, phone_number: phone } })).body.data;
  const { id: variantId } = await variant(app, { stock: 5 });
  const order = { contact_id: contactId, customer_name: name, customer_phone: phone };
  const items = [{ variant_id: variantId, quantity: 1 }];
  expect((await app.call('commerce.orders.create', { body: { ...order, items } })).status).toBe(201);
  const deal = { title: 'Renewal', contacts: [{ contact_id: contactId }] };
  const made = await app.call('crm.deals.create', { body: deal });
  expect(made.status).toBe(201);
  const person = { object_kind: 'contact', object_id: contactId };
  for (const targets of [[person], [person, { object_kind: 'deal', object_id: made.body.id }]])
    expect((await app.call('crm.tasks.create', { body: { title: 'Call', targets } })).status).toBe(201);
  await waitFor('every answer', async () => (await answered()).length === types.length);
  await app.idle();
  expect((await app.call('crm.deals.create', { body: { title: 'Of another' } })).status).toBe(201);
  await app.idle();

  expect((await app.call('contacts.delete', { params: { contactID: contactId } })).status).toBe(204);
  await waitFor('the erasure', () => allErased(app));
  expect(await answered()).toEqual(['deal.created']);
  const left = await storedDeliveryAttempts.all(app);
  expect(left.filter(({ response_head }) => response_head !== null)).toHaveLength(1);
});
