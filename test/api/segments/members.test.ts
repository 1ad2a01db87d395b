import { beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedSegmentMembers } from '../../support/stored/contacts.ts';

const app = useApp();
let tenant: Tenant;
let segmentID: string;

beforeEach(async () => {
  tenant = await app.organization();
  segmentID = await segment({ name: 'Guests', kind: 'static' });
});

const segment = async (body: object): Promise<string> => (await app.call('segments.create', { key: tenant.key, body })).body.id;
const contact = async (body: object = {}): Promise<string> =>
  (await app.call('contacts.create', { key: tenant.key, body: { phone_number: `+${app.phone()}`, ...body } })).body.data.id;
const add = (contact_ids: unknown, { id = segmentID, key = tenant.key } = {}) =>
  app.call('segments.members.add', { key, params: { segmentID: id }, body: { contact_ids } });
const remove = (contactID: string, id = segmentID) =>
  app.call('segments.members.remove', { key: tenant.key, params: { segmentID: id, contactID } });
const list = (query: object = {}, { id = segmentID, key = tenant.key } = {}) =>
  app.call('segments.members.list', { key, params: { segmentID: id }, query: query as Record<string, string> });
const idsIn = async (query: object = {}, id = segmentID): Promise<string[]> =>
  (await list(query, { id })).body.data.map((one: Body) => one.id);
const rowsOf = (id = segmentID) => storedSegmentMembers.all(app, { segment_id: id }, { columns: ['contact_id'] });

test('added, once each, listed newest first as contacts are, and removed', async () => {
  const [ada, ben, cleo] = [await contact({ name: 'Ada' }), await contact(), await contact()];
  expect(await add([ada, ben])).toMatchObject({ status: 200, body: { added: 2, already: 0 } });
  expect((await add([ben, cleo, cleo])).body).toEqual({ added: 1, already: 1 });
  expect(await idsIn()).toEqual([cleo, ben, ada]);
  const { body } = await app.call('contacts.get', { key: tenant.key, params: { contactID: ada } });
  expect((await list()).body.data[2]).toEqual(body.data);
  expect([(await remove(ben)).status, (await remove(ben)).status]).toEqual([204, 404]);
  expect(await idsIn()).toEqual([cleo, ada]);
  const counted = await app.call('segments.count', { key: tenant.key, params: { segmentID } });
  expect(counted.body.count).toBe(2);
});

test('a page goes on where the one before ended; its cursor is of this segment alone', async () => {
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) made.push(await contact());
  await add(made);
  const first = (await list({ limit: 2, include_total: true })).body;
  expect(first.meta).toMatchObject({ has_more: true, total: 5 });
  const second = (await list({ limit: 2, cursor: first.meta.next_cursor })).body;
  const last = (await list({ limit: 2, cursor: second.meta.next_cursor })).body;
  const read = [first, second, last].flatMap(({ data }) => data.map((one: Body) => one.id));
  expect(read).toEqual(made.toReversed());
  expect(last.meta.has_more).toBe(false);
  const other = await segment({ name: 'Others', kind: 'static' });
  expect((await list({ cursor: first.meta.next_cursor }, { id: other })).status).toBe(400);
});

