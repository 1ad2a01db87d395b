import { beforeEach, describe, expect, test } from '@jest/globals';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';

const app = useApp();
let own: Tenant;
let pipelineID: string;
beforeEach(async () => {
  own = await app.organization();
  const stages = [
    { name: 'New', kind: 'open', probability: 10 },
    { name: 'Won', kind: 'won' },
    { name: 'Lost', kind: 'lost' },
  ];
  pipelineID = (await app.call('crm.pipelines.create', { key: own.key, body: { name: 'Sales', stages } })).body.id;
});

const create = (body: object, key = own.key) => app.call('crm.pipelines.stages.create', { key, params: { pipelineID }, body });
const patch = (stageID: string, body: object, key = own.key) =>
  app.call('crm.pipelines.stages.update', { key, params: { pipelineID, stageID }, body });
const stages = async (): Promise<Body[]> =>
  (await app.call('crm.pipelines.get', { key: own.key, params: { pipelineID } })).body.stages;
const order = async () => (await stages()).map(({ name, position }) => `${position} ${name}`);

test('a stage goes to the end, or to its place among the others', async () => {
  const last = await create({ name: 'Nurture', kind: 'open' });
  expect(last.status).toBe(201);
  expect(last.body).toEqual({ id: expect.any(String), name: 'Nurture', kind: 'open', probability: 50, position: 3 });
  expect(last.headers.get('location')).toBe(`/v1/crm/pipelines/${pipelineID}/stages/${last.body.id}`);
  expect((await actsOf(app, last))[0]).toMatchObject({ subject: `pipeline:${pipelineID}`, details: { stage_id: last.body.id } });
  await create({ name: 'Offer', kind: 'open', probability: 70, position: 1 });
  expect(await order()).toEqual(['0 New', '1 Offer', '2 Won', '3 Lost', '4 Nurture']);
  await create({ name: 'First', kind: 'open', position: 0 });
  await create({ name: 'Far', kind: 'lost', position: 50 });
  expect(await order()).toEqual(['0 First', '1 New', '2 Offer', '3 Won', '4 Lost', '5 Nurture', '6 Far']);
});

test('twenty made at once have twenty places', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => create({ name: `S${n}`, kind: 'open', position: 1 })));
  expect((await stages()).map(({ position }) => position)).toEqual(Array.from({ length: 23 }, (_, n) => n));
});

test('name and probability change, the kind does not', async () => {
  const [first, second] = await stages();
  const reply = await patch(first!.id, { name: 'Fresh', probability: 15 });
  expect(reply.body).toEqual({ ...first, name: 'Fresh', probability: 15 });
  expect((await actsOf(app, reply))[0]).toMatchObject({ subject: `pipeline:${pipelineID}`, details: { stage_id: first!.id } });
  const got = await app.call('crm.pipelines.stages.get', { key: own.key, params: { pipelineID, stageID: first!.id } });
  expect(got.body).toEqual(reply.body);
  expect((await patch(first!.id, { kind: 'won' })).status).toBe(422);
  const certain = await patch(second!.id, { probability: 99 });
  expect([certain.status, certain.body.error.details[0].field]).toEqual([422, 'probability']);
  expect((await patch(second!.id, { probability: 100 })).status).toBe(200);
});

test('a pipeline has at most 50', async () => {
  await app.rows(
    `insert into pipeline_stages (organization_id, id, pipeline_id, name, kind, probability, position)
     select $1, uuidv7(), $2, 'S', 'open', 0, n from generate_series(3, 48) n`,
    [own.organizationId, pipelineID],
  );
  expect((await create({ name: 'The last', kind: 'open' })).status).toBe(201);
  const refused = await create({ name: 'One more', kind: 'open' });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
});

test('a stage of another pipeline or organization is a 404', async () => {
  const other = await app.organization();
  const [first] = await stages();
  expect((await patch(first!.id, { name: 'Mine' }, other.key)).status).toBe(404);
  expect((await create({ name: 'Mine', kind: 'open' }, other.key)).status).toBe(404);
  const second = await app.call('crm.pipelines.create', { key: own.key, body: { name: 'Second' } });
  const params = { pipelineID: second.body.id, stageID: first!.id };
  expect((await app.call('crm.pipelines.stages.get', { key: own.key, params })).status).toBe(404);
  expect((await app.call('crm.pipelines.stages.update', { key: own.key, params, body: { name: 'X' } })).status).toBe(404);
  expect(await order()).toEqual(['0 New', '1 Won', '2 Lost']);
});

describe('what is refused, with nothing made', () => {
  test.each([
    ['no kind', { name: 'A' }, 'kind'],
    ['no name', { kind: 'open' }, 'name'],
    ['an unknown kind', { name: 'A', kind: 'OPEN' }, 'kind'],
    ['a won stage that is not certain', { name: 'A', kind: 'won', probability: 50 }, 'probability'],
    ['a lost stage that may be won', { name: 'A', kind: 'lost', probability: 50 }, 'probability'],
    ['a place below 0', { name: 'A', kind: 'open', position: -1 }, 'position'],
    ['a place as text', { name: 'A', kind: 'open', position: '1' }, 'position'],
    ['less than 0 percent', { name: 'A', kind: 'open', probability: -1 }, 'probability'],
  ])('%s', async (_what, body, field) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field, location: 'body' })]);
    expect(await order()).toEqual(['0 New', '1 Won', '2 Lost']);
  });
});
