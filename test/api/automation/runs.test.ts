import { beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { automationRun, rule, stepOf } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedRuns } from '../../support/stored/automation.ts';

const app = useApp({});
let ruleId: string;
let otherRule: string;
let contactId: string;
const dealId = uuidv7();
let ids: Record<'first' | 'failed' | 'other' | 'ofDeal' | 'ofContact', string>;

const list = (query: Record<string, string | number | boolean> = {}, key?: string) =>
  app.call('automation.runs.list', { query, ...(key && { key }) });
const idsOf = async (query: Record<string, string | number | boolean>) => {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return body.items.map(({ id }: { id: string }) => id);
};

beforeAll(async () => {
  const { organizationId } = app.tenant;
  ruleId = (await rule(app.em(), organizationId)).id;
  otherRule = (await rule(app.em(), organizationId)).id;
  contactId = (await contact(app.em(), organizationId)).id;
  const make = async (given: object) => (await automationRun(app.em(), organizationId, { ruleId, ...given })).id;
  ids = {
    first: await make({ createdAt: '2026-01-01T00:00:00.000Z' }),
    failed: await make({ state: 'failed', createdAt: '2026-01-02T00:00:00.000Z' }),
    other: await make({ ruleId: otherRule, createdAt: '2026-01-03T00:00:00.000Z' }),
    ofDeal: await make({ subjectType: 'deal', subjectId: dealId, contactId, createdAt: '2026-01-04T00:00:00.000Z' }),
    ofContact: await make({ state: 'running', contactId, createdAt: '2026-01-05T00:00:00.000Z' }),
  };
});

test('all, newest first, by pages', async () => {
  const all = [ids.ofContact, ids.ofDeal, ids.other, ids.failed, ids.first];
  expect(await idsOf({})).toEqual(all);
  const { body } = await list({ limit: 2, include_total: true });
  expect(body.meta).toMatchObject({ has_more: true, total: 5 });
  expect(await idsOf({ limit: 2, cursor: body.meta.next_cursor })).toEqual(all.slice(2, 4));
});

test.each([
  ['rule', () => ({ rule_id: otherRule }), ['other']],
  ['state', () => ({ state: 'failed' }), ['failed']],
  ['rule and state', () => ({ rule_id: ruleId, state: 'running' }), ['ofContact']],
  ['contact, whatever the subject', () => ({ contact_id: contactId }), ['ofContact', 'ofDeal']],
  ['subject', () => ({ subject_type: 'deal', subject_id: dealId }), ['ofDeal']],
  ['subject and rule', () => ({ subject_type: 'contact', subject_id: contactId, rule_id: ruleId }), ['ofContact']],
  ['subject of another type', () => ({ subject_type: 'task', subject_id: dealId }), []],
  ['since, until', () => ({ since: '2026-01-02', until: '2026-01-04' }), ['other', 'failed']],
  ['a rule that is not there', () => ({ rule_id: uuidv7() }), []],
] as const)('by %s', async (_, query, names) => {
  expect(await idsOf(query())).toEqual(names.map((name) => ids[name]));
});

test('of an event about what rules do not act upon: by the type that the run shows', async () => {
  const campaignId = uuidv7();
  const { id } = await automationRun(app.em(), app.tenant.organizationId, {
    ...{ ruleId, subjectType: 'campaign', subjectId: campaignId, createdAt: '2025-01-01T00:00:00.000Z' },
  });
  const { body } = await list({ until: '2025-01-02' });
  expect(body.items).toMatchObject([{ id, subject_type: 'campaign' }]);
  expect(await idsOf({ subject_type: 'campaign', subject_id: campaignId })).toEqual([id]);
  expect((await list({ subject_type: 'moon', subject_id: campaignId })).status).toBe(422);
  await storedRuns.remove(app, id);
});

test('a cursor is for its own filters; a subject needs both of its parts', async () => {
  const { body } = await list({ limit: 1 });
  expect((await list({ limit: 1, state: 'failed', cursor: body.meta.next_cursor })).status).toBe(400);
  for (const query of [{ subject_id: dealId }, { subject_type: 'deal' }, { state: 'waiting' }, { rule_id: 'x' }] as Record<
    string,
    string
  >[])
    expect((await list(query)).status).toBe(422);
});

test('a run with its steps, in their order', async () => {
  const { organizationId } = app.tenant;
  await stepOf(app.em(), organizationId, ids.failed, { number: 2, state: 'failed' });
  await stepOf(app.em(), organizationId, ids.failed, { number: 1, input: { text: 'Welcome, Ann' }, output: { message_id: '1' } });
  const { status, body } = await app.call('automation.runs.get', { params: { runID: ids.failed } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: ids.failed,
    rule_id: ruleId,
    state: 'failed',
    created_at: '2026-01-02T00:00:00.000Z',
    vars: {},
  });
  expect(body.steps).toMatchObject([
    { number: 1, step_id: 'step_1', state: 'done', input: { text: 'Welcome, Ann' }, output: { message_id: '1' }, error: null },
    { number: 2, step_id: 'step_2', state: 'failed', input: null, output: null },
  ]);
});

test('without contacts:read, no words that may tell of a person', async () => {
  const { organizationId } = app.tenant;
  const make = async (state: string, reason: string, error: object | null) => {
    const { id } = await automationRun(app.em(), organizationId, {
      ...{ ruleId, subjectType: 'deal', state: state as 'failed', createdAt: '2024-01-01T00:00:00.000Z' },
    });
    await storedRuns.change(app, id, { reason, error });
    return id;
  };
  const failed = await make('failed', '', { code: 'suppressed', message: 'Ann Lee opted out' });
  const stopped = await make('succeeded', 'Ann Lee has no deal', null);
  const cancelled = await make('cancelled', 'exit_when', null);
  const scopes = ['automation:read', 'automation:write'];
  const { key } = (await app.call('api-keys.create', { body: { name: 'Without people', scopes } })).body;
  const words = async (asked?: string) => {
    const { items } = (await list({ until: '2024-01-02' }, asked)).body;
    return Object.fromEntries(items.map(({ id, reason, error }: Record<string, string>) => [id, [reason, error]]));
  };
  expect(await words(key)).toEqual({
    [failed]: ['', { code: 'suppressed', message: '' }],
    [stopped]: ['', null],
    [cancelled]: ['exit_when', null],
  });
  expect(await words()).toEqual({
    [failed]: ['', { code: 'suppressed', message: 'Ann Lee opted out' }],
    [stopped]: ['Ann Lee has no deal', null],
    [cancelled]: ['exit_when', null],
  });
  const again = await app.call('automation.runs.cancel', { key, params: { runID: cancelled } });
  expect(again.body).toMatchObject({ state: 'cancelled', reason: 'exit_when' });
  await storedRuns.remove(app, { id: [failed, stopped, cancelled] });
});

test("another organization sees none of them; nobody's is a 404; steps take contacts:read", async () => {
  const { key } = await app.organization();
  expect((await list({}, key)).body.items).toEqual([]);
  for (const runID of [uuidv7(), 'no-uuid'])
    expect((await app.call('automation.runs.get', { params: { runID } })).status).toBe(404);
  const foreign = await app.call('automation.runs.get', { key, params: { runID: ids.first } });
  expect(foreign.status).toBe(404);
  const { key: narrow } = (await app.call('api-keys.create', { body: { name: 'Narrow', scopes: ['automation:read'] } })).body;
  expect((await list({}, narrow)).status).toBe(200);
  expect((await app.call('automation.runs.get', { key: narrow, params: { runID: ids.first } })).status).toBe(403);
});
