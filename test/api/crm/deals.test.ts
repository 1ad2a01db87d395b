import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { storedOrganizations } from '../../support/stored/accounts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { exchangeRate, storedDeals, storedHistory } from '../../support/stored/crm.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp({});
let sales: PipelineMade;
/** An organization without pipelines. */
let bare: Tenant;

beforeAll(async () => {
  sales = await pipeline(app.em(), app.tenant.organizationId);
  bare = await app.organization();
  await exchangeRate(app, app.tenant.organizationId, { base: 'EUR', rate: 1.09, at: ago(1, 'day') });
});

const create = async (body: object = {}, tenant = app.tenant): Promise<Body> => {
  const made = await app.call('crm.deals.create', { key: tenant.key, body: { title: 'Renewal', ...body } });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.body;
};
const get = async (dealID: string, query = {}) => (await app.call('crm.deals.get', { params: { dealID }, query })).body;
const patch = (dealID: string, body: object) => app.call('crm.deals.update', { params: { dealID }, body });
const eventsOf = async (id: string) => (await app.events(id)).map(({ type }) => type);
const historyOf = async (dealID: string): Promise<Body[]> =>
  (await app.call('crm.deals.history', { params: { dealID } })).body.items;
/** What must stay as it is after a refusal. */
const stored = async () => ({
  deals: await storedDeals.count(app),
  history: await storedHistory.count(app),
  events: await storedEvents.count(app),
});

describe('create', () => {
  test('a title is enough: nothing in the home currency, in the first open stage of the default pipeline', async () => {
    const deal = await create({ title: '  Renewal  ' });
    expect(deal).toMatchObject({
      title: 'Renewal',
      status: 'open',
      amount_minor: '0',
      currency_code: 'USD',
      minor_unit: 2,
      home_currency_at_write: 'USD',
      amount_in_home_currency: '0.00',
      display_currency: 'USD',
      display_currency_unit: 2,
      display_currency_minor: '0',
      expected_close_at: '',
      owner_user_id: null,
      source_conversation_id: null,
      stage_id: sales.stages.first,
      pipeline_id: sales.id,
      closed_at: null,
      lost_reason: '',
      probability: 10,
      custom_fields: {},
      metadata: {},
      contacts: [],
      revision: 1,
    });
    expect(deal.stage_entered_at).toBe(deal.created_at);
    expect(await get(deal.id)).toEqual(deal);
  });

  test('with everything it reads back as it was answered', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const contact = (await app.call('contacts.create', { body: { phone_number: '+16505550181' } })).body.data.id;
    const deal = await create({
      amount_minor: '125000',
      currency_code: 'EUR',
      expected_close_at: '2026-12-31T12:00:00+02:00',
      owner_user_id: userId,
      stage_id: sales.stages.third,
      custom_fields: { seats: 40, gone: null },
      metadata: { crm: { id: 7 } },
      contacts: [{ contact_id: contact, role: 'Buyer' }],
    });
    expect(deal).toMatchObject({
      amount_in_home_currency: '1362.50',
      expected_close_at: '2026-12-31T10:00:00.000Z',
      owner_user_id: userId,
      probability: 75,
      custom_fields: { seats: 40 },
      metadata: { crm: { id: 7 } },
      contacts: [{ contact_id: contact, role: 'Buyer', is_primary: true }],
    });
    expect(await get(deal.id)).toEqual(deal);
  });

  test('one event, one row of history, which begins at revision 1', async () => {
    const deal = await create({ amount_minor: '5' });
    expect(await eventsOf(deal.id)).toEqual(['deal.created']);
    const [event] = await storedEvents.all(app, { subject_id: deal.id }, { columns: ['id', 'data'] });
    expect(event.data).toMatchObject({ deal_id: deal.id, status: 'open', stage_id: sales.stages.first });
    expect(event.data.changed).toEqual(expect.arrayContaining(['title', 'amount_minor', 'stage_id']));
    const [entry, ...more] = await historyOf(deal.id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ revision: 1, event_id: event.id, actor: `key:${app.tenant.keyId}` });
    expect(entry.changes).toMatchObject({
      title: { from: null, to: 'Renewal' },
      amount_minor: { from: null, to: '5' },
      position: { from: null, to: deal.position },
    });
  });

  test('at its place in the document: Location', async () => {
    const made = await app.call('crm.deals.create', { body: { title: 'Here' } });
    expect(made.headers.get('location')).toBe(`/v1/crm/deals/${made.body.id}`);
  });

  test('with an Idempotency-Key it is created once', async () => {
    const headers = { 'idempotency-key': 'deal-1' };
    const ask = () => app.call('crm.deals.create', { body: { title: 'Once' }, headers });
    const [first, second] = [await ask(), await ask()];
    expect([second.status, second.text]).toEqual([201, first.text]);
  });

  test('without a pipeline it has no stage, and its status may be set', async () => {
    const deal = await create({ status: 'won' }, bare);
    expect(deal).toMatchObject({ status: 'won', stage_id: null, pipeline_id: null, stage_entered_at: null, probability: null });
    expect(deal.closed_at).toBe(deal.created_at);
    expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.closed']);
  });

  test('a status goes to the first stage of its kind', async () => {
    expect((await create({ status: 'lost' })).stage_id).toBe(sales.stages.lost);
  });

  test('without a rate it has no home amount, and is shown in its own currency', async () => {
    const deal = await create({ amount_minor: '700', currency_code: 'JPY' });
    expect(deal).toMatchObject({
      minor_unit: 0,
      amount_in_home_currency: '',
      display_currency: 'JPY',
      display_currency_minor: '700',
    });
  });

  test('a day begins in the zone of the organization', async () => {
    await storedOrganizations.change(app, bare.organizationId, { timezone: 'Asia/Tokyo' });
    expect((await create({ expected_close_at: '2026-12-31' }, bare)).expected_close_at).toBe('2026-12-30T15:00:00.000Z');
    const before = await app.call('crm.deals.create', { body: { title: 'Old', expected_close_at: '1000-01-01' }, key: bare.key });
    expect([before.status, before.body.error.details[0].field]).toEqual([422, 'expected_close_at']);
  });
});

