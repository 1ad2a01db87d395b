import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AutomationWait } from '../../../../src/automation/run.entity.ts';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { contactUpdated } from '../../../../src/platform/events/catalogue.ts';
import { isHeard } from '../../../../src/platform/events/record.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { Job } from '../../../../src/platform/ledger/jobs.entity.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import type { EmitOptions } from '../../../../src/platform/ledger/tx.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { automationRun } from '../../../support/factories/automation.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { pauseRule } from '../../../support/rules/automation.ts';
import { deleteEndpoints } from '../../../support/rules/deliveries.ts';
import { eventsOf } from '../../../support/rules/events.ts';
import { fieldsOf, storeRow } from '../../../support/rules/rows.ts';

/** The statement that records events, and the evaluations that it makes. */
type Emitting = Omit<EmitOptions, 'organizationId'> & { isOneTrip?: boolean; count?: number };

let at: RuleHouse;
let other: string;
beforeAll(async () => {
  at = await openRuleHouse();
  other = await createOrganization(at.house.em(), 'Other');
});
afterAll(() => at.close());

/** `contact.updated` of a new contact; the ids of the events, and the jobs they made. */
async function emitted({ isOneTrip = false, count = 1, ...options }: Emitting = {}) {
  const contactId = uuidv7();
  const data = { contact_id: contactId, organization_id: at.organization, name: 'Ada', changed: ['name'] };
  const locks = [subjectLock('contact', contactId)];
  const ids = await at.house.ledger.transact({ locks, isOneTrip }, async (tx) =>
    Array.from({ length: count }, () => tx.of(at.organization).emit(contactUpdated, data, options)),
  );
  const ofSubject = await at.house.em().find(Job, { lane: { $like: `%${contactId}` } }, { orderBy: { seq: 'asc' } });
  const jobs = ofSubject.map((job) => fieldsOf(job, 'name', 'queue', 'lane', 'pool', 'state', 'subject_id', 'payload'));
  return { contactId, ids, jobs, evaluations: jobs.filter(({ name }) => name === 'automation.evaluate') };
}
const off = (id: string) => pauseRule(at.house.em(), id);
async function waiting(organization = at.organization) {
  const rule = await at.rule({ status: 'paused', organization });
  const { id } = await automationRun(at.house.em(), organization, { ruleId: rule, state: 'running' });
  await storeRow(at.house.em(), organization, AutomationWait, {
    run_id: id,
    event_type: contactUpdated.type,
    subject_type: 'contact',
    subject_id: uuidv7(),
  });
  return { end: () => at.house.em().nativeDelete(AutomationWait, { run_id: id }) };
}

