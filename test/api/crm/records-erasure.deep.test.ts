import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { allErased } from '../../support/stored/contacts.ts';
import { storedDeals, storedHistory, storedTaskTargets } from '../../support/stored/crm.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const digits = '4915755500987';
const name = 'Zubeneschamali Quixworth';
const email = 'zubeneschamali.quixworth@example.com';

const create = async (objectKind: string, body: object): Promise<Body> => {
  const reply = await app.call('crm.records.create', { params: { objectKind }, body });
  expect(reply.status).toBe(201);
  return reply.body;
};
const get = async (objectKind: string, recordID: string): Promise<Body> =>
  (await app.call('crm.records.get', { params: { objectKind, recordID } })).body;
const link = async (objectKind: string, recordID: string, relation: string, otherID: string) => {
  const reply = await app.call('crm.records.relations.link', {
    params: { objectKind, recordID, relationName: relation, otherID },
  });
  expect(reply.status).toBe(200);
};
const history = async (objectKind: string, recordID: string): Promise<Body[]> =>
  (await app.call('crm.records.history', { params: { objectKind, recordID } })).body.items;
const person = async (body: object): Promise<string> => (await app.call('contacts.create', { body })).body.data.id;
const indexed = (id: string) => app.rows('select text_value from record_values where record_id = $1 order by 1', [id]);

test('after a person is erased, neither name nor address is left in records, deals, tasks and their history', async () => {
  const { organizationId } = app.tenant;
  const contact = await person({ name, email, phone_number: `+${digits}` });
  const linked = await create('company', {
    fields: {
      name: `Engines of ${name}`,
      email,
      phone: `+${digits}`,
      employees: 12,
      description: `Ask ${name.toUpperCase()} (${email}) or call +49 157 55500-987.`,
    },
    custom_fields: { note: { by: [name] }, phone: Number(digits), kept: 'Rue 7' },
    metadata: { [email]: true },
  });
  await link('company', linked.id, 'contacts', contact);
  await app.call('crm.records.update', {
    params: { objectKind: 'company', recordID: linked.id },
    body: { fields: { industry: `For ${name}` } },
  });
  const [holder, binned, other] = [
    await create('company', { fields: { name: 'Holder', email: email.toUpperCase(), address: 'Kept' } }),
    await create('company', { fields: { name: 'Binned', phone: `+${digits}` } }),
    await create('company', { fields: { name: 'Other', email: 'somebody@example.com' } }),
  ];
  await app.call('crm.records.delete', { params: { objectKind: 'company', recordID: binned.id } });
  const deal = await app.one(
    `with deal as (
       insert into deals (id, organization_id, title, status, currency_code, home_currency_at_write, custom_fields)
       values (uuidv7(), $1, $3, 'open', 'EUR', 'EUR', '{"note": "call 4915755500987"}')
       returning id)
     insert into deal_contacts (organization_id, deal_id, contact_id) select $1, id, $2 from deal returning deal_id as id`,
    [organizationId, contact, `Roof for ${name}`],
  );
  const task = await app.one(
    `with task as (
       insert into crm_tasks (id, organization_id, title, description, description_rich)
       values (uuidv7(), $1, $2, $2, jsonb_build_object('type', 'custom', 'json', jsonb_build_array($2::text), 'plain_text', $2::text))
       returning id)
     insert into task_targets (id, organization_id, task_id, contact_id) select uuidv7(), $1, id, $3 from task returning task_id as id`,
    [organizationId, `Ring ${name}`, contact],
  );
  await storedTaskTargets.add(app, { organization_id: organizationId, task_id: task.id, record_id: other.id });
  await app.rows(
    `insert into crm_history (organization_id, object_id, revision, object_kind, actor, changes)
     values ($1, $2, 1, 'deal', 'system', jsonb_build_object('title', jsonb_build_object('from', null, 'to', $3::text)))`,
    [organizationId, deal.id, `Roof for ${name}`],
  );

  expect((await app.call('contacts.delete', { params: { contactID: contact } })).status).toBe(204);
  await waitFor('the rest of the erasure', () => allErased(app));

  const after = await get('company', linked.id);
  expect(after.fields).toEqual({
    name: 'Engines of [removed]',
    employees: 12,
    description: 'Ask [removed] ([removed]) or call [removed].',
    industry: 'For [removed]',
  });
  expect([after.display_name, after.custom_fields, after.metadata]).toEqual([
    'Engines of [removed]',
    { note: { by: ['[removed]'] }, phone: null, kept: 'Rue 7' },
    { '[removed]': true },
  ]);
  expect(after.relationships_summary.contacts.count).toBe(0);
  expect((await get('company', holder.id)).fields).toEqual({ name: 'Holder', address: 'Kept' });
  expect((await get('company', other.id)).fields.email).toBe('somebody@example.com');
  expect(await indexed(holder.id)).toEqual([{ text_value: 'holder' }]);
  const [unlinked] = await history('company', linked.id);
  expect([unlinked!.changes, unlinked!.revision, after.revision]).toEqual([{ contacts: { from: [contact], to: [] } }, 4, 4]);
  const texts = await databaseTexts(app);
  // A reply that an Idempotency-Key keeps was not asked for here.
  for (const secret of [name, email, digits]) expect(leaks(texts, [secret])).toEqual([]);
  expect((await storedDeals.one(app, deal.id)).title).toBe('Roof for [removed]');
  await app.call('crm.records.restore', { params: { objectKind: 'company', recordID: binned.id } });
  expect((await get('company', binned.id)).fields).toEqual({ name: 'Binned' });
});

