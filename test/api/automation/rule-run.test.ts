import { beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { rulesOf, stepsOf } from '../../support/automation-rules.ts';
import { contact } from '../../support/factories/contact.ts';
import { dealRow } from '../../support/factories/task-objects.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedHeldBack, storedRuns } from '../../support/stored/automation.ts';

const app = useApp();
let tenant: Tenant;
let contactId: string;
beforeEach(async () => {
  tenant = await app.organization();
  contactId = (await contact(app.em(), tenant.organizationId)).id;
});

const { act, draft, inStatus, published } = rulesOf(app, () => tenant);
const run = (ruleID: string, subject: object = { type: 'contact', id: contactId }, more: object = {}) =>
  app.call('automation.rules.run', { key: tenant.key, params: { ruleID }, body: { subject }, ...more });
const runsOf = (ruleId: string): Promise<Body[]> => storedRuns.all(app, { rule_id: ruleId }, { orderBy: 'id' });

test('a run of the published version about the subject, with its job, by who asked', async () => {
  const { id } = await published();
  await act('update', id, stepsOf('draft'));
  const { status, body, headers } = await run(id);
  expect([status, headers.get('location')]).toEqual([201, `/v1/automation/runs/${body.id}`]);
  expect(body).toMatchObject({
    rule_id: id,
    version: 1,
    mode: 'live',
    state: 'queued',
    trigger: 'manual',
    event_id: null,
    subject_type: 'contact',
    subject_id: contactId,
    contact_id: contactId,
    started_by: `key:${tenant.keyId}`,
  });
  const [row, ...more] = await runsOf(id);
  expect([row!.chain, row!.is_exclusive, more]).toEqual([[id], true, []]);
  expect(await storedJobs.all(app, { subject_id: body.id }, { columns: ['name', 'pool', 'payload'] })).toEqual([
    { name: 'automation.run', pool: `automation:${tenant.organizationId}`, payload: { run_id: body.id } },
  ]);
});

test.each([
  ['a keyword', { type: 'keyword', match: 'exact', keywords: ['hi'] }],
  ['a schedule', { type: 'schedule', cron: '0 9 * * *' }],
  ['an event of the API', { type: 'api', name: 'told' }],
  ['the hand', { type: 'manual' }],
])('whatever it begins with otherwise: %s', async (_, trigger) => {
  const { id } = await published({ trigger });
  expect((await run(id)).status).toBe(201);
});

test('in the mode `log` the run only logs', async () => {
  const { id } = await published({ mode: 'log' });
  expect((await run(id)).body.mode).toBe('log');
});

test('about a deal, with its primary contact; about the organization, with nobody', async () => {
  const { id } = await published();
  const dealId = await dealRow((text, params) => app.rows(text, params), tenant.organizationId);
  expect((await run(id, { type: 'deal', id: dealId })).body).toMatchObject({
    subject_type: 'deal',
    subject_id: dealId,
    contact_id: null,
  });
  await app.call('crm.deals.contacts.put', {
    key: tenant.key,
    params: { dealID: dealId, contactID: contactId },
    body: { is_primary: true },
  });
  const other = await published();
  expect((await run(other.id, { type: 'deal', id: dealId })).body.contact_id).toBe(contactId);
  const whole = await run(id, { type: 'organization', id: tenant.organizationId });
  expect([whole.status, whole.body.contact_id]).toEqual([201, null]);
});

test('with an Idempotency-Key it begins once', async () => {
  const { id } = await published();
  const headers = { 'idempotency-key': 'once' };
  const subject = { type: 'contact', id: contactId };
  const [first, second] = [await run(id, subject, { headers }), await run(id, subject, { headers })];
  expect([second.status, second.body]).toEqual([201, first.body]);
  expect(await runsOf(id)).toHaveLength(1);
});

test('it is in the audit log, with the run', async () => {
  const { id } = await published();
  const { body } = await run(id);
  expect(await listedActs(app, { action: 'automation.rules.run' }, { key: tenant.key, columns: ['subject', 'details'] })).toEqual(
    [{ subject: `automation_rule:${id}`, details: { run_id: body.id } }],
  );
});

describe('concurrency', () => {
  test('skip: while one has not ended, a 409 that is counted nowhere', async () => {
    const { id } = await published();
    const replies = await Promise.all([run(id), run(id), run(id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = replies.find(({ status }) => status === 409)!;
    expect(refused.body.error.details[0]).toMatchObject({ code: 'rule.held', value: 'subject_busy' });
    expect(await storedHeldBack.count(app, { rule_id: id })).toBe(0);
    const other = (await contact(app.em(), tenant.organizationId)).id;
    expect((await run(id, { type: 'contact', id: other })).status).toBe(201);
  });

  test('each: as many as the limit of starts allows', async () => {
    const { id } = await published({ concurrency: 'each', limits: { starts_per_hour: 2 } });
    const replies = [await run(id), await run(id), await run(id)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 409]);
    expect(replies[2]!.body.error.details[0].value).toBe('too_often');
  });

  test('restart: the one that has not ended is cancelled', async () => {
    const { id } = await published({ concurrency: 'restart' });
    const [first, second] = [await run(id), await run(id)];
    expect([first.status, second.status]).toEqual([201, 201]);
    const [before, after] = await runsOf(id);
    expect([before!.state, before!.reason, after!.state]).toEqual(['cancelled', 'restarted', 'queued']);
    expect(after!.id).toBe(second.body.id);
  });
});

describe('refused, and no run', () => {
  test('of a rule that was never published, or is paused: 409, which names the status', async () => {
    for (const status of ['draft', 'paused']) {
      const { id } = await inStatus(status);
      const reply = await run(id);
      expect([reply.status, reply.body.error.details[0]]).toEqual([
        409,
        expect.objectContaining({ code: 'rule.status', value: status }),
      ]);
      expect(await runsOf(id)).toEqual([]);
    }
  });

  test('about what is not there, or is of others: 422', async () => {
    const { id } = await published();
    const foreign = (await contact(app.em(), app.tenant.organizationId)).id;
    const subjects = [
      ...['contact', 'conversation', 'deal', 'task', 'record', 'organization'].map((type) => ({ type, id: uuidv7() })),
      { type: 'contact', id: foreign },
      { type: 'organization', id: app.tenant.organizationId },
      { type: 'deal', id: contactId },
    ];
    for (const subject of subjects) {
      const { status, body } = await run(id, subject);
      expect([subject.type, status, body.error.details[0].field]).toEqual([subject.type, 422, 'subject.id']);
    }
    expect(await runsOf(id)).toEqual([]);
  });

  test('about another kind than a rule for the hand is made for: 422', async () => {
    const { id } = await published({ trigger: { type: 'manual', subject: 'deal' } });
    const { status, body } = await run(id);
    expect([status, body.error.details[0].field]).toEqual([422, 'subject.type']);
  });

  test.each([
    ['no subject', undefined, 'subject'],
    ['no type', { id: uuidv7() }, 'subject.type'],
    ['an unknown type', { type: 'order', id: uuidv7() }, 'subject.type'],
    ['no id', { type: 'contact', id: 'ada' }, 'subject.id'],
  ])('%s: 422 at its place', async (_, subject, field) => {
    const { id } = await draft();
    const { status, body } = await app.call('automation.rules.run', {
      key: tenant.key,
      params: { ruleID: id },
      body: { subject },
    });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test('of another organization, or without the scope', async () => {
    const { id } = await published();
    const subject = { type: 'contact', id: contactId };
    expect((await run(id, subject, { key: app.tenant.key })).status).toBe(404);
    expect((await run(id, subject, { key: (await app.key(tenant.organizationId, ['automation:read'])).key })).status).toBe(403);
    expect(await runsOf(id)).toEqual([]);
  });
});

test('a repeated Idempotency-Key is answered to the same scopes only', async () => {
  const { id } = await published();
  const once = { headers: { 'idempotency-key': 'once' } };
  const first = await run(id, undefined, once);
  expect((await run(id, undefined, once)).body).toEqual(first.body);
  const { key } = await app.key(tenant.organizationId, ['automation:trigger', 'contacts:write']);
  const narrow = await run(id, undefined, { ...once, key });
  expect([narrow.status, narrow.body.error.code]).toEqual([422, 'idempotency_mismatch']);
  expect(await runsOf(id)).toHaveLength(1);
});
