import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { leaveDeals } from '../../../src/contacts/erasure/erase-deals.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { storedDeals, storedHistory } from '../../support/stored/crm.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let own: Tenant;
let sales: Body;
beforeEach(async () => {
  own = await app.organization();
  sales = await create('Sales');
});
afterEach(async () => {
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

const create = async (name: string): Promise<Body> =>
  (await app.call('crm.pipelines.create', { key: own.key, body: { name } })).body;
const get = async (pipelineID: string): Promise<Body> =>
  (await app.call('crm.pipelines.get', { key: own.key, params: { pipelineID } })).body;
const list = async () => (await app.call('crm.pipelines.list', { key: own.key })).body.items as Body[];
const stageNamed = ({ stages }: Body, name: string): string => stages.find((stage: Body) => stage.name === name).id;
const removeStage = (stageID: string, query = {}, headers = {}, pipelineID = sales.id) =>
  app.call('crm.pipelines.stages.delete', { key: own.key, params: { pipelineID, stageID }, query, headers });
const remove = (pipelineID: string, query = {}, headers = {}) =>
  app.call('crm.pipelines.delete', { key: own.key, params: { pipelineID }, query, headers });

const deal = async (stage_id: string, more = {}): Promise<Body> => {
  const body = { title: 'Renewal', amount_minor: '100', stage_id, ...more };
  return (await app.call('crm.deals.create', { key: own.key, body })).body;
};
const dealNow = async (dealID: string): Promise<Body> =>
  (await app.call('crm.deals.get', { key: own.key, params: { dealID } })).body;
const historyOf = async (dealID: string): Promise<Body[]> =>
  (await app.call('crm.deals.history', { key: own.key, params: { dealID } })).body.items;
const names = async () => (await get(sales.id)).stages.map(({ name, position }: Body) => `${position} ${name}`);

/** Deals as a busy year leaves them, with their first revision. */
async function many(count: number, stageId: string, status = 'open', pipelineId = sales.id): Promise<void> {
  const organization_id = own.organizationId;
  const deals = await storedDeals.addMany(app, count, (n) => ({
    organization_id,
    title: `Deal ${n}`,
    status,
    currency_code: 'USD',
    home_currency_at_write: 'USD',
    pipeline_id: pipelineId,
    stage_id: stageId,
    closed_at: status === 'open' ? null : now(),
  }));
  await storedHistory.addAll(
    app,
    deals.map((object_id) => ({ organization_id, object_id, revision: 1, object_kind: 'deal', actor: 'system', changes: {} })),
  );
}
const operation = (id: string) =>
  waitFor('the end of the operation', async () => {
    const { body } = await app.call('operations.get', { key: own.key, params: { operationID: id } });
    return ['succeeded', 'failed'].includes(body.status) && body;
  });
const countIn = async (stageId: string): Promise<number> => await storedDeals.count(app, { stage_id: stageId });

describe('a stage', () => {
  test('without deals goes at once, and the others move up', async () => {
    const reply = await removeStage(stageNamed(sales, 'Qualified'));
    expect(reply.status).toBe(204);
    expect(await names()).toEqual(['0 New', '1 Proposal', '2 Won', '3 Lost']);
    expect((await actsOf(app, reply))[0]).toMatchObject({
      subject: `pipeline:${sales.id}`,
      details: { stage_id: stageNamed(sales, 'Qualified'), move_to: null },
    });
    expect((await removeStage(stageNamed(sales, 'Qualified'))).status).toBe(404);
  });

  test('with deals is a 409 that counts them, and stays', async () => {
    const stage = stageNamed(sales, 'New');
    await deal(stage);
    const binned = await deal(stage);
    await app.call('crm.deals.delete', { key: own.key, params: { dealID: binned.id } });
    const reply = await removeStage(stage);
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'move_to', code: 'stage.in_use', value: '2' })]);
    expect(await names()).toHaveLength(5);
  });

  test('goes when move_to takes its deals: each is a change of the deal, in the order of the stage', async () => {
    const [from, to] = [stageNamed(sales, 'New'), stageNamed(sales, 'Proposal')];
    const there = await deal(to);
    const moved = [await deal(from), await deal(from)];
    expect((await removeStage(from, { move_to: to })).status).toBe(204);
    expect(await names()).toEqual(['0 Qualified', '1 Proposal', '2 Won', '3 Lost']);
    for (const before of moved) {
      const after = await dealNow(before.id);
      expect(after).toMatchObject({ stage_id: to, status: 'open', revision: before.revision + 1, probability: 60 });
      const [change] = await historyOf(before.id);
      expect(change).toMatchObject({ revision: after.revision, actor: `key:${own.keyId}` });
      expect(change!.changes.stage_id).toEqual({ from, to });
      const events = await app.events(before.id);
      expect(events.map(({ type }) => type)).toEqual(['deal.created', 'deal.stage_changed', 'deal.updated']);
      expect(events[1]!.data).toMatchObject({ from_stage_id: from, to_stage_id: to, status: 'open' });
    }
    const board = await app.call('crm.deals.list', {
      key: own.key,
      query: { sort: 'position', filters: JSON.stringify([{ field: 'stage_id', operator: 'eq', value: to }]) },
    });
    expect(board.body.items.map(({ id }: Body) => id)).toEqual([there.id, ...moved.map(({ id }) => id)]);
  });

  test('goes while a person is erased who is in its deals: both changes are in the history', async () => {
    const [from, to] = [stageNamed(sales, 'New'), stageNamed(sales, 'Proposal')];
    const { body } = await app.call('contacts.create', { key: own.key, body: { phone_number: `+${app.phone()}` } });
    const { id } = await deal(from, { contacts: [{ contact_id: body.data.id }] });
    let removal: Promise<Reply> | undefined;
    const transact = transactFor(app.web.deps.ledger.transact, own.organizationId);
    await transact({}, async ({ own: tx }) => {
      await leaveDeals(tx, body.data.id, []);
      removal = removeStage(from, { move_to: to });
      await waitFor('the removal to wait for the erasure', () => waitsForLock(app, '"deals"'));
    });
    expect((await removal!).status).toBe(204);
    expect((await dealNow(id)).stage_id).toBe(to);
    const [moved, gone] = await historyOf(id);
    expect(moved).toMatchObject({ revision: 3, changes: { stage_id: { from, to } } });
    expect(gone).toMatchObject({ revision: 2, changes: { contacts: { to: [] } } });
  });

  test('takes the deals in the bin along, of which nobody is told', async () => {
    const [from, to] = [stageNamed(sales, 'New'), stageNamed(sales, 'Proposal')];
    const binned = await deal(from);
    await app.call('crm.deals.delete', { key: own.key, params: { dealID: binned.id } });
    const told = (await app.events(binned.id)).length;
    expect((await removeStage(from, { move_to: to })).status).toBe(204);
    expect(await app.events(binned.id)).toHaveLength(told);
    const restored = await app.call('crm.deals.restore', { key: own.key, params: { dealID: binned.id } });
    expect(restored.body).toMatchObject({ stage_id: to, revision: 4 });
    expect((await historyOf(binned.id))[1]!.changes.stage_id).toEqual({ from, to });
  });

  test('closed deals stay closed, with their money and their time', async () => {
    const spam = (
      await app.call('crm.pipelines.stages.create', {
        key: own.key,
        params: { pipelineID: sales.id },
        body: { name: 'Spam', kind: 'lost' },
      })
    ).body.id;
    const lost = await deal(spam);
    expect((await removeStage(spam, { move_to: stageNamed(sales, 'Lost') })).status).toBe(204);
    const { status, closed_at, amount_in_home_currency } = await dealNow(lost.id);
    expect({ status, closed_at, amount_in_home_currency }).toEqual({
      status: 'lost',
      closed_at: lost.closed_at,
      amount_in_home_currency: lost.amount_in_home_currency,
    });
    expect((await app.events(lost.id)).filter(({ type }) => type === 'deal.closed')).toHaveLength(1);
  });

  test.each([
    ['a stage of another kind', () => stageNamed(sales, 'Won')],
    ['itself', () => stageNamed(sales, 'New')],
    ['one nobody knows', () => '0193ffff-3a0e-7cc4-8f4e-0242ac120004'],
  ])('does not go to %s', async (_what, target) => {
    await deal(stageNamed(sales, 'New'));
    const reply = await removeStage(stageNamed(sales, 'New'), { move_to: target() });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'move_to', location: 'query' })]);
    expect(await names()).toHaveLength(5);
  });

  test('that is the last of its kind, or one of three, stays', async () => {
    expect((await removeStage(stageNamed(sales, 'Won'))).status).toBe(409);
    await removeStage(stageNamed(sales, 'New'));
    await removeStage(stageNamed(sales, 'Qualified'));
    expect((await removeStage(stageNamed(sales, 'Proposal'))).status).toBe(409);
    expect(await names()).toEqual(['0 Proposal', '1 Won', '2 Lost']);
  });

  test('with many deals is removed by an operation, and asked for twice is no error', async () => {
    const [from, to] = [stageNamed(sales, 'New'), stageNamed(sales, 'Proposal')];
    await many(230, from);
    const replies = await Promise.all([removeStage(from, { move_to: to }), removeStage(from, { move_to: to })]);
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect(replies[0]!.body).toEqual({ operation_id: replies[0]!.headers.get('operation-id'), deals: 230 });
    for (const { body } of replies) expect((await operation(body.operation_id)).status).toBe('succeeded');
    expect(await names()).toEqual(['0 Qualified', '1 Proposal', '2 Won', '3 Lost']);
    expect(await countIn(to)).toBe(230);
    const revisions = await app.rows(
      `select d.revision, h.revisions, e.events
         from deals d
         join lateral (select count(*)::int as revisions from crm_history where object_id = d.id) h on true
         join lateral (select count(*)::int as events from events where subject_id = d.id and type = 'deal.stage_changed') e on true
        where d.stage_id = $1`,
      [to],
    );
    expect(new Set(revisions.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify({ revision: 2, revisions: 2, events: 1 })]),
    );
  });
});