test('unique values that only a person told apart: all of them go, and the erasure ends', async () => {
  const { organizationId } = app.tenant;
  await objectType(app, organizationId, {
    kind: 'lead',
    fields: [{ name: 'code', type: 'text', isUnique: true, isIndexed: true }],
    relations: [{ name: 'people', inverse: 'leads', to: 'contact', cardinality: 'many_to_many' }],
  });
  const leads: string[] = [];
  for (const phone of ['+4915755500881', '+4915755500882']) {
    const contact = await person({ name: 'Somebody', phone_number: phone });
    const { id } = await create('lead', { fields: { name: 'Lead', code: `wa:${phone}` } });
    await link('lead', id, 'people', contact);
    leads.push(id);
    expect((await app.call('contacts.delete', { params: { contactID: contact } })).status).toBe(204);
  }
  await waitFor('the rest of the erasures', () => allErased(app));
  for (const id of leads) expect((await get('lead', id)).fields).toEqual({ name: 'Lead' });
});

test('what a value or a field held once, and what was linked once, is forgotten too', async () => {
  const { organizationId } = app.tenant;
  const [phone, mail, who] = ['4915755500765', 'walda.prix@example.com', 'Walda Prix'];
  await objectType(app, organizationId, {
    kind: 'visit',
    fields: [
      { name: 'mail', type: 'email' },
      { name: 'second_mail', type: 'email' },
    ],
    relations: [{ name: 'guests', inverse: 'visits', to: 'contact', cardinality: 'many_to_many' }],
  });
  const contact = await person({ name: who, email: mail, phone_number: `+${phone}` });
  const changed = await create('visit', { fields: { name: 'Changed', mail: mail.toUpperCase() } });
  await app.call('crm.records.update', {
    params: { objectKind: 'visit', recordID: changed.id },
    body: { fields: { mail: 'other@example.com' } },
  });
  const dropped = await create('visit', { fields: { name: 'Dropped', second_mail: mail } });
  const field = await app.call('crm.object-fields.delete', { params: { objectKind: 'visit', fieldName: 'second_mail' } });
  expect(field.status).toBeLessThan(300);
  const former = await create('visit', { fields: { name: `Visit of ${who}` }, custom_fields: { call: '+49 157 55500-765' } });
  await link('visit', former.id, 'guests', contact);
  await app.call('crm.records.relations.unlink', {
    params: { objectKind: 'visit', recordID: former.id, relationName: 'guests', otherID: contact },
  });
  const deal = (await app.call('crm.deals.create', { body: { title: `${who} wants more`, contacts: [{ contact_id: contact }] } }))
    .body;
  await app.call('crm.deals.contacts.delete', { params: { dealID: deal.id, contactID: contact } });
  const taskAbout = async (title: string, object_kind: string, object_id: string): Promise<Body> =>
    (await app.call('crm.tasks.create', { body: { title, targets: [{ object_kind, object_id }] } })).body;
  const task = await taskAbout(`ring ${mail}`, 'contact', contact);
  await app.call('crm.tasks.targets.delete', { params: { taskID: task.id, targetID: task.targets[0].id } });
  const ofDeal = await taskAbout(`Ask ${who}`, 'deal', deal.id);
  const namesake = (await app.call('crm.deals.create', { body: { title: `Another ${who}, not at ${mail}` } })).body;

  expect((await app.call('contacts.delete', { params: { contactID: contact } })).status).toBe(204);
  await waitFor('the rest of the erasure', () => allErased(app));

  const rows = async (id: string) => JSON.stringify(await storedHistory.all(app, { object_id: id }, { columns: ['changes'] }));
  for (const { id } of [changed, dropped, former, deal, task, ofDeal]) expect(await rows(id)).not.toMatch(/walda|prix|500.?765/i);
  expect((await history('visit', changed.id))[0]!.changes).toEqual({ mail: { from: null, to: 'other@example.com' } });
  expect((await get('visit', former.id)).fields).toEqual({ name: 'Visit of [removed]' });
  const titleOf = async (table: string, id: string) => (await app.one(`select title from ${table} where id = $1`, [id])).title;
  expect(await titleOf('deals', deal.id)).toBe('[removed] wants more');
  expect(await titleOf('crm_tasks', task.id)).toBe('ring [removed]');
  expect(await titleOf('crm_tasks', ofDeal.id)).toBe('Ask [removed]');
  expect(await titleOf('deals', namesake.id)).toBe(`Another ${who}, not at [removed]`);
});

