import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';
import { contact } from '../../../support/factories/contact.ts';
import { alike, stepsOf } from '../../../support/steps.ts';

const app = useApp();
const steps = stepsOf(app);
const person = () => contact(app.em(), app.tenant.organizationId);
const about = (id: string) => ({ subject_type: 'contact' as const, subject_id: id, contact_id: id });
const eventsOf = async (id: string) => (await app.events(id)).map(({ type, data }) => ({ type, data }));
const read = async (id: string) => (await app.call('contacts.get', { params: { contactID: id } })).body.data;

type Twin = { name: string; operation: string; params?: object; body: object; step: [string, object]; rows?: string };
const grantedBody = { status: 'granted', source: 'shop', proof: 'order 7' };
const suppression = { channel: 'messaging_app', reason: 'unsubscribed' };
const twins: Twin[] = [
  { name: 'add_tag', operation: 'contacts.tags.assign', body: { name: 'vip' }, step: ['add_tag', { tag: 'vip' }] },
  {
    name: 'set_field',
    operation: 'contacts.update',
    body: { custom_fields: { tier: 'gold' } },
    step: ['set_field', { field: 'custom_fields.tier', value: 'gold' }],
  },
  {
    name: 'set_field of a name',
    operation: 'contacts.update',
    body: { name: 'Ada' },
    step: ['set_field', { field: 'name', value: 'Ada' }],
  },
  {
    name: 'set_consent',
    operation: 'contacts.consents.put',
    params: { channel: 'messaging_app' },
    body: grantedBody,
    step: ['set_consent', { channel: 'messaging_app', ...grantedBody }],
    rows: 'contact_permission_history',
  },
  {
    name: 'suppress',
    operation: 'contacts.suppressions.create',
    body: suppression,
    step: ['suppress', suppression],
    rows: 'contact_permission_history',
  },
  {
    name: 'add_note',
    operation: 'contacts.notes.create',
    body: { body: 'Called' },
    step: ['add_note', { body: 'Called' }],
    rows: 'contact_notes',
  },
];