describe('update', () => {
  test('what is given changes, with one revision, event and row of history', async () => {
    const deal = await create({ custom_fields: { seats: 40, tier: 'gold' } });
    const changed = await patch(deal.id, {
      title: 'Better',
      amount_minor: '200',
      custom_fields: { seats: 45, tier: null },
      revision: 1,
    });
    expect(changed.body).toMatchObject({
      title: 'Better',
      amount_minor: '200',
      amount_in_home_currency: '2.00',
      custom_fields: { seats: 45 },
      revision: 2,
    });
    expect(await get(deal.id)).toEqual(changed.body);
    expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.updated']);
    const [entry] = await historyOf(deal.id);
    expect(entry.changes).toEqual({
      title: { from: 'Renewal', to: 'Better' },
      amount_minor: { from: '0', to: '200' },
      amount_in_home_currency: { from: '0.00', to: '2.00' },
      'custom_fields.seats': { from: 40, to: 45 },
      'custom_fields.tier': { from: 'gold', to: null },
    });
    const [, event] = await app.events(deal.id);
    expect(event.data.changed).toEqual(['title', 'amount_minor', 'amount_in_home_currency', 'custom_fields']);
  });

  test('what it has already changes nothing', async () => {
    const deal = await create({ expected_close_at: '2026-12-31T00:00:00Z', custom_fields: { b: 1, a: { y: 1, x: 2 } } });
    const before = await stored();
    const same = await patch(deal.id, {
      title: 'Renewal',
      amount_minor: '0',
      currency_code: 'USD',
      expected_close_at: '2026-12-31T01:00:00+01:00',
      custom_fields: { a: { x: 2, y: 1 }, b: 1, c: null },
      metadata: {},
      owner_user_id: null,
      status: 'open',
    });
    expect([same.status, same.body, await stored()]).toEqual([200, deal, before]);
  });

  test('a new currency without its amount is refused: minor units of one are another sum in the other', async () => {
    const deal = await create({ amount_minor: '1999', currency_code: 'USD' });
    const refused = await patch(deal.id, { currency_code: 'JPY' });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details[0]).toMatchObject({ field: 'amount_minor', code: 'amount.required' });
    expect(await get(deal.id)).toEqual(deal);
    const changed = await patch(deal.id, { currency_code: 'JPY', amount_minor: '2999' });
    expect(changed.body).toMatchObject({ currency_code: 'JPY', amount_minor: '2999' });
    const empty = await create();
    expect((await patch(empty.id, { currency_code: 'JPY' })).body.currency_code).toBe('JPY');
  });

  test('a stale revision is a 409 that names the present one, and changes nothing', async () => {
    const deal = await create();
    await patch(deal.id, { title: 'Second' });
    const before = await stored();
    const refused = await patch(deal.id, { title: 'Third', revision: 1 });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.details).toMatchObject([{ field: 'revision', code: 'revision.stale', value: '2' }]);
    expect(await stored()).toEqual(before);
  });

  test('a date is emptied by an empty text, an owner by null', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const deal = await create({ expected_close_at: '2026-12-31', owner_user_id: userId });
    const { body } = await patch(deal.id, { expected_close_at: '', owner_user_id: null });
    expect(body).toMatchObject({ expected_close_at: '', owner_user_id: null });
  });

  test('an owner who leaves the organization owns nothing', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const deal = await create({ owner_user_id: userId });
    await app.call('members.delete', { params: { memberID: userId } });
    expect((await get(deal.id)).owner_user_id).toBeNull();
  });

  test('the status of a deal in a stage is not set, without a stage it is', async () => {
    const deal = await create();
    const refused = await patch(deal.id, { status: 'won' });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'status']);
    const own = await create({}, bare);
    const won = await app.call('crm.deals.update', { key: bare.key, params: { dealID: own.id }, body: { status: 'won' } });
    expect(won.body).toMatchObject({ status: 'won', closed_at: expect.any(String) });
  });
});

