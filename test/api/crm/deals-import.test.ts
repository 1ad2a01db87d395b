import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { storedOrganizations, storedUsers } from '../../support/stored/accounts.ts';
import { exchangeRate, storedDeals, storedHistory } from '../../support/stored/crm.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let sales: PipelineMade;

beforeAll(async () => {
  sales = await pipeline(app.em(), app.tenant.organizationId, { needsLostReason: true });
  await storedOrganizations.change(app, app.tenant.organizationId, { home_currency: 'USD', timezone: 'Europe/Berlin' });
  await exchangeRate(app, app.tenant.organizationId, { base: 'EUR', rate: 1.5, at: '2026-01-01' });
});

type Asked = Record<string, string>;
const upload = (body: string, query: Asked = {}, tenant: Tenant = app.tenant) =>
  app.call('crm.deals.import', { key: tenant.key, query, body });
const ended = (id: string, tenant: Tenant = app.tenant): Promise<Body> =>
  waitFor('the import to end', async () => {
    const { data } = (await app.call('crm.imports.get', { key: tenant.key, params: { crmImportID: id } })).body;
    return ['succeeded', 'failed'].includes(data.status) && data;
  });
async function imported(body: string, query: Asked = {}, tenant: Tenant = app.tenant): Promise<Body> {
  const reply = await upload(body, query, tenant);
  expect(reply.status).toBe(201);
  return ended(reply.body.data.id, tenant);
}
const errorsOf = async (id: string): Promise<[number, string, string][]> => {
  const { body } = await app.call('crm.imports.errors', { params: { crmImportID: id }, query: { limit: 100 } });
  return body.data.map(({ line, column, code }: Body) => [line, column, code]);
};
const lines = (...all: string[]) => `${all.join('\n')}\n`;
const titled = async (title: string, tenant: Tenant = app.tenant): Promise<Body> => {
  const filters = JSON.stringify([{ field: 'title', value: title }]);
  const { items } = (await app.call('crm.deals.list', { key: tenant.key, query: { filters } })).body;
  expect(items).toHaveLength(1);
  return items[0];
};
const historyOf = (id: string): Promise<Body[]> =>
  storedHistory.all(app, { object_id: id }, { columns: ['revision', 'event_id', 'actor', 'changes'], orderBy: 'revision' });
const key = 'custom_fields.old_id';

