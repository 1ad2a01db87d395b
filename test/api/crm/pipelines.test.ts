import { beforeEach, describe, expect, test } from '@jest/globals';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedPipelines } from '../../support/stored/crm.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const open = { name: 'New', kind: 'open' };
const [won, lost] = [
  { name: 'Won', kind: 'won' },
  { name: 'Lost', kind: 'lost' },
];
const create = (body: object = { name: 'Sales', stages: [open, won, lost] }, key = own.key) =>
  app.call('crm.pipelines.create', { key, body });
const get = async (pipelineID: string) => (await app.call('crm.pipelines.get', { key: own.key, params: { pipelineID } })).body;
const patch = (pipelineID: string, body: object, key = own.key) =>
  app.call('crm.pipelines.update', { key, params: { pipelineID }, body });
const list = async (query = {}, key = own.key) => (await app.call('crm.pipelines.list', { key, query })).body;
const namesIn = ({ stages }: Body) => stages.map(({ name }: Body) => name);

test('a pipeline has its stages in order, each with the probability of its kind', async () => {
  const reply = await create();
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    id: expect.any(String),
    name: 'Sales',
    is_default: true,
    needs_lost_reason: false,
    stages: [
      { id: expect.any(String), name: 'New', kind: 'open', probability: 50, position: 0 },
      { id: expect.any(String), name: 'Won', kind: 'won', probability: 100, position: 1 },
      { id: expect.any(String), name: 'Lost', kind: 'lost', probability: 0, position: 2 },
    ],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(reply.headers.get('location')).toBe(`/v1/crm/pipelines/${reply.body.id}`);
  expect(await get(reply.body.id)).toEqual(reply.body);
  expect((await list()).items).toEqual([reply.body]);
  expect((await actsOf(app, reply))[0]).toMatchObject({
    action: 'crm.pipelines.create',
    subject: `pipeline:${reply.body.id}`,
  });
});

test('without stages it begins with five', async () => {
  const { body } = await create({ name: 'Sales', needs_lost_reason: true });
  expect(namesIn(body)).toEqual(['New', 'Qualified', 'Proposal', 'Won', 'Lost']);
  expect(body.needs_lost_reason).toBe(true);
});

test('one is the default: the first, until another takes its place', async () => {
  const first = (await create()).body;
  const second = (await create({ name: 'Partners' })).body;
  expect([first.is_default, second.is_default]).toEqual([true, false]);
  expect((await patch(second.id, { is_default: true })).body.is_default).toBe(true);
  expect((await get(first.id)).is_default).toBe(false);
  const third = (await create({ name: 'Renewals', is_default: true })).body;
  expect(third.is_default).toBe(true);
  const refused = await patch(third.id, { is_default: false });
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'is_default']);
  expect((await list()).items.map(({ name, is_default }: Body) => [name, is_default])).toEqual([
    ['Renewals', true],
    ['Partners', false],
    ['Sales', false],
  ]);
});

test('ten made the default at once leave one default', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, async (_, n) => (await create({ name: `P${n}` })).body.id));
  await Promise.all(ids.map((id) => patch(id, { is_default: true })));
  expect((await list()).items.filter(({ is_default }: Body) => is_default)).toHaveLength(1);
});

test('a change shows in the reply, and what is not named stays', async () => {
  const { id, ...before } = (await create()).body;
  const reply = await patch(id, { name: '  Großkunden ', needs_lost_reason: true });
  expect(reply.body).toEqual({ id, ...before, name: 'Großkunden', needs_lost_reason: true, updated_at: expect.any(String) });
  expect((await actsOf(app, reply))[0]).toMatchObject({ details: { changed: ['name', 'needs_lost_reason'] } });
});

test('stages take the order that is asked for', async () => {
  const { id, stages } = (await create()).body;
  const ids = stages.map((stage: Body) => stage.id).reverse();
  const { body } = await patch(id, { stage_ids: ids });
  expect(namesIn(body)).toEqual(['Lost', 'Won', 'New']);
  expect(body.stages.map(({ position }: Body) => position)).toEqual([0, 1, 2]);
  const strange = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
  for (const stage_ids of [ids.slice(1), [...ids, strange], [ids[0], ids[0], ids[1]], [ids[0], ids[1], strange], []]) {
    const refused = await patch(id, { stage_ids });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'stage_ids']);
  }
  expect(namesIn(await get(id))).toEqual(['Lost', 'Won', 'New']);
});

test('an organization has at most 50', async () => {
  await storedPipelines.addMany(app, 49, (n) => ({ organization_id: own.organizationId, name: `P${n}` }));
  expect((await create()).status).toBe(201);
  const refused = await create();
  expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
});

test('another organization sees and changes none of them', async () => {
  const { id } = (await create()).body;
  const other = await app.organization();
  expect((await list({}, other.key)).items).toEqual([]);
  expect((await patch(id, { name: 'Mine' }, other.key)).status).toBe(404);
  expect((await create(undefined, other.key)).body.is_default).toBe(true);
  expect((await get(id)).name).toBe('Sales');
});

test('a key without the scope reads and writes nothing', async () => {
  const { key } = await app.key(own.organizationId, ['crm:read', 'crm:write', 'crm_schema:read']);
  expect((await create(undefined, key)).status).toBe(403);
  expect((await list({}, key)).items).toEqual([]);
});

describe('what is refused, with nothing made', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `S${n}`, kind: 'open' }));
  test.each([
    ['no name', { stages: [open, won, lost] }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name too long', { name: 'x'.repeat(201) }, 'name'],
    ['a text for a flag', { name: 'A', is_default: 'true' }, 'is_default'],
    ['two stages', { name: 'A', stages: [won, lost] }, 'stages'],
    ['51 stages', { name: 'A', stages: [...many(49), won, lost] }, 'stages'],
    ['none open', { name: 'A', stages: [won, lost, lost] }, 'stages'],
    ['none won', { name: 'A', stages: [open, open, lost] }, 'stages'],
    ['none lost', { name: 'A', stages: [open, open, won] }, 'stages'],
    ['an unknown kind', { name: 'A', stages: [open, won, { name: 'L', kind: 'closed' }] }, 'stages[2].kind'],
    ['a won stage that is not certain', { name: 'A', stages: [open, { ...won, probability: 90 }, lost] }, 'stages[1]'],
    ['a lost stage that may be won', { name: 'A', stages: [open, won, { ...lost, probability: 1 }] }, 'stages[2]'],
    ['101 percent', { name: 'A', stages: [{ ...open, probability: 101 }, won, lost] }, 'stages[0].probability'],
    ['half a percent', { name: 'A', stages: [{ ...open, probability: 0.5 }, won, lost] }, 'stages[0].probability'],
    ['percent as text', { name: 'A', stages: [{ ...open, probability: '10' }, won, lost] }, 'stages[0].probability'],
    ['an id of its own', { name: 'A', id: 'x' }, 'id'],
  ])('%s', async (_what, body, field) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details.map((detail: Body) => detail.field)).toContain(field);
    expect((await list()).items).toEqual([]);
  });
});