describe('refused, and nothing is added', () => {
  test('unknown contacts, those of others and those merged away, each at its place', async () => {
    const known = await contact();
    const foreign = (await app.call('contacts.create', { body: { phone_number: `+${app.phone()}` } })).body.data.id;
    const unknown = uuidv7();
    const { status, body } = await add([known, unknown, foreign]);
    expect([status, body.error.details]).toEqual([
      422,
      [
        expect.objectContaining({ field: 'contact_ids[1]', code: 'contact.unknown', value: unknown }),
        expect.objectContaining({ field: 'contact_ids[2]', code: 'contact.unknown', value: foreign }),
      ],
    ]);
    expect(await rowsOf()).toEqual([]);
  });

  test.each([
    ['none', [], 'contact_ids'],
    ['more than a thousand', Array.from({ length: 1_001 }, uuidv7), 'contact_ids'],
    ['what is no id', ['ada'], 'contact_ids[0]'],
    ['a text', 'ada', 'contact_ids'],
    ['nothing', undefined, 'contact_ids'],
  ])('%s: 422 at its field', async (_, given, field) => {
    const { status, body } = await add(given);
    expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  });

  test('a dynamic segment: 409, for an addition and a removal', async () => {
    const ada = await contact();
    const id = await segment({ name: 'All', kind: 'dynamic' });
    const refusal = { status: 409, body: { error: { details: [{ field: 'segmentID', code: 'segment.dynamic' }] } } };
    expect(await add([ada], { id })).toMatchObject(refusal);
    expect(await remove(ada, id)).toMatchObject(refusal);
    expect(await rowsOf(id)).toEqual([]);
  });

  test('a segment that is deleted, and one of others: 404', async () => {
    const ada = await contact();
    const stranger = await app.organization();
    expect((await add([ada], { key: stranger.key })).status).toBe(404);
    expect((await list({}, { key: stranger.key })).status).toBe(404);
    await app.call('segments.delete', { key: tenant.key, params: { segmentID } });
    expect([(await add([ada])).status, (await list()).status, (await remove(ada)).status]).toEqual([404, 404, 404]);
  });
});

test('the members of a dynamic one are those of the list, read with its cursor', async () => {
  const tiers = ['gold', 'silver', 'gold', 'gold'];
  const made: string[] = [];
  for (const tier of tiers) made.push(await contact({ custom_fields: { tier } }));
  const golden = made.filter((_, index) => tiers[index] === 'gold').toReversed();
  const id = await segment({ name: 'Gold', kind: 'dynamic', filters: [{ field: 'custom_fields.tier', value: 'gold' }] });
  const first = (await list({ limit: 2, include_total: true }, { id })).body;
  expect(first.meta).toMatchObject({ has_more: true, total: 3 });
  const rest = await idsIn({ limit: 2, cursor: first.meta.next_cursor }, id);
  expect([...first.data.map((one: Body) => one.id), ...rest]).toEqual(golden);
  const body = { filters: [{ field: 'custom_fields.tier', value: 'silver' }] };
  await app.call('segments.update', { key: tenant.key, params: { segmentID: id }, body });
  expect((await list({ cursor: first.meta.next_cursor }, { id })).status).toBe(400);
  expect(await idsIn({}, id)).toEqual([made[1]]);
});

test('members need the scope that reads contacts too, and the refusal says so', async () => {
  const { key } = await app.key(tenant.organizationId, ['campaigns:read', 'campaigns:write']);
  const refused = await list({}, { key });
  expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('contacts:read')]);
  expect((await add([await contact()], { key })).status).toBe(200);
});

test('an erased contact is a member no more; a merged one is, once, as the survivor', async () => {
  const [old, young, gone] = [await contact(), await contact(), await contact()];
  const both = await segment({ name: 'Both', kind: 'static' });
  await add([young, gone]);
  await add([old, young], { id: both });
  await app.call('contacts.merge', { key: tenant.key, params: { contactID: old }, body: { contact_id: young } });
  await app.call('contacts.delete', { key: tenant.key, params: { contactID: gone } });
  expect([await idsIn(), await idsIn({}, both)]).toEqual([[old], [old]]);
  expect(await add([young])).toMatchObject({ status: 422 });
});

test('who changed the members stands in the audit log, by ids alone', async () => {
  const ada = await contact({ name: 'Ada' });
  await add([ada]);
  await remove(ada);
  const acts = await listedActs(app, { subject: `segment:${segmentID}` }, { key: tenant.key, columns: ['action', 'details'] });
  expect(acts.slice(1)).toEqual([
    { action: 'segments.members.add', details: { added: 1, already: 0 } },
    { action: 'segments.members.remove', details: { contact_id: ada } },
  ]);
});

test('added by several at once: each is a member once, and the sums are right', async () => {
  const made: string[] = [];
  for (let index = 0; index < 4; index += 1) made.push(await contact());
  const replies = await Promise.all([made, made.toReversed(), made.slice(1), made.slice(0, 2)].map((ids) => add(ids)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(replies.reduce((sum, { body }) => sum + body.added, 0)).toBe(4);
  expect(await idsIn()).toEqual(made.toReversed());
});
