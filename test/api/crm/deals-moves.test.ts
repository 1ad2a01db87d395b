import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { exchangeRate, storedDeals, storedHistory } from '../../support/stored/crm.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp({});
let sales: PipelineMade;
let strict: PipelineMade;

beforeAll(async () => {
  sales = await pipeline(app.em(), app.tenant.organizationId);
  strict = await pipeline(app.em(), app.tenant.organizationId, { isDefault: false, needsLostReason: true });
});

const create = async (body: object = {}): Promise<Body> =>
  (await app.call('crm.deals.create', { body: { title: 'Renewal', ...body } })).body;
const act = (verb: string, dealID: string, body: object = {}) => app.call(`crm.deals.${verb}`, { params: { dealID }, body });
const move = (dealID: string, body: object) => act('move', dealID, body);
const moved = async (dealID: string, body: object) => expect((await move(dealID, body)).status).toBe(200);
const eventsOf = async (id: string) => (await app.events(id)).map(({ type }) => type);
const board = async (stage_id: string): Promise<string[]> =>
  (await app.call('crm.deals.list', { query: { stage_id, sort: 'position', limit: 100 } })).body.items.map(({ id }: Body) => id);
const rate = (base: string, value: string, hoursAgo: number) =>
  exchangeRate(app, app.tenant.organizationId, { base, rate: value, at: ago(hoursAgo, 'hour') });

describe('move', () => {
  test('to another stage: its place is the last, and the event tells from where', async () => {
    const [first, second] = [await create({ stage_id: sales.stages.second }), await create()];
    const { status, body } = await move(second.id, { stage_id: sales.stages.second });
    expect([status, body]).toMatchObject([200, { stage_id: sales.stages.second, probability: 40, status: 'open', revision: 2 }]);
    expect(await board(sales.stages.second)).toEqual([first.id, second.id]);
    const events = await app.events(second.id);
    expect(events.map(({ type }) => type)).toEqual(['deal.created', 'deal.stage_changed', 'deal.updated']);
    expect(events[1]!.data).toEqual({
      deal_id: second.id,
      organization_id: app.tenant.organizationId,
      pipeline_id: sales.id,
      from_stage_id: sales.stages.first,
      to_stage_id: sales.stages.second,
      status: 'open',
    });
  });

  test('before and behind others, as often as there are places', async () => {
    const stage_id = sales.stages.third;
    const [one, two, three] = [await create({ stage_id }), await create({ stage_id }), await create({ stage_id })];
    await moved(three.id, { stage_id, before_id: one.id });
    expect(await board(stage_id)).toEqual([three.id, one.id, two.id]);
    await moved(three.id, { stage_id, after_id: one.id });
    expect(await board(stage_id)).toEqual([one.id, three.id, two.id]);
    await moved(one.id, { stage_id, after_id: two.id });
    expect(await board(stage_id)).toEqual([three.id, two.id, one.id]);
    const fourth = await create();
    await moved(fourth.id, { stage_id, before_id: two.id });
    expect(await board(stage_id)).toEqual([three.id, fourth.id, two.id, one.id]);
  });

  test('nowhere: nothing is written', async () => {
    const stage_id = strict.stages.second;
    const [one, two] = [await create({ stage_id }), await create({ stage_id })];
    for (const body of [{ stage_id }, { stage_id, after_id: one.id }]) expect((await move(two.id, body)).body).toEqual(two);
    expect((await move(one.id, { stage_id, before_id: two.id })).body).toEqual(one);
    expect([await eventsOf(one.id), await eventsOf(two.id)]).toEqual([['deal.created'], ['deal.created']]);
  });

  test('where there is no room any more, the stage is numbered anew in its order', async () => {
    const stage_id = strict.stages.first;
    const ids = [(await create({ stage_id })).id, (await create({ stage_id })).id, (await create({ stage_id })).id];
    await storedDeals.change(app, ids, { position: 7 });
    const order = [...ids].sort();
    await moved(order[2]!, { stage_id, before_id: order[1]! });
    expect(await board(stage_id)).toEqual([order[0], order[2], order[1]]);
    const positions = await app.rows('select distinct position from deals where id = any($1)', [ids]);
    expect(positions).toHaveLength(3);
  });

  test('of a stage with very many deals only those around the place are numbered anew', async () => {
    const stage_id = strict.stages.second;
    const ids = [(await create({ stage_id })).id, (await create({ stage_id })).id, (await create({ stage_id })).id];
    // 3,000 before and 3,000 behind, and between the two in the middle no room for one more.
    await app.rows(
      `insert into deals (organization_id, id, title, status, amount_minor, currency_code, home_currency_at_write, pipeline_id, stage_id,
              stage_entered_at, position)
       select d.organization_id, uuidv7(), 'One of many', d.status, 0, 'EUR', 'EUR', d.pipeline_id, d.stage_id, now(), n
         from deals d, generate_series(-3000, 3000) n
        where d.id = $1 and n <> 0`,
      [ids[0]],
    );
    await app.rows(
      `update deals
          set position = case id when $1 then 0 when $2 then ('0.' || repeat('0', 300) || '1')::numeric else 5000 end
        where id = any($3)`,
      [ids[0], ids[1], ids],
    );
    const placed = `select id, position::text as place from deals where stage_id = $1 and id <> $2 order by position, id`;
    const before = await app.rows(placed, [stage_id, ids[2]]);
    await moved(ids[2]!, { stage_id, before_id: ids[1]! });
    const after = await app.rows(placed, [stage_id, ids[2]]);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const changed = after.filter(({ place }, index) => place !== before[index]!.place);
    expect(changed.length).toBeGreaterThan(1);
    expect(changed.length).toBeLessThan(1_002);
    const here = await storedDeals.all(app, ids, { columns: ['id'], orderBy: 'position' });
    expect(here.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[1]]);
  });

  test('to another pipeline it must be named', async () => {
    const deal = await create();
    const refused = await move(deal.id, { stage_id: strict.stages.first });
    expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: 'stage_id', code: 'stage.pipeline' }]);
    const { body } = await move(deal.id, { stage_id: strict.stages.first, pipeline_id: strict.id });
    expect(body).toMatchObject({ pipeline_id: strict.id, stage_id: strict.stages.first });
  });

  test('a neighbour of another stage, itself or unknown is a 422', async () => {
    const [deal, other] = [await create(), await create({ stage_id: sales.stages.second })];
    for (const id of [other.id, deal.id, '0193ffff-3a0e-7cc4-8f4e-0242ac120004']) {
      const refused = await move(deal.id, { stage_id: sales.stages.first, after_id: id });
      expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'after_id']);
    }
    const both = await move(deal.id, { stage_id: sales.stages.first, after_id: other.id, before_id: other.id });
    expect(both.status).toBe(422);
  });
});

