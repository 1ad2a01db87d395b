import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { runJobOfRule } from '../../../src/automation/runs/run-job.ts';
import { type RunState, runMoves, runStates } from '../../../src/automation/states.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { useApp } from '../../support/app.ts';
import { automationRun, rule, stepOf } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedRules, storedRuns, storedSteps, storedWaits } from '../../support/stored/automation.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({});
let ruleId: string;
let contactId: string;
beforeAll(async () => {
  await app.connect();
});
beforeEach(async () => {
  ruleId = (await rule(app.em(), app.tenant.organizationId)).id;
  contactId = (await contact(app.em(), app.tenant.organizationId)).id;
});

async function run(state: RunState, given: { isExclusive?: boolean; contactId?: string } = {}): Promise<string> {
  const { organizationId } = app.tenant;
  const { id } = await automationRun(app.em(), organizationId, { ruleId, state, contactId, ...given });
  if (state !== 'queued' && state !== 'running') return id;
  const jobId = await transactFor(app.web.deps.ledger.transact, organizationId)({}, async ({ own }) =>
    own.enqueue(runJobOfRule, { run_id: id }),
  );
  await storedRuns.change(app, id, { job_id: jobId });
  return id;
}
const move = (what: 'cancel' | 'retry', runID: string, key?: string) =>
  app.call(`automation.runs.${what}`, { params: { runID }, ...(key && { key }) });
const rowOf = (id: string) => storedRuns.one(app, id);
const jobsOf = (id: string) => storedJobs.all(app, { subject_id: id, name: 'automation.run' }, { columns: ['state'] });

test.each((['cancel', 'retry'] as const).flatMap((what) => runStates.map((state) => [what, state] as const)))(
  '%s of a run that is %s',
  async (what, state) => {
    const id = await run(state);
    const to = runMoves[what][state];
    const { status, body } = await move(what, id);
    if (!to) {
      expect(status).toBe(409);
      expect(body.error.message).toContain(state);
      expect(body.error.details).toEqual([expect.objectContaining({ code: 'run.state', field: 'runID', location: 'path' })]);
      expect(await rowOf(id)).toMatchObject({ state });
      return;
    }
    expect([status, body.state]).toEqual([200, to]);
    expect(await rowOf(id)).toMatchObject({ state: to });
  },
);

test('a cancelled run has no job, no wait and no step that waits', async () => {
  const id = await run('running');
  const { organizationId } = app.tenant;
  await stepOf(app.em(), organizationId, id, { state: 'waiting' });
  await storedWaits.add(app, {
    organization_id: organizationId,
    run_id: id,
    event_type: 'message.new',
    subject_type: 'contact',
    subject_id: contactId,
  });
  const { body } = await move('cancel', id);
  expect(body).toMatchObject({ state: 'cancelled', reason: 'asked', waiting_for: null, wakes_at: null });
  expect(body.ended_at).not.toBeNull();
  expect(await jobsOf(id)).toEqual([]);
  expect(await storedWaits.count(app, { run_id: id })).toBe(0);
  expect(await storedSteps.all(app, { run_id: id }, { columns: ['state'] })).toEqual([{ state: 'skipped' }]);
  expect((await move('cancel', id)).body).toEqual(body);
});

test('a retried run is queued, with one job; asked twice at once, one of the two is a 409', async () => {
  const id = await run('failed');
  const replies = await Promise.all([move('retry', id), move('retry', id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await rowOf(id)).toMatchObject({ state: 'queued', retries: 1, error: null, failed_step: null, ended_at: null });
  expect(await jobsOf(id)).toHaveLength(1);
});

test('no retry without its subject, its rule, or beside another that lives', async () => {
  const ofNobody = await run('failed', { contactId });
  const refusal = async (id: string) => {
    const { status, body } = await move('retry', id);
    return [status, body.error.details[0].code];
  };
  await storedContacts.remove(app, contactId);
  expect(await refusal(ofNobody)).toEqual([409, 'run.subject_gone']);
  contactId = (await contact(app.em(), app.tenant.organizationId)).id;
  const second = await run('failed', { isExclusive: true });
  const first = await run('running', { isExclusive: true });
  expect(await refusal(second)).toEqual([409, 'run.subject_busy']);
  await move('cancel', first);
  await storedRules.change(app, ruleId, { deleted_at: now() });
  expect(await refusal(second)).toEqual([409, 'run.rule_deleted']);
  expect(await rowOf(second)).toMatchObject({ state: 'failed', retries: 0 });
});

test("nobody's run and another organization's: 404", async () => {
  const { key } = await app.organization();
  const id = await run('running');
  for (const what of ['cancel', 'retry'] as const) {
    for (const one of [uuidv7(), 'no-uuid']) expect((await move(what, one)).status).toBe(404);
    expect((await move(what, id, key)).status).toBe(404);
  }
  expect(await rowOf(id)).toMatchObject({ state: 'running' });
});

test('no retry once the version that the run began with is no longer kept', async () => {
  const id = await run('failed');
  await storedRuns.change(app, id, { version: 7 });
  const { status, body } = await move('retry', id);
  expect([status, body.error?.details?.[0]?.code]).toEqual([409, 'run.version_gone']);
  expect(await rowOf(id)).toMatchObject({ state: 'failed', retries: 0 });
});

test('no retry once the event that the run reads was purged, whether it began it or a step waited for it', async () => {
  const id = await run('failed');
  const event = uuidv7();
  const set = (values: string, params: unknown[]) =>
    app.rows(`update automation_runs set ${values} where id = $1`, [id, ...params]);
  const refused = async () => {
    const { status, body } = await move('retry', id);
    expect([status, body.error?.details?.[0]?.code]).toEqual([409, 'run.event_gone']);
    expect(await rowOf(id)).toMatchObject({ state: 'failed', retries: 0 });
  };
  await set('event_id = $2', [event]);
  await refused();
  await set(`event_id = null, position = jsonb_build_object('at', jsonb_build_array(0), 'event_id', $2::text)`, [event]);
  await refused();
  await storedEvents.add(app, {
    organization_id: app.tenant.organizationId,
    id: event,
    type: 'contact.updated',
    subject_type: 'contact',
    subject_id: contactId,
    data: {},
  });
  expect((await move('retry', id)).status).toBe(200);
});

test('a retry needs the scopes of what the rule does, as its publication', async () => {
  const id = await run('failed');
  const { key } = await app.key(app.tenant.organizationId, ['automation:trigger']);
  const { status, body } = await move('retry', id, key);
  expect([status, body.error.code]).toEqual([403, 'forbidden']);
  expect(body.error.message).toContain('contacts:write');
  expect((await app.call('automation.runs.retry-many', { key, body: { rule_id: ruleId } })).status).toBe(403);
  expect(await rowOf(id)).toMatchObject({ state: 'failed' });
  const both = await app.key(app.tenant.organizationId, ['automation:trigger', 'contacts:write']);
  expect((await move('retry', id, both.key)).status).toBe(200);
});
