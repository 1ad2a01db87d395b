import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { variant } from '../../support/factories/sold.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { paymentAccount } from '../../support/payments.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnectionWebhooks } from '../../support/stored/channels.ts';
import { allErased, storedErasures, storedIdentities } from '../../support/stored/contacts.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '500' } });

const phone = '+4915755500878';
/** Only the order has it. */
const email = 'zubeneschamali.quixworth@example.com';
const other = 'somebody.else@example.com';

/** A body as a service sent it, in the state that its job left it. */
async function body(tenant: Tenant, connectionId: string, status: string, data: object): Promise<string> {
  return storedConnectionWebhooks.add(app, {
    organization_id: tenant.organizationId,
    connection_id: connectionId,
    external_id: `evt_${uuidv7()}`,
    body: Buffer.from(JSON.stringify({ data })),
    status,
    applied_at: ['applied', 'unknown'].includes(status) ? now() : null,
  });
}

const ids = async () => (await storedConnectionWebhooks.all(app, {}, { columns: ['id'] })).map(({ id }) => id as string).sort();

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
  await storedIdentities.remove(app, { value: email });

  const gone = [
    await body(app.tenant, connectionId, 'applied', { customer_details: { phone } }),
    await body(app.tenant, connectionId, 'unknown', { receipt_email: email }),
    await body(app.tenant, connectionId, 'broken', { receipt_email: email }),
  ];
  const [, , broken] = gone;
  await storedJobs.add(app, {
    organization_id: app.tenant.organizationId,
    name: 'connections.apply-webhook',
    queue: 'default',
    payload: {},
    subject_type: 'connection_webhook',
    subject_id: broken,
    state: 'failed',
    finished_at: now(),
    check_at: 'infinity',
  });
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
  expect(await storedJobs.all(app, { subject_id: broken }, { columns: ['id'] })).toEqual([]);
  expect(await storedErasures.count(app)).toBe(1);

  await storedConnectionWebhooks.change(app, waits, { status: 'applied', applied_at: now() });
  await waitFor('the erasure', () => allErased(app));
  expect(await ids()).toEqual(stay);
  await storedConnectionWebhooks.remove(app, { organization_id: foreign.organizationId });
  expect(leaks(await databaseTexts(app), [email, phone.slice(1), 'Zubeneschamali'])).toEqual([]);
});
