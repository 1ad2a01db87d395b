import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { allErased } from '../../support/stored/contacts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
/** Unmistakable, and long enough not to stand anywhere by chance. */
const digits = '4915755500777';
const name = 'Zubenelgenubi Thornquist';
const email = 'zubenelgenubi.thornquist@example.com';
const secrets = [digits, name, email, 'Zubenelgenubi'];

test('after a person was erased their deals and sums stay, and nothing in them tells who it was', async () => {
  const contactID = (await app.call('contacts.create', { body: { phone_number: `+${digits}`, name, email } })).body.data.id;
  const other = (await app.call('contacts.create', { body: { phone_number: '+16505550199', name: 'Somebody Else' } })).body.data
    .id;
  const create = async (body: object): Promise<Body> => (await app.call('crm.deals.create', { body })).body;
  const deal = await create({
    title: `Renewal of ${name}`,
    amount_minor: '4200',
    custom_fields: { 'asked by': `${name} <${email}>`, phone: '+49 157 555 00777', [email]: true, seats: 40 },
    metadata: { deep: [{ note: `call ${digits}` }] },
    contacts: [
      { contact_id: contactID, role: 'Buyer, Zubenelgenubi' },
      { contact_id: other, role: `assistant of ${name}` },
    ],
  });
  await app.call('crm.deals.update', { params: { dealID: deal.id }, body: { title: `Zubenelgenubi's renewal` } });
  await app.call('crm.deals.lose', { params: { dealID: deal.id }, body: { lost_reason: `${name} left` } });
  const binned = await create({ title: `Second of ${name}`, contacts: [{ contact_id: contactID }] });
  await app.call('crm.deals.delete', { params: { dealID: binned.id } });
  const targets = [{ object_kind: 'deal', object_id: deal.id }];
  const task = await app.call('crm.tasks.create', { body: { title: `Write to ${name}`, description: `at ${email}`, targets } });
  const strange = await create({ title: 'Nothing to do with it' });

  expect((await app.call('contacts.delete', { params: { contactID } })).status).toBe(204);
  await waitFor('the erasure', () => allErased(app));

  expect(leaks(await databaseTexts(app), secrets)).toEqual([]);
  const after = (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
  expect(after).toMatchObject({
    amount_minor: '4200',
    amount_in_home_currency: '42.00',
    status: 'lost',
    custom_fields: { seats: 40 },
    contacts: [{ contact_id: other, is_primary: true }],
    revision: 4,
  });
  const [last] = (await app.call('crm.deals.history', { params: { dealID: deal.id } })).body.items;
  expect(last).toMatchObject({
    revision: 4,
    actor: 'system',
    changes: {
      contacts: {
        from: [
          { contact_id: contactID, is_primary: true },
          { contact_id: other, is_primary: false },
        ],
        to: [{ contact_id: other, is_primary: true }],
      },
    },
  });
  expect((await app.call('crm.tasks.get', { params: { taskID: task.body.id } })).body).toMatchObject({
    title: 'Write to [removed]',
    targets,
  });
  expect((await app.call('crm.deals.get', { params: { dealID: strange.id } })).body).toEqual(strange);
  expect((await app.call('crm.deals.restore', { params: { dealID: binned.id } })).body.contacts).toEqual([]);
});
