import { beforeEach, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/index.ts';
import { startRuleAction } from '../../../src/automation/actions/start-rule.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedRules } from '../../support/stored/automation.ts';

const app = useApp();
let tenant: Tenant;
let contactId: string;
beforeEach(async () => {
  tenant = await app.organization();
  contactId = (await contact(app.em(), tenant.organizationId)).id;
});

const tell = (body: object = {}, more: object = {}) =>
  app.call('automation.events.create', {
    key: tenant.key,
    body: { name: 'trial_started', contact_id: contactId, ...body },
    ...more,
  });
const told = () =>
  storedEvents.all(
    app,
    { organization_id: tenant.organizationId, type: 'automation.event' },
    { columns: ['id', 'type', 'subject_type', 'subject_id', 'data', 'cause', 'chain'], orderBy: 'seq' },
  );

test('it becomes an event about the contact, caused by who told it', async () => {
  const { status, body } = await tell({ data: { plan: 'pro', seats: 3, nested: { deep: [1, null] } } });
  expect(status).toBe(202);
  expect(await told()).toEqual([
    {
      id: body.id,
      type: 'automation.event',
      subject_type: 'contact',
      subject_id: contactId,
      data: {
        name: 'trial_started',
        contact_id: contactId,
        organization_id: tenant.organizationId,
        data: { plan: 'pro', seats: 3, nested: { deep: [1, null] } },
      },
      cause: `key:${tenant.keyId}`,
      chain: null,
    },
  ]);
});

/** Each way in which a caller starts a rule, or lets a run go on. */
const starting = ['automation.events.create', 'automation.rules.run', 'automation.runs.retry', 'automation.runs.retry-many'];

test.each(starting)('%s needs automation:trigger, whatever else the credential may do', async (operationId) => {
  expect(endpoints.find((one) => one.operationId === operationId)!.scope).toBe('automation:trigger');
  expect(startRuleAction.scopes).toEqual(['automation:trigger']);
});

test('a credential that writes rules tells no event; one that tells events writes no rule', async () => {
  const writer = await app.key(tenant.organizationId, ['automation:read', 'automation:write']);
  const refused = await tell({}, { key: writer.key });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
  expect(await told()).toEqual([]);
  const teller = await app.key(tenant.organizationId, ['automation:trigger']);
  expect((await tell({}, { key: teller.key })).status).toBe(202);
  const body = { name: 'Own', trigger: { type: 'manual' }, steps: [{ id: 'end', type: 'stop' }] };
  expect((await app.call('automation.rules.create', { key: teller.key, body })).status).toBe(403);
});

test('a rule that is live for it gets one evaluation, in the order of the contact', async () => {
  await tell();
  const jobs = () =>
    storedJobs.all(
      app,
      { organization_id: tenant.organizationId, name: 'automation.evaluate' },
      { columns: ['lane', 'pool', 'payload'] },
    );
  expect(await jobs()).toEqual([]);
  await storedRules.add(app, {
    organization_id: tenant.organizationId,
    name: 'Welcome',
    status: 'live',
    draft: {},
    event_type: 'automation.event',
  });
  const { body } = await tell();
  expect(await jobs()).toEqual([
    {
      lane: `subject:automation:contact:${contactId}`,
      pool: `automation:${tenant.organizationId}`,
      payload: { event_id: body.id },
    },
  ]);
});

test('with an Idempotency-Key it is told once', async () => {
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [await tell({}, { headers }), await tell({}, { headers })];
  expect([first.status, second.status, second.body]).toEqual([202, 202, first.body]);
  expect(await told()).toHaveLength(1);
  expect((await tell({ name: 'other' }, { headers })).body.error.code).toBe('idempotency_mismatch');
});

test('what was told is in the audit log, without its data', async () => {
  const { body } = await tell({ data: { plan: 'pro' } });
  expect(await listedActs(app, {}, { key: tenant.key, columns: ['action', 'subject', 'details'] })).toEqual([
    { action: 'automation.events.create', subject: `event:${body.id}`, details: null },
  ]);
});

describe('refused, and no event', () => {
  test.each([
    ['no name', { name: undefined }, 'name'],
    ['a name with blanks', { name: 'trial started' }, 'name'],
    ['a name of 101', { name: 'a'.repeat(101) }, 'name'],
    ['no contact', { contact_id: undefined }, 'contact_id'],
    ['no id', { contact_id: 'ada' }, 'contact_id'],
    ['data of a list', { data: [] }, 'data'],
    ['data of 16 kB and a byte', { data: { text: 'x'.repeat(16 * 1024 - 10) } }, 'data'],
    ['201 fields', { data: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, n])) }, 'data'],
    ['a name of every object', { data: JSON.parse('{"__proto__": {"polluted": true}}') }, 'data.__proto__'],
    ['a field that is not there', { subject: 'x' }, 'subject'],
  ])('%s: 422 at its place', async (_, body, field) => {
    const { status, body: reply } = await tell(body);
    expect([status, reply.error.details[0].field]).toEqual([422, field]);
    expect(await told()).toEqual([]);
  });

  test('16 kB are fine', async () => {
    expect((await tell({ data: { text: 'x'.repeat(16 * 1024 - 11) } })).status).toBe(202);
  });

  test('a contact that is not there, that is of others, or was merged: 404', async () => {
    const foreign = (await contact(app.em(), app.tenant.organizationId)).id;
    for (const contact_id of [uuidv7(), foreign]) expect((await tell({ contact_id })).status).toBe(404);
    const newer = (await contact(app.em(), tenant.organizationId)).id;
    const params = { contactID: contactId };
    expect((await app.call('contacts.merge', { key: tenant.key, params, body: { contact_id: newer } })).status).toBe(200);
    const { status, body } = await tell({ contact_id: newer });
    expect([status, body.error.details[0]]).toEqual([
      404,
      expect.objectContaining({ field: 'contact_id', code: 'merged', value: contactId }),
    ]);
    expect(await told()).toEqual([]);
  });

  test('without the scope: 403', async () => {
    const { key } = await app.key(tenant.organizationId, ['automation:read', 'contacts:write']);
    expect((await tell({}, { key })).status).toBe(403);
    expect(await told()).toEqual([]);
  });
});