describe('a file', () => {
  test('makes deals with exact amounts, stages and owners by name, and their contacts; once by a key', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const { email } = await storedUsers.one(app, userId);
    const contact = (await app.call('contacts.create', { body: { phone_number: '+16505550401' } })).body.data.id;
    const second = (await app.call('contacts.create', { body: { email: 'second@example.com' } })).body.data.id;
    const file = lines(
      'title,amount,currency_code,stage,owner,expected_close_at,lost_reason,contacts.phone_number,contacts.email,custom_fields.old_id,metadata',
      `Large,92233720368547758.07,EUR,SECOND,${email.toUpperCase()},2026-12-31,,+16505550401,second@example.com,7,"{""a"":1}"`,
      'Won,12.5,USD,won,,2026-12-31T12:00:00Z,,,,8,',
      'Lost,,JPY,lost,,,Too dear,,,9,',
      'Plain,,,,,,,,,10,',
    );
    const result = await imported(file, { key });
    expect(result).toMatchObject({ kind: 'deal', rows: 4, created: 4, failed: 0, failure: null });
    const large = await titled('Large');
    expect(large).toMatchObject({
      amount_minor: '9223372036854775807',
      currency_code: 'EUR',
      home_currency_at_write: 'USD',
      amount_in_home_currency: '138350580552821637.11',
      status: 'open',
      stage_id: sales.stages.second,
      pipeline_id: sales.id,
      owner_user_id: userId,
      expected_close_at: '2026-12-30T23:00:00.000Z',
      custom_fields: { old_id: 7 },
      metadata: { a: 1 },
      revision: 1,
      contacts: [
        { contact_id: contact, role: '', is_primary: true },
        { contact_id: second, role: '', is_primary: false },
      ],
    });
    expect(await titled('Won')).toMatchObject({ amount_minor: '1250', status: 'won', closed_at: expect.any(String) });
    expect(await titled('Lost')).toMatchObject({ status: 'lost', lost_reason: 'Too dear', amount_minor: '0' });
    const plain = await titled('Plain');
    expect(plain).toMatchObject({ currency_code: 'USD', stage_id: sales.stages.first });
    expect(await historyOf(large.id)).toMatchObject([
      {
        revision: 1,
        event_id: null,
        actor: `import:${result.id}`,
        changes: { title: { from: null, to: 'Large' }, position: { to: large.position }, contacts: { from: [] } },
      },
    ]);
    expect(await imported(file, { key })).toMatchObject({ created: 0, updated: 0, unchanged: 4, failed: 0 });
    const events = await app.events(app.tenant.organizationId);
    expect(events.map(({ type }) => type).filter((type) => /^(crm|deal)/.test(type))).toEqual(['crm.imported', 'crm.imported']);
  });

  test('changes deals: moves, closings and amounts as the API does them, one revision each', async () => {
    await imported(lines('title,amount_minor,custom_fields.old_id', 'Change,100,20', 'Close,100,21'), { key });
    const result = await imported(
      lines(
        'custom_fields.old_id,stage,amount_minor,currency_code,lost_reason',
        '20,third,200,EUR,',
        '20,,300,,',
        '21,lost,,,Gone',
        '20,third,300,EUR,',
      ),
      { key },
    );
    expect(result).toMatchObject({ updated: 3, unchanged: 1, failed: 0 });
    const changed = await titled('Change');
    expect(changed).toMatchObject({
      stage_id: sales.stages.third,
      amount_minor: '300',
      amount_in_home_currency: '4.50',
      revision: 2,
    });
    const history = await historyOf(changed.id);
    expect(history[1]).toMatchObject({
      changes: { amount_minor: { from: '100', to: '300' }, stage_id: { from: sales.stages.first, to: sales.stages.third } },
    });
    const closed = await titled('Close');
    expect(closed).toMatchObject({ status: 'lost', lost_reason: 'Gone', closed_at: expect.any(String) });
    expect(await imported(lines('id,status', `${closed.id},open`))).toMatchObject({ updated: 1 });
    expect(await titled('Close')).toMatchObject({
      status: 'open',
      lost_reason: '',
      closed_at: null,
      stage_id: sales.stages.first,
    });
  });

  test('a new currency without its amount is a refused row', async () => {
    await imported(lines('title,amount_minor,currency_code,custom_fields.old_id', 'Money,1999,USD,30'), { key });
    const result = await imported(lines('custom_fields.old_id,currency_code', '30,JPY'), { key });
    expect(result).toMatchObject({ updated: 0, failed: 1 });
    expect(await titled('Money')).toMatchObject({ amount_minor: '1999', currency_code: 'USD' });
  });

  test('is what an export wrote: nothing changes', async () => {
    const { text } = await app.call('crm.deals.export');
    const { unchanged, failed, rows } = await imported(text);
    expect([unchanged, failed]).toEqual([rows, 0]);
  });

  test('without any pipeline a deal has its status alone', async () => {
    const tenant = await app.organization();
    expect(await imported(lines('title,status', 'Free,won'), {}, tenant)).toMatchObject({ created: 1 });
    expect(await titled('Free', tenant)).toMatchObject({ status: 'won', stage_id: null, closed_at: expect.any(String) });
  });

  test('ends up in the order of its rows, at the end of the stage', async () => {
    const titles = Array.from({ length: 50 }, (_, n) => `Ordered ${n}`);
    await imported(lines('title,stage', ...titles.map((title) => `${title},third`)));
    const rows = await app.rows(`select title from deals where stage_id = $1 and title like 'Ordered%' order by position`, [
      sales.stages.third,
    ]);
    expect(rows.map(({ title }) => title)).toEqual(titles);
  });
});