describe('a pipeline', () => {
  test('without deals goes, and the default passes to the oldest one', async () => {
    const second = await create('Partners');
    await create('Renewals');
    expect((await remove(sales.id)).status).toBe(204);
    expect((await get(second.id)).is_default).toBe(true);
    expect((await list()).map(({ name }) => name)).toEqual(['Renewals', 'Partners']);
    expect((await remove(sales.id)).status).toBe(404);
  });

  test('with deals is a 409 that counts them, also when it is the only one', async () => {
    await deal(stageNamed(sales, 'New'));
    const reply = await remove(sales.id);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ code: 'pipeline.in_use', value: '1' })]);
    expect((await remove(sales.id, { move_to: sales.id })).status).toBe(422);
    expect(await list()).toHaveLength(1);
  });

  test('goes when another one takes its deals, each in the first stage of its status', async () => {
    const target = await create('Partners');
    const won = await deal(stageNamed(sales, 'Won'));
    const open = await deal(stageNamed(sales, 'Proposal'));
    expect((await remove(sales.id, { move_to: target.id })).status).toBe(204);
    expect(await dealNow(won.id)).toMatchObject({ pipeline_id: target.id, stage_id: stageNamed(target, 'Won'), status: 'won' });
    expect(await dealNow(open.id)).toMatchObject({ pipeline_id: target.id, stage_id: stageNamed(target, 'New') });
    expect((await get(target.id)).is_default).toBe(true);
  });

  test('with many deals is removed by an operation', async () => {
    const target = await create('Partners');
    await many(120, stageNamed(sales, 'New'));
    await many(120, stageNamed(sales, 'Lost'), 'lost');
    const reply = await remove(sales.id, { move_to: target.id }, { prefer: 'wait=20' });
    expect(reply.status).toBe(202);
    expect((await operation(reply.body.operation_id)).status).toBe('succeeded');
    expect(await list()).toEqual([expect.objectContaining({ id: target.id, is_default: true })]);
    expect([await countIn(stageNamed(target, 'New')), await countIn(stageNamed(target, 'Lost'))]).toEqual([120, 120]);
  });

  test('of another organization is a 404, and takes no deals', async () => {
    await deal(stageNamed(sales, 'New'));
    const [mine, theirs] = [sales, own];
    own = await app.organization();
    const other = await create('Theirs');
    expect((await remove(mine.id)).status).toBe(404);
    expect((await remove(other.id, { move_to: mine.id })).status).toBe(422);
    own = theirs;
    expect((await remove(mine.id, { move_to: other.id })).status).toBe(422);
    expect(await countIn(stageNamed(mine, 'New'))).toBe(1);
  });
});