describe('win, lose and reopen', () => {
  test('a won deal is in the won stage, with the time and the money of that moment', async () => {
    await rate('EUR', '1.10', 48);
    const deal = await create({ amount_minor: '10000', currency_code: 'EUR' });
    expect(deal.amount_in_home_currency).toBe('110.00');
    await rate('EUR', '1.20', 1);
    expect((await app.call('crm.deals.get', { params: { dealID: deal.id } })).body).toMatchObject({
      amount_in_home_currency: '110.00',
      display_currency_minor: '12000',
    });
    const { body: won } = await act('win', deal.id);
    expect(won).toMatchObject({
      status: 'won',
      stage_id: sales.stages.won,
      probability: 100,
      amount_in_home_currency: '120.00',
      closed_at: expect.any(String),
    });
    await rate('EUR', '2.00', 0);
    const later = (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
    expect([later.amount_in_home_currency, later.display_currency_minor]).toEqual(['120.00', '12000']);
    const { body: open } = await act('reopen', deal.id);
    expect(open).toMatchObject({
      status: 'open',
      closed_at: null,
      amount_in_home_currency: '120.00',
      display_currency_minor: '20000',
    });
  });

  test('each is told once, and done twice it changes nothing', async () => {
    const deal = await create();
    const won = await act('win', deal.id);
    expect((await act('win', deal.id)).body).toEqual(won.body);
    expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.stage_changed', 'deal.closed', 'deal.updated']);
    const { body: lost } = await act('lose', deal.id, { lost_reason: 'Budget' });
    expect(lost).toMatchObject({ status: 'lost', stage_id: sales.stages.lost, lost_reason: 'Budget', revision: 3 });
    const { body: open } = await act('reopen', deal.id, { stage_id: sales.stages.third });
    expect(open).toMatchObject({ status: 'open', stage_id: sales.stages.third, lost_reason: '', closed_at: null });
    expect((await act('reopen', deal.id)).body).toEqual(open);
  });

  test('a reason is wanted where the pipeline says so', async () => {
    const deal = await create({ stage_id: strict.stages.first });
    for (const ask of [act('lose', deal.id), move(deal.id, { stage_id: strict.stages.lost })]) {
      const refused = await ask;
      expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'lost_reason']);
    }
    expect((await act('lose', deal.id, { lost_reason: 'Price' })).status).toBe(200);
    const emptied = { params: { dealID: deal.id }, body: { lost_reason: '' } };
    for (const { status } of [await act('lose', deal.id, emptied.body), await app.call('crm.deals.update', emptied)])
      expect(status).toBe(422);
    expect((await act('lose', deal.id, { lost_reason: 'Price and time' })).body.lost_reason).toBe('Price and time');
  });

  test('a reason is replaced without a move: in the stage it is in, by any way there', async () => {
    const deal = await create({ status: 'lost', lost_reason: 'Budget' });
    const { position, stage_id } = deal;
    expect([deal.lost_reason, stage_id]).toEqual(['Budget', sales.stages.lost]);
    const other = await create({ status: 'lost' });
    expect((await move(deal.id, { stage_id, lost_reason: 'Price' })).body).toMatchObject({ lost_reason: 'Price', revision: 2 });
    expect((await act('lose', deal.id, { stage_id, lost_reason: 'Time' })).body).toMatchObject({ lost_reason: 'Time', position });
    const { body } = await move(deal.id, { stage_id, after_id: other.id, lost_reason: '' });
    expect(body).toMatchObject({ lost_reason: '', revision: 4, closed_at: deal.closed_at });
    expect(body.position).not.toBe(position);
    expect((await move(deal.id, { stage_id, lost_reason: '' })).body).toEqual(body);
    expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.closed', ...Array(3).fill('deal.updated')]);
  });

  test('a reason for a deal that is not lost is a 422, and changes nothing', async () => {
    const deal = await create({ lost_reason: '' });
    const params = { dealID: deal.id };
    const lost_reason = 'Budget';
    for (const refused of [
      await app.call('crm.deals.create', { body: { title: 'New', lost_reason } }),
      await app.call('crm.deals.create', { body: { title: 'New', status: 'won', lost_reason } }),
      await app.call('crm.deals.update', { params, body: { lost_reason } }),
      await move(deal.id, { stage_id: deal.stage_id, lost_reason }),
      await move(deal.id, { stage_id: sales.stages.second, lost_reason }),
      await move(deal.id, { stage_id: sales.stages.won, lost_reason }),
    ])
      expect([refused.status, refused.body.error.details]).toMatchObject([
        422,
        [{ field: 'lost_reason', code: 'lost_reason.status' }],
      ]);
    expect((await app.call('crm.deals.get', { params })).body).toEqual(deal);
  });

  test('a stage of another kind is a 422', async () => {
    const deal = await create();
    const refused = await act('win', deal.id, { stage_id: sales.stages.lost });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'stage_id']);
  });

  test.each(['move', 'win', 'lose', 'reopen'])('%s with a stale revision is a 409', async (verb) => {
    const deal = await create();
    await act('move', deal.id, { stage_id: sales.stages.second });
    const before = (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
    const refused = await act(verb, deal.id, { revision: 1, ...(verb === 'move' && { stage_id: sales.stages.third }) });
    expect(refused.status).toBe(409);
    expect((await app.call('crm.deals.get', { params: { dealID: deal.id } })).body).toEqual(before);
  });
});