describe.each(twins)('$name', ({ operation, params, body, step: [type, fields], rows }) => {
  test('does what the API does, as the run', async () => {
    const [one, other] = [await person(), await person()];
    const { status } = await app.call(operation, { params: { contactID: one.id, ...params }, body });
    const { run } = await steps.take(type, { ...fields }, about(other.id));
    expect([200, 201]).toContain(status);
    const phones = [one.phone, other.phone];
    expect(alike(await read(other.id), [other.id, phones[1]!])).toEqual(alike(await read(one.id), [one.id, phones[0]!]));
    expect(alike(await eventsOf(other.id), [other.id])).toEqual(alike(await eventsOf(one.id), [one.id]));
    expect(await steps.eventsOf(run)).toMatchObject([{ type: 'contact.updated', chain: [run.rule_id] }]);
    if (!rows) return;
    const stored = (id: string) => app.rows(`select * from ${rows} where contact_id = $1`, [id]);
    const [[apis], [runs]] = [await stored(one.id), await stored(other.id)];
    const { id: _, ...ofRun } = runs;
    expect(alike({ ...ofRun, actor: 'x', author: 'x' }, [other.id])).toEqual(
      alike({ ...apis, id: undefined, actor: 'x', author: 'x' }, [one.id]),
    );
    expect(runs.actor ?? runs.author).toBe(`run:${run.id}`);
  });

  test('twice in one transaction, and once more, changes nothing of the contact', async () => {
    const { id } = await person();
    await steps.takeAll(
      [
        [type, { ...fields }],
        [type, { ...fields }],
      ],
      about(id),
    );
    const once = await read(id);
    await steps.take(type, { ...fields }, about(id));
    expect(alike(await read(id), [])).toEqual(alike(once, []));
  });

  test('refuses a contact that is gone', async () => {
    const gone = await person();
    await app.call('contacts.delete', { params: { contactID: gone.id } });
    await expect(steps.take(type, { ...fields }, about(gone.id))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('refuses a run about nobody', () =>
    expect(steps.take(type, { ...fields })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'contact_id' }],
    }));

  test('follows a contact that was merged, at the very moment too', async () => {
    const [older, newer, newest] = [await person(), await person(), await person()];
    const merge = (id: string) => app.call('contacts.merge', { params: { contactID: older.id }, body: { contact_id: id } });
    await merge(newer.id);
    const before = await steps.take(type, { ...fields }, about(newer.id));
    expect(before.output.contact_id).toBe(older.id);
    const { output, looks } = await steps.take(type, { ...fields }, about(newest.id), () => merge(newest.id));
    expect({ contact: output.contact_id, looks }).toEqual({ contact: older.id, looks: 2 });
  });

  test('refuses a contact that is erased at the very moment', async () => {
    const { id } = await person();
    const erase = () => app.call('contacts.delete', { params: { contactID: id } });
    await expect(steps.take(type, { ...fields }, about(id), erase)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('tags', () => {
  test('a tag is taken away in any spelling, and once', async () => {
    const { id } = await person();
    await steps.take('add_tag', { tag: 'Été' }, about(id));
    expect((await steps.take('remove_tag', { tag: 'hiver' }, about(id))).output.was_there).toBe(false);
    expect((await steps.take('remove_tag', { tag: 'ETE' }, about(id))).output.was_there).toBe(true);
    const again = await steps.take('remove_tag', { tag: 'été' }, about(id));
    expect(again.output.was_there).toBe(false);
    expect(await steps.eventsOf(again.run)).toEqual([]);
    expect((await read(id)).tags).toEqual([]);
  });

  test('what came before in the transaction is seen', async () => {
    const { id } = await person();
    const { outputs } = await steps.takeAll(
      [
        ['add_tag', { tag: 'new' }],
        ['remove_tag', { tag: 'new' }],
      ],
      about(id),
    );
    expect(outputs).toMatchObject([{ is_new: true }, { was_there: true }]);
    expect((await read(id)).tags).toEqual([]);
  });

  test('the limit of a contact holds', async () => {
    const { id } = await person();
    for (let number = 0; number < 100; number += 1) await steps.take('add_tag', { tag: `limit ${number}` }, about(id));
    await expect(steps.take('add_tag', { tag: 'one more' }, about(id))).rejects.toMatchObject({ code: 'limit_reached' });
  });
});

describe('set_field', () => {
  test('null removes a custom field', async () => {
    const { id } = await person();
    await steps.take('set_field', { field: 'custom_fields.tier', value: 'gold' }, about(id));
    await steps.take('set_field', { field: 'custom_fields.tier', value: null }, about(id));
    expect((await read(id)).custom_fields).toEqual({});
  });

  test("another contact's email is refused, as by the API", async () => {
    const [one, other] = [await person(), await person()];
    await steps.take('set_field', { field: 'email', value: 'ada@example.com' }, about(one.id));
    const taken = steps.take('set_field', { field: 'email', value: 'Ada@example.com' }, about(other.id));
    await expect(taken).rejects.toMatchObject({ code: 'conflict', details: [{ value: one.id }] });
  });

  test.each([
    ['email', 'nobody', 'value', 'string.email'],
    ['name', 5, 'value', 'string.base'],
    ['phone_number', '+1', 'field', 'field.unknown'],
    ['custom_fields.__proto__', 'x', 'value', 'custom.reserved'],
  ])('%s = %j is refused at %s', async (field, value, at, code) => {
    const { id } = await person();
    await expect(steps.take('set_field', { field, value }, about(id))).rejects.toMatchObject({ details: [{ field: at, code }] });
  });
});

describe('shape', () => {
  test.each([
    ['add_tag', {}, 'tag', 'any.required'],
    ['add_tag', { tag: 'a', on: 'deal' }, 'on', 'any.only'],
    ['add_tag', { tag: 'a\nb' }, 'tag', 'string.pattern.base'],
    ['remove_tag', { tag: 'a', contact_id: 'x' }, 'contact_id', 'string.guid'],
    ['add_note', { body: '' }, 'body', 'string.empty'],
    ['set_field', { field: 'name' }, 'value', 'any.required'],
    ['set_consent', { channel: 'pigeon', status: 'granted' }, 'channel', 'any.only'],
    ['suppress', { channel: 'all', reason: 'x' }, 'reason', 'any.only'],
    ['suppress', { channel: 'all', reason: 'unsubscribed', expires_at: '2020-01-01' }, 'expires_at', 'date.greater'],
  ])('%s %j is refused at %s', async (type, fields, field, code) => {
    const { id } = await person();
    await expect(steps.take(type, fields, about(id))).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field, code }],
    });
  });
});