describe.each([{ isOneTrip: false }, { isOneTrip: true }])('an event, in one trip: $isOneTrip', ({ isOneTrip }) => {
  test('that a live rule begins with has one evaluation, in the order of its subject', async () => {
    const rules = [await at.rule(), await at.rule()];
    const { contactId, ids, jobs } = await emitted({ isOneTrip });
    expect(jobs).toEqual([
      {
        name: 'automation.evaluate',
        queue: 'automations',
        lane: `subject:automation:contact:${contactId}`,
        pool: `automation:${at.organization}`,
        state: 'queued',
        subject_id: ids[0],
        payload: { event_id: ids[0] },
      },
    ]);
    for (const id of rules) await off(id);
  });

  test('that a run waits for has one, and one that is listened to by both', async () => {
    const wait = await waiting();
    expect((await emitted({ isOneTrip })).evaluations).toHaveLength(1);
    const rule = await at.rule();
    expect((await emitted({ isOneTrip })).evaluations).toHaveLength(1);
    await off(rule);
    await wait.end();
    expect((await emitted({ isOneTrip })).evaluations).toEqual([]);
  });

  test('has none by rules that are not live, of other types and of other organizations', async () => {
    for (const status of ['draft', 'paused'] as const) await at.rule({ status });
    const rules = [
      await at.rule({ trigger: { type: 'event', event: 'contact.created' } }),
      await at.rule({ trigger: { type: 'manual' } }),
    ];
    const foreign = await at.rule({ organization: other });
    const wait = await waiting(other);
    expect((await emitted({ isOneTrip })).jobs).toEqual([]);
    for (const id of [...rules, foreign]) await off(id);
    await wait.end();
  });

  test('that is a test for one endpoint has none', async () => {
    const rule = await at.rule();
    const { id } = await endpoint(at.house.ledger.transact, at.organization, { eventTypes: ['message.new'] });
    const { contactId, evaluations } = await emitted({ isOneTrip, test: { endpointId: id, jobId: uuidv7() } });
    expect(evaluations).toEqual([]);
    expect(await eventsOf(at.house.em(), contactId)).toMatchObject([{ type: 'contact.updated' }]);
    await deleteEndpoints(at.house.em());
    await off(rule);
  });

  test('has its delivery in order, and its evaluation in an order of its own', async () => {
    const rule = await at.rule();
    const ordering = 'per_subject' as const;
    const { id } = await endpoint(at.house.ledger.transact, at.organization, { eventTypes: ['contact.*'], ordering });
    const { contactId, jobs } = await emitted({ isOneTrip, count: 2 });
    const lanes = [`subject:${id}:contact:${contactId}`, `subject:automation:contact:${contactId}`];
    for (const lane of lanes)
      expect(jobs.filter((job) => job.lane === lane).map(({ state }) => state)).toEqual(['queued', 'blocked']);
    expect(jobs).toHaveLength(4);
    await deleteEndpoints(at.house.em());
    await off(rule);
  });

  test('that a look found nobody for has none, unless somebody began to listen before it was written', async () => {
    expect((await emitted({ isOneTrip, isHeard: false })).jobs).toEqual([]);
    const rule = await at.rule();
    expect((await emitted({ isOneTrip, isHeard: false })).evaluations).toHaveLength(1);
    await off(rule);
    const wait = await waiting();
    expect((await emitted({ isOneTrip, isHeard: false })).evaluations).toHaveLength(1);
    await wait.end();
    const ordering = 'per_subject' as const;
    const { id } = await endpoint(at.house.ledger.transact, at.organization, { eventTypes: ['contact.*'], ordering });
    expect((await emitted({ isOneTrip, isHeard: false })).jobs).toMatchObject([{ pool: `endpoint:${id}` }]);
    await deleteEndpoints(at.house.em());
    expect((await emitted({ isOneTrip, isHeard: false })).jobs).toEqual([]);
  });

  test('joins the evaluations of its subject that are not over', async () => {
    const rule = await at.rule();
    const { evaluations, ids } = await emitted({ isOneTrip, count: 3 });
    expect(evaluations.map(({ state }) => state)).toEqual(['queued', 'blocked', 'blocked']);
    expect(evaluations.map(({ subject_id }) => subject_id)).toEqual(ids);
    await off(rule);
  });
});

test('a look before a write hears rules and waits, of its organization and of its types', async () => {
  const look = async (...types: string[]) => {
    const [row] = await at.sql<{ is_heard: boolean }>(`select ${isHeard('$1', ...types)} as is_heard`, [at.organization]);
    return row!.is_heard;
  };
  const foreign = await at.rule({ organization: other });
  const foreignWait = await waiting(other);
  expect(await look('contact.updated', 'contact.created')).toBe(false);
  await foreignWait.end();
  await off(foreign);

  const rule = await at.rule();
  expect([
    await look('contact.updated'),
    await look('contact.created'),
    await look('contact.created', 'contact.updated'),
  ]).toEqual([true, false, true]);
  await off(rule);
  expect(await look('contact.updated')).toBe(false);

  const wait = await waiting();
  expect([await look('contact.updated'), await look('contact.created')]).toEqual([true, false]);
  await wait.end();
  expect(await look('contact.updated')).toBe(false);
});