test('a history that one run does not read is read to its end', async () => {
  const { organizationId } = app.tenant;
  const mail = 'last.of.many@example.com';
  const contact = await person({ name: 'Last', email: mail, phone_number: '+4915755500766' });
  const holder = await create('company', { fields: { name: 'Holder', email: mail } });
  await app.call('crm.records.update', {
    params: { objectKind: 'company', recordID: holder.id },
    body: { fields: { email: 'other@example.com' } },
  });
  await storedHistory.addMany(app, 50_500, (n) => ({
    organization_id: organizationId,
    object_id: '00000000-0000-7000-8000-000000000000',
    revision: n,
    object_kind: 'record',
    actor: 'system',
    changes: {},
  }));
  await app.call('contacts.delete', { params: { contactID: contact } });
  await waitFor('the rest of the erasure', () => allErased(app));
  expect(JSON.stringify(await history('company', holder.id))).not.toContain(mail);
  await storedHistory.remove(app, { object_id: '00000000-0000-7000-8000-000000000000' });
});

test('of two contacts that are merged the survivor has the links, once and as the cardinality allows', async () => {
  const { organizationId } = app.tenant;
  await objectType(app, organizationId, { kind: 'club', relations: [{ name: 'guests', inverse: 'clubs', to: 'contact' }] });
  const [older, newer] = [
    await person({ name: 'Old', phone_number: '+16505550701' }),
    await person({ name: 'New', phone_number: '+16505550702' }),
  ];
  const [both, one, first, second, stale] = [
    await create('club', { fields: { name: 'Both' } }),
    await create('club', { fields: { name: 'One' } }),
    await create('company', { fields: { name: 'First' } }),
    await create('company', { fields: { name: 'Second' } }),
    await person({ name: 'Stale', phone_number: '+16505550703' }),
  ];
  for (const guest of [older, newer]) await link('club', both.id, 'guests', guest);
  await link('club', one.id, 'guests', newer);
  await link('company', first.id, 'contacts', older);
  await link('company', second.id, 'contacts', newer);
  const merged = await app.call('contacts.merge', { params: { contactID: older }, body: { contact_id: newer } });
  expect(merged.status).toBe(200);
  const guests = async (id: string) => (await get('club', id)).relationships_summary.guests.items.map((item: Body) => item.id);
  expect([await guests(both.id), await guests(one.id)]).toEqual([[older], [older]]);
  expect((await get('company', second.id)).relationships_summary.contacts.count).toBe(0);
  const latest = async (kind: string, id: string) => {
    const [{ changes, revision, event_id }] = (await history(kind, id)) as [Body];
    return [changes, revision, event_id];
  };
  expect(await latest('club', both.id)).toEqual([{ guests: { from: [newer], to: [] } }, 4, null]);
  expect(await latest('club', one.id)).toEqual([{ guests: { from: [newer], to: [older] } }, 3, null]);
  expect(await latest('company', second.id)).toEqual([{ contacts: { from: [newer], to: [] } }, 3, null]);
  // A company in the bin makes room.
  await app.call('crm.records.delete', { params: { objectKind: 'company', recordID: first.id } });
  await link('company', second.id, 'contacts', stale);
  await app.call('contacts.merge', { params: { contactID: older }, body: { contact_id: stale } });
  expect((await get('contact', older)).relationships_summary.company.items).toMatchObject([{ id: second.id }]);
});