describe('the bin', () => {
  test('a deal goes into it and comes back', async () => {
    const deal = await create();
    const params = { dealID: deal.id };
    expect((await app.call('crm.deals.delete', { params })).status).toBe(204);
    expect((await app.call('crm.deals.delete', { params })).status).toBe(404);
    expect((await app.call('crm.deals.get', { params })).status).toBe(404);
    expect((await app.call('crm.deals.history', { params })).status).toBe(404);
    const back = await app.call('crm.deals.restore', { params });
    expect(back.body).toEqual({ ...deal, revision: 3, updated_at: back.body.updated_at });
    expect((await app.call('crm.deals.restore', { params })).body).toEqual(back.body);
    expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.deleted', 'deal.created']);
    expect((await historyOf(deal.id)).map(({ changes }) => changes.deleted)).toEqual([
      { from: true, to: false },
      { from: false, to: true },
      undefined,
    ]);
  });
});

const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
const bad: [string, object, string][] = [
  ['no title', { title: undefined }, 'title'],
  ['an empty title', { title: ' ' }, 'title'],
  ['a title of 201 characters', { title: 'x'.repeat(201) }, 'title'],
  ['a field unknown', { name: 'x' }, 'name'],
  ['a status unknown', { status: 'closed' }, 'status'],
  ...[7, '-1', '01', '1.0', ' 1', '1 ', '', '1e3', '12345678901234567890', '9223372036854775808', null].map(
    (amount): [string, object, string] => [`the amount ${JSON.stringify(amount)}`, { amount_minor: amount }, 'amount_minor'],
  ),
  ...['usd', 'XXX', 'BTC', 'XAU', 'US', '', 840].map((code): [string, object, string] => [
    `the currency ${JSON.stringify(code)}`,
    { currency_code: code },
    'currency_code',
  ]),
  ...['2026-02-30', '10000-01-01', '9999-12-31T23:59:59-12:00', '2026-12-31T00:00:00', '31.12.2026', 'soon', 7].map(
    (at): [string, object, string] => [`the date ${JSON.stringify(at)}`, { expected_close_at: at }, 'expected_close_at'],
  ),
  ['an owner unknown', { owner_user_id: stranger }, 'owner_user_id'],
  ['custom fields that are a list', { custom_fields: [] }, 'custom_fields'],
  ['metadata that is a text', { metadata: 'x' }, 'metadata'],
  ['metadata above 16 kB', { metadata: { x: 'x'.repeat(16_400) } }, 'metadata'],
];
const badAtCreation: [string, object, string][] = [
  ...bad,
  ['a stage unknown', { stage_id: stranger }, 'stage_id'],
  ['a pipeline unknown', { pipeline_id: stranger }, 'pipeline_id'],
  ['a conversation unknown', { source_conversation_id: stranger }, 'source_conversation_id'],
  ['a contact unknown', { contacts: [{ contact_id: stranger }] }, 'contacts[0].contact_id'],
];

describe('bad input is a 422 at its field, and nothing is written', () => {
  test.each(badAtCreation)('create: %s', async (_what, body, field) => {
    const before = await stored();
    const refused = await app.call('crm.deals.create', { body: { title: 'Renewal', ...body } });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
    expect(await stored()).toEqual(before);
  });

  test.each(bad.filter(([what]) => what !== 'no title'))('update: %s', async (_what, body, field) => {
    const deal = await create();
    const before = await stored();
    const refused = await patch(deal.id, body);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
    expect(await stored()).toEqual(before);
  });

  test('a stage, an owner, a conversation and a contact of another organization', async () => {
    const foreign = await pipeline(app.em(), bare.organizationId, { isDefault: false });
    const { userId } = await person(app.em(), bare.organizationId);
    const contact = await app.call('contacts.create', { key: bare.key, body: { phone_number: '+16505550182' } });
    const conversation = await app.conversation(await app.connect({ tenant: bare }));
    const before = await stored();
    for (const [field, body] of [
      ['stage_id', { stage_id: foreign.stages.first }],
      ['pipeline_id', { pipeline_id: foreign.id }],
      ['owner_user_id', { owner_user_id: userId }],
      ['source_conversation_id', { source_conversation_id: conversation.id }],
      ['contacts[0].contact_id', { contacts: [{ contact_id: contact.body.data.id }] }],
    ] as const) {
      const refused = await app.call('crm.deals.create', { body: { title: 'Renewal', ...body } });
      expect([field, refused.status, refused.body.error.details?.[0]?.field]).toEqual([field, 422, field]);
    }
    expect(await stored()).toEqual(before);
  });

  test.each(['usd', 'XXX', 'BTC', ''])('a reader’s currency %j', async (display_currency) => {
    const deal = await create();
    for (const [operationId, params] of [
      ['crm.deals.get', { dealID: deal.id }],
      ['crm.deals.list', {}],
    ] as const) {
      const refused = await app.call(operationId, { params, query: { display_currency } });
      expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: 'display_currency' }]);
    }
  });
});

test('the largest amount is kept to its last digit', async () => {
  const deal = await create({ amount_minor: '9223372036854775807' });
  expect([deal.amount_minor, deal.display_currency_minor, deal.amount_in_home_currency]).toEqual([
    '9223372036854775807',
    '9223372036854775807',
    '92233720368547758.07',
  ]);
});