describe('bad input', () => {
  test('a wrong value of every column is told by line and column, and nothing of the row is written', async () => {
    const stranger = await app.organization();
    const theirs = await pipeline(app.em(), stranger.organizationId);
    const header = 'title,amount_minor,currency_code,status,stage,owner,expected_close_at,lost_reason,contacts.id,metadata';
    const at = (column: string, cell: string) =>
      header
        .split(',')
        .map((name) => (name === column ? cell : name === 'title' ? 'Bad' : ''))
        .join(',');
    const wrong: [string, string, string][] = [
      ['title', '', 'any.required'],
      ['title', 'x'.repeat(201), 'string.max'],
      ['amount_minor', '-1', 'string.pattern.base'],
      ['amount_minor', '01', 'string.pattern.base'],
      ['amount_minor', '1.0', 'string.pattern.base'],
      ['amount_minor', '9223372036854775808', 'amount.max'],
      ['currency_code', 'usd', 'string.pattern.base'],
      ['currency_code', 'XXX', 'currency.unknown'],
      ['currency_code', 'BTC', 'currency.unknown'],
      ['status', 'maybe', 'any.only'],
      ['stage', 'nowhere', 'reference.unknown'],
      ['stage', theirs.stages.first, 'reference.unknown'],
      ['owner', 'stranger@example.com', 'reference.unknown'],
      ['expected_close_at', '2026-02-30', 'string.isoDate'],
      ['expected_close_at', '10000-01-01', 'string.isoDate'],
      ['lost_reason', 'Why', 'lost_reason.status'],
      ['status', 'lost', 'any.required'],
      ['contacts.id', uuidv7(), 'reference.unknown'],
      ['metadata', '[1]', 'object.base'],
    ];
    const result = await imported(lines(header, ...wrong.map(([column, cell]) => at(column, cell))));
    expect(result).toMatchObject({ created: 0, failed: wrong.length });
    expect(await errorsOf(result.id)).toEqual(
      wrong.map(([column, cell, code], index) => [index + 2, cell === 'lost' ? 'lost_reason' : column, code]),
    );
    expect(await storedDeals.count(app, { title: 'Bad' })).toBe(0);
  });

  test.each([
    ['both amounts', 'title,amount,amount_minor\nX,1,1\n', {}, 'header.amount'],
    ['a stage twice', 'title,stage,stage_id\nX,a,b\n', {}, 'header.duplicate'],
    ['a key that is no column', 'title\nX\n', { key }, 'header.key'],
  ])('%s fails the file', async (_what, file, query, code) => {
    expect(await imported(file, query as Asked)).toMatchObject({ status: 'failed', created: 0, failure: { code } });
  });

  test('an amount with more digits than its currency is refused', async () => {
    const result = await imported(lines('title,amount,currency_code', 'Y,1.5,JPY', 'E,1.005,EUR', 'F,1.500,EUR'));
    expect(await errorsOf(result.id)).toEqual([
      [2, 'amount', 'amount.digits'],
      [3, 'amount', 'amount.digits'],
    ]);
    expect(await titled('F')).toMatchObject({ amount_minor: '150' });
  });

  test('a key that several deals have names none', async () => {
    await imported(lines('title,custom_fields.twice', 'T1,x', 'T2,x'));
    const result = await imported(lines('title,custom_fields.twice', 'T3,x'), { key: 'custom_fields.twice' });
    expect(await errorsOf(result.id)).toEqual([[2, 'custom_fields.twice', 'conflict']]);
  });

  test.each(['title', 'stage', 'custom_fields.', 'custom_fields.__proto__'])('key=%s is a 422', async (wrong) => {
    expect((await upload('title\nX\n', { key: wrong })).status).toBe(422);
  });
});
