import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { variant } from '../../support/factories/sold.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { paymentAccount } from '../../support/payments.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '500' } });

const phone = '+4915755500878';
/** Only the order has it. */
const email = 'zubeneschamali.quixworth@example.com';
const other = 'somebody.else@example.com';

/** A body as a service sent it, in the state that its job left it. */
async function body(tenant: Tenant, connectionId: string, status: string, data: object): Promise<string> {
  const id = uuidv7();
  await app.rows(
    `insert into connection_webhooks (organization_id, id, connection_id, external_id, body, status, applied_at)
     values ($1, $2, $3, $4, $5, $6, case when $6 in ('applied', 'unknown') then clock_timestamp() end)`,
    [tenant.organizationId, id, connectionId, `evt_${id}`, Buffer.from(JSON.stringify({ data })), status],
  );
  return id;
}

const ids = async () => (await app.rows('select id from connection_webhooks')).map(({ id }) => id as string).sort();

test('bodies about an erased customer go, by the addresses of the contact and of its orders, once they are applied', async () => {
  const { id: connectionId } = await paymentAccount(app, 'stripe', { isTold: false });
  const { id: variantId } = await variant(app, { stock: 5 });
  const created = await app.call('commerce.orders.create', {
    body: {
      customer_name: 'Zubeneschamali',
      customer_phone: phone,
      customer_email: email,
      items: [{ variant_id: variantId, quantity: 1 }],
    },
  });
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  // As an order that names another address than its contact has.
  await app.rows(`delete from contact_identities where value = $1`, [email]);

  const gone = [
    await body(app.tenant, connectionId, 'applied', { customer_details: { phone } }),
    await body(app.tenant, connectionId, 'unknown', { receipt_email: email }),
    await body(app.tenant, connectionId, 'broken', { receipt_email: email }),
  ];
  const [, , broken] = gone;
  await app.rows(
    `insert into jobs (organization_id, id, name, queue, payload, subject_type, subject_id, state, finished_at, check_at)
     values ($1, uuidv7(), 'connections.apply-webhook', 'default', '{}', 'connection_webhook', $2, 'failed', clock_timestamp(), 'infinity')`,
    [app.tenant.organizationId, broken],
  );
  const waits = await body(app.tenant, connectionId, 'received', { customer_details: { email } });
  const foreign = await app.organization();
  const theirs = await paymentAccount(app, 'stripe', { tenant: foreign, isTold: false });
  const stay = [
    await body(app.tenant, connectionId, 'applied', { receipt_email: other }),
    await body(foreign, theirs.id, 'applied', { receipt_email: other, customer_details: { phone } }),
  ].sort();

  expect((await app.call('contacts.delete', { params: { contactID: created.body.contact_id } })).status).toBe(204);
  await waitFor('the first pass', async () => (await ids()).length === stay.length + 1);
  expect(await ids()).toEqual([waits, ...stay].sort());
  expect(await app.rows('select id from jobs where subject_id = $1', [broken])).toEqual([]);
  expect(await app.rows('select 1 from contact_erasures')).toHaveLength(1);

  await app.rows(`update connection_webhooks set status = 'applied', applied_at = clock_timestamp() where id = $1`, [waits]);
  await waitFor('the erasure', async () => (await app.rows('select 1 from contact_erasures')).length === 0);
  expect(await ids()).toEqual(stay);
  await app.rows('delete from connection_webhooks where organization_id = $1', [foreign.organizationId]);
  expect(leaks(await databaseTexts(app), [email, phone.slice(1), 'Zubeneschamali'])).toEqual([]);
});
