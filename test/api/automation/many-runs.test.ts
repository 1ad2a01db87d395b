import { beforeAll, expect, test } from '@jest/globals';
import type { RunState } from '../../../src/automation/states.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { automationRun, rule } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedRuns } from '../../support/stored/automation.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let ruleId: string;
let otherRule: string;
beforeAll(async () => {
  ruleId = (await rule(app.em(), app.tenant.organizationId)).id;
  otherRule = (await rule(app.em(), app.tenant.organizationId)).id;
});

const person = async () => (await contact(app.em(), app.tenant.organizationId)).id;
const run = async (state: RunState, given: object = {}): Promise<string> =>
  (await automationRun(app.em(), app.tenant.organizationId, { ruleId, state, contactId: await person(), ...given })).id;
const statesOf = async (ids: string[]) => {
  const rows = await storedRuns.all(app, ids, { columns: ['id', 'state'] });
  return ids.map((id) => rows.find((row) => row.id === id)!.state);
};

async function ended(operationID: string) {
  await waitFor('the operation', async () => {
    const { body } = await app.call('operations.get', { params: { operationID } });
    return body.status === 'succeeded';
  });
  return (await app.call('operations.get', { params: { operationID } })).body;
}

test('live runs of a rule are cancelled, and no other; the operation says how many', async () => {
  const live = [await run('queued'), await run('running')];
  const others = [await run('succeeded'), await run('failed'), await run('running', { ruleId: otherRule })];
  const before = await statesOf(others);
  const reply = await app.call('automation.runs.cancel-many', { body: { rule_id: ruleId } });
  expect(reply.status).toBe(202);
  expect(reply.headers.get('location')).toBe(`/v1/operations/${reply.body.operation_id}`);
  expect(reply.headers.get('operation-id')).toBe(reply.body.operation_id);
  const operation = await ended(reply.body.operation_id);
  expect(operation).toMatchObject({ name: 'automation.cancel-runs', progress: { done: 2, left: 0 } });
  expect(await statesOf(live)).toEqual(['cancelled', 'cancelled']);
  expect(await statesOf(others)).toEqual(before);
  const [log] = await listedActs(app, { action: 'automation.runs.cancel-many' }, { columns: ['details'] });
  expect(log).toEqual({ details: { rule_id: ruleId } });
});

test('by state, by a person, by a time', async () => {
  const contact_id = await person();
  const [waits, queued] = [await run('running', { contactId: contact_id }), await run('queued', { contactId: contact_id })];
  const old = await run('running', { contactId: contact_id, createdAt: '2026-01-01T00:00:00.000Z' });
  const body = { contact_id, state: 'running', since: '2026-01-02' };
  await ended((await app.call('automation.runs.cancel-many', { body })).body.operation_id);
  expect(await statesOf([waits, queued, old])).toEqual(['cancelled', 'queued', 'running']);
});

test('an empty filter, half a subject, a state it does not lead from: 422', async () => {
  for (const what of ['cancel-many', 'retry-many'])
    for (const body of [{}, { subject_id: uuidv7() }, { state: 'succeeded' }, { rule_id: 'x' }, { cursor: '1' }]) {
      const { status } = await app.call(`automation.runs.${what}`, { body });
      expect([what, body, status]).toEqual([what, body, 422]);
    }
});

test('another organization’s runs are out of reach', async () => {
  const { key } = await app.organization();
  const id = await run('running');
  const { body } = await app.call('automation.runs.cancel-many', { key, body: { rule_id: ruleId } });
  await waitFor('the operation', async () => {
    const { body: operation } = await app.call('operations.get', { key, params: { operationID: body.operation_id } });
    return operation.status === 'succeeded';
  });
  expect(await statesOf([id])).toEqual(['running']);
});
