import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { removeStage } from '../../../workers/crm/remove-pipeline.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { waitFor } from '../../support/wait-for.ts';
import { dealRows, stageRows } from '../../support/work/crm.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, requeue } from '../../support/work/jobs.ts';

const app = useApp({ workers: true });
let own: Tenant;
let sales: PipelineMade;
beforeEach(async () => {
  own = await app.organization();
  sales = await pipeline(app.em(), own.organizationId);
});
afterEach(async () => {
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

const fill = (stageId: string, count: number) =>
  app.rows(
    `insert into deals (organization_id, id, title, status, currency_code, home_currency_at_write, pipeline_id, stage_id)
     select $1, uuidv7(), 'Deal ' || n, 'open', 'USD', 'USD', $2, $3
       from generate_series(1, $4::int) n`,
    [own.organizationId, sales.id, stageId, count],
  );
const countIn = (stageId: string): Promise<number> => dealRows.count(app, { stage_id: stageId });
const told = () => eventRows.count(app, { organization_id: own.organizationId, type: 'deal.stage_changed' });

async function ended(id: string): Promise<Body> {
  return waitFor('the end of the operation', async () => {
    const { body } = await app.call('operations.get', { key: own.key, params: { operationID: id } });
    return ['succeeded', 'failed'].includes(body.status) && body;
  });
}

async function remove(stageID: string, move_to: string): Promise<string> {
  const params = { pipelineID: sales.id, stageID };
  const reply = await app.call('crm.pipelines.stages.delete', { key: own.key, params, query: { move_to } });
  expect(reply.status).toBe(202);
  const { name } = await jobRows.one(app, reply.body.operation_id, ['name']);
  expect(name).toBe(removeStage.contract.name);
  return reply.body.operation_id;
}

/** The job as it stood, to be run once more. */
async function again(id: string, payload: object = {}): Promise<Body> {
  const job = await jobRows.one(app, id);
  await jobRows.change(app, id, { payload: { ...job.payload, ...payload } });
  await requeue(app, id);
  return ended(id);
}

test('a second run of a removal that is done changes nothing', async () => {
  await fill(sales.stages.first, 120);
  const id = await remove(sales.stages.first, sales.stages.second);
  expect((await ended(id)).status).toBe('succeeded');
  expect([await countIn(sales.stages.second), await told()]).toEqual([120, 120]);
  expect((await again(id)).status).toBe('succeeded');
  expect([await countIn(sales.stages.second), await told()]).toEqual([120, 120]);
});

test('a run that was cut off is gone on with: what was moved is not moved again', async () => {
  await fill(sales.stages.first, 120);
  const id = await remove(sales.stages.first, sales.stages.second);
  await ended(id);
  // As after a worker that died between two steps: some deals are there already, others are not, and the stage is.
  await stageRows.add(app, {
    organization_id: own.organizationId,
    id: sales.stages.first,
    pipeline_id: sales.id,
    name: 'first',
    kind: 'open',
    probability: 10,
    position: 0,
  });
  await fill(sales.stages.first, 130);
  expect((await again(id)).status).toBe('succeeded');
  expect([await countIn(sales.stages.second), await told()]).toEqual([250, 250]);
  expect(await stageRows.count(app, sales.stages.first)).toBe(0);
});

test('without the stage that was to take the deals it fails, and each deal stays where it is', async () => {
  await fill(sales.stages.first, 120);
  const id = await remove(sales.stages.first, sales.stages.second);
  await ended(id);
  await fill(sales.stages.third, 150);
  const { status, error } = await again(id, { stage_id: sales.stages.third, move_to: sales.stages.first });
  expect([status, error.code]).toEqual(['failed', 'invalid_request']);
  expect([await countIn(sales.stages.third), await told()]).toEqual([150, 120]);
});