test('without a pipeline the status alone changes', async () => {
  const { key } = await app.organization();
  const deal = (await app.call('crm.deals.create', { key, body: { title: 'Bare' } })).body;
  const won = await app.call('crm.deals.win', { key, params: { dealID: deal.id }, body: {} });
  expect(won.body).toMatchObject({ status: 'won', stage_id: null, closed_at: expect.any(String) });
  expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.closed', 'deal.updated']);
});

test('moves, wins and reopenings at the same time: events tell the path of the history, and places are a total order', async () => {
  const tenant = await app.organization();
  const { key, organizationId } = tenant;
  const made = await pipeline(app.em(), organizationId);
  const stages = [made.stages.first, made.stages.second, made.stages.third];
  const ids: string[] = [];
  for (let n = 0; n < 50; n++) ids.push((await app.call('crm.deals.create', { key, body: { title: `Deal ${n}` } })).body.id);
  const at = (n: number) => ids[n % ids.length]!;
  const asks = Array.from({ length: 200 }, (_, n) => () => {
    const params = { dealID: at(n * 7) };
    if (n % 4 === 0) return app.call('crm.deals.win', { key, params, body: {} });
    if (n % 4 === 1) return app.call('crm.deals.reopen', { key, params, body: {} });
    const body = { stage_id: stages[n % 3]!, ...(n % 4 === 2 && { before_id: at(n * 11 + 3) }) };
    return app.call('crm.deals.move', { key, params, body });
  });
  const statuses: number[] = [];
  const oneByOne = async () => {
    for (let ask = asks.shift(); ask; ask = asks.shift()) statuses.push((await ask()).status);
  };
  await Promise.all(Array.from({ length: 8 }, oneByOne));
  // A neighbour that has just left the stage is a 422.
  expect([...new Set(statuses)].filter((status) => status !== 200 && status !== 422)).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(100);

  for (const id of ids) {
    const told = (await app.events(id))
      .filter(({ type }) => type === 'deal.stage_changed')
      .map(({ data }) => [data.from_stage_id, data.to_stage_id]);
    const kept = await storedHistory.all(app, { object_id: id }, { columns: ['revision', 'changes'], orderBy: 'revision' });
    expect(kept.map(({ revision }) => revision)).toEqual(kept.map((_, index) => index + 1));
    const path = kept.slice(1).flatMap(({ changes }) => (changes.stage_id ? [[changes.stage_id.from, changes.stage_id.to]] : []));
    expect(told).toEqual(path);
    const [{ stage_id }] = (await storedDeals.all(app, id, { columns: ['stage_id'] })) as [Body];
    expect(path.at(-1)?.[1] ?? made.stages.first).toBe(stage_id);
  }
  const places = await storedDeals.all(app, { organization_id: organizationId }, { columns: ['stage_id', 'position'] });
  expect(new Set(places.map(({ stage_id, position }) => `${stage_id} ${position}`)).size).toBe(50);
});
