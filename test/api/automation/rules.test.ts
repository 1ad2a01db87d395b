import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Scope } from '../../../src/organizations/scopes.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { aRule, rulesOf, stepsOf } from '../../support/automation-rules.ts';
import { automationRun } from '../../support/factories/automation.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { heldBack, storedRules } from '../../support/stored/automation.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const { act, at, create, draft, get, inStatus, published, row, versions } = rulesOf(app, () => tenant);
const keyWith = async (...scopes: Scope[]) => (await app.key(tenant.organizationId, scopes)).key;
const dealRule = { steps: [{ id: 'deal', type: 'create_deal', title: 'New' }] };
const list = async (query: Record<string, string> = {}): Promise<Body> =>
  (await app.call('automation.rules.list', { key: tenant.key, query })).body;
const idsIn = ({ items }: Body): string[] => items.map(({ id }: Body) => id);

describe('create', () => {
  test('a draft with what was left out, which nothing begins', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Welcome',
      status: 'draft',
      mode: 'live',
      version: 0,
      revision: 1,
      has_changes: true,
      trigger: aRule.trigger,
      conditions: null,
      steps: aRule.steps,
      concurrency: 'skip',
      exit_when: null,
      limits: {},
      paused_reason: '',
      next_at: null,
      stats: { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, total: 0, held: 0 },
      created_by: `key:${tenant.keyId}`,
      published_by: '',
      published_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await get(body.id)).toEqual(body);
    expect(await row(body.id)).toMatchObject({ event_type: null, tick_job_id: null });
    expect(await versions(body.id)).toEqual([]);
  });

  test('each fault in its shape is a detail with its path, and nothing is stored', async () => {
    const { status, body } = await create({ trigger: undefined, steps: [{ id: 'a', type: 'fly' }] });
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    expect(body.error.details.map(({ field }: Body) => field)).toEqual(expect.arrayContaining(['trigger', 'steps[0].type']));
    expect((await list()).items).toEqual([]);
  });

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name of 201', { name: 'a'.repeat(201) }, 'name'],
    ['an unknown mode', { mode: 'off' }, 'mode'],
    ['steps that are no list', { steps: {} }, 'steps'],
    ['a trigger that is a text', { trigger: 'contact.created' }, 'trigger'],
    ['an unknown field', { status: 'live' }, 'status'],
    ['an unknown concurrency', { concurrency: 'all' }, 'concurrency'],
  ])('%s: 422 at its place', async (_, body, field) => {
    const reply = await create(body);
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
    expect((await list()).items).toEqual([]);
  });

  test('of two at once that would be the 500th only one is made; deleted ones do not count', async () => {
    await storedRules.addMany(app, 520, (n) => ({
      organization_id: tenant.organizationId,
      name: 'R',
      draft: { ...aRule, conditions: null, concurrency: 'skip', exit_when: null, limits: {} },
      deleted_at: n > 499 ? now() : null,
    }));
    const replies = await Promise.all([create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
    expect((await act('duplicate', replies.find(({ status }) => status === 201)!.body.id)).body.error.code).toBe('limit_reached');
  });

  test('with an Idempotency-Key it is made once', async () => {
    const headers = { 'idempotency-key': 'once' };
    const once = () => app.call('automation.rules.create', { key: tenant.key, headers, body: aRule });
    const [first, second] = [await once(), await once()];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await list()).items).toHaveLength(1);
  });
});

describe('change', () => {
  test('what is given replaces the member, the rest stays', async () => {
    const { id } = await draft({
      conditions: { field: 'contact.email', operator: 'is_not_empty' },
      limits: { steps: 10 },
    });
    const { status, body } = await act('update', id, { ...stepsOf('other'), name: 'Second', conditions: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Second', conditions: null, limits: { steps: 10 }, revision: 2, trigger: aRule.trigger });
    expect(body.steps[0].tag).toBe('other');
  });

  test('what was there already changes nothing, not even the revision', async () => {
    const made = await draft();
    const { body } = await act('update', made.id, { name: made.name, steps: made.steps, mode: 'live' });
    expect(body).toEqual(made);
  });

  test('of a live rule the draft; name and mode at once', async () => {
    const { id } = await published();
    const { body } = await act('update', id, { ...stepsOf('other'), name: 'Second', mode: 'log' });
    expect(body).toMatchObject({ status: 'live', version: 1, has_changes: true, name: 'Second', mode: 'log' });
    expect((await versions(id))[0]!.definition.steps[0].tag).toBe('new');
  });

  test('with a stale revision: 409, which names the present one', async () => {
    const { id } = await draft();
    await act('update', id, { name: 'Second' });
    const stale = await act('update', id, { name: 'Third', revision: 1 });
    expect([stale.status, stale.body.error.details[0]]).toEqual([
      409,
      expect.objectContaining({ field: 'revision', code: 'revision.stale', value: '2' }),
    ]);
    expect((await get(id)).name).toBe('Second');
    expect((await act('update', id, { name: 'Third', revision: 2 })).body.revision).toBe(3);
  });

  test('of two at once with the same revision one is refused', async () => {
    const { id } = await draft();
    const replies = await Promise.all(['a', 'b', 'c'].map((name) => act('update', id, { name, revision: 1 })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test('faults: 422 at their path, and nothing is changed', async () => {
    const made = await draft();
    const { status, body } = await act('update', made.id, { name: 'Second', steps: [{ id: 'a', type: 'fly' }] });
    expect([status, body.error.details[0].field]).toEqual([422, 'steps[0].type']);
    expect(await get(made.id)).toEqual(made);
    expect((await act('update', made.id, {})).status).toBe(422);
  });
});

describe('the scopes of its actions', () => {
  test('nobody without crm:write saves, copies, publishes, resumes or runs a rule that touches a deal', async () => {
    const key = await keyWith(
      'automation:write',
      'automation:trigger',
      'automation:read',
      'contacts:write',
      'conversations:write',
    );
    const lacking = { ...tenant, key };
    const without = rulesOf(app, () => lacking);
    const refused = async (reply: Promise<{ status: number; body: Body }>) => {
      const { status, body } = await reply;
      expect([status, body.error.code, body.error.message.includes('crm:write')]).toEqual([403, 'forbidden', true]);
    };
    await refused(create(dealRule, key));
    const { id } = await draft(dealRule);
    await refused(without.act('update', id, { name: 'Mine' }));
    await refused(without.act('update', id, dealRule));
    await refused(without.act('duplicate', id));
    await refused(without.act('publish', id));
    const own = await without.draft();
    await refused(without.act('update', own.id, dealRule));
    expect((await get(own.id)).steps).toEqual(aRule.steps);
    expect(await get(id)).toMatchObject({ status: 'draft', revision: 1 });
    await act('publish', id);
    await refused(without.act('run', id, { subject: { type: 'organization', id: tenant.organizationId } }));
    expect((await without.act('pause', id)).status).toBe(200);
    await refused(without.act('resume', id));
    expect((await without.act('delete', id)).status).toBe(204);
    expect((await list()).items).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['its body', { body: { name: '{{ contact.name }}' } }],
    ['its URL', { url: 'https://example.com/?q={{ event.from_phone }}' }],
    ['a header', { headers: { 'X-Said': '{{ message.text }}' } }],
    ['a variable, which may hold anything', { body: '{{ vars.all }}' }],
    ['the output of another step', { body: ['{% assign it = steps.a %}{{ it.body }}'] }],
  ])('whoever lets a call send what a run reads, in %s, needs contacts:read', async (_, fields) => {
    const calling = { id: 'call', type: 'http_request', url: 'https://example.com/', ...fields };
    const steps = [{ id: 'a', type: 'set_vars', vars: { all: 1 } }, calling];
    const trigger = { type: 'event', event: 'message.new' };
    const refused = await create({ trigger, steps }, await keyWith('automation:write'));
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('contacts:read')]);
    expect((await create({ trigger, steps }, await keyWith('automation:write', 'contacts:read'))).status).toBe(201);
  });

  test('a call that sends nothing of a run needs no scope', async () => {
    const steps = [{ id: 'call', type: 'http_request', url: 'https://example.com/', body: { from: '{{ organization.name }}' } }];
    expect((await create({ steps }, await keyWith('automation:write'))).status).toBe(201);
  });

  test('an old version that touches a deal is not published again without it', async () => {
    const { id } = await published(dealRule);
    await act('update', id, stepsOf('new'));
    await act('publish', id);
    const key = await keyWith('automation:write', 'contacts:write', 'conversations:write');
    const { status, body } = await app.call('automation.rules.publish', { ...at(id), key, body: { version: 1 } });
    expect([status, body.error.message.includes('crm:write')]).toEqual([403, true]);
    expect(await versions(id)).toHaveLength(2);
  });

  test('nor is one that only logs made to act, whatever its draft says by now', async () => {
    const { id } = await published({ ...dealRule, mode: 'log' });
    await act('update', id, stepsOf('new'));
    const key = await keyWith('automation:write', 'contacts:write', 'conversations:write');
    const change = (body: object) => app.call('automation.rules.update', { ...at(id), key, body });
    expect((await change({ mode: 'live' })).status).toBe(403);
    expect((await get(id)).mode).toBe('log');
    expect((await change({ name: 'Second' })).status).toBe(200);
  });

  const starting = (rule_id: string) => ({ steps: [{ id: 'start', type: 'start_rule', rule_id }] });
  const narrow = () => keyWith('automation:write', 'automation:trigger', 'contacts:write', 'conversations:write');

  test('nor does one that starts it, in however many steps, published or never, pass by them', async () => {
    const deals = await published(dealRule);
    const before = await published(starting(deals.id));
    const unpublished = await draft(dealRule);
    const harmless = await published();
    const key = await narrow();
    for (const id of [deals.id, before.id, unpublished.id, '{{ contact.name }}']) {
      const { status, body } = await create(starting(id), key);
      expect([id, status, body.error.message.includes('crm:write')]).toEqual([id, 403, true]);
    }
    const change = (id: string) => app.call('automation.rules.update', { ...at(harmless.id), key, body: starting(id) });
    expect((await change(deals.id)).status).toBe(403);
    expect((await change(harmless.id)).status).toBe(200);
    const acts = [
      ['publish', before.id, undefined],
      ['duplicate', before.id, undefined],
      ['run', before.id, { subject: { type: 'organization', id: tenant.organizationId } }],
    ] as const;
    for (const [action, id, body] of acts)
      expect((await app.call(`automation.rules.${action}`, { ...at(id, body), key })).body.error.code).toBe('forbidden');
  });

  test('a rule that starts another one is saved before it is known whether that one is there', async () => {
    expect((await create(starting(uuidv7()), await narrow())).status).toBe(201);
  });

  test('rules that start each other are asked once each', async () => {
    const one = await published();
    const other = await published(starting(one.id));
    await act('update', one.id, starting(other.id));
    expect((await act('publish', one.id)).status).toBe(200);
    expect((await create(starting(one.id), await keyWith('automation:write'))).status).toBe(403);
    expect((await create(starting(one.id), await keyWith('automation:write', 'automation:trigger'))).status).toBe(201);
  });

  test('all that are missing are named', async () => {
    const steps = [
      { id: 'a', type: 'add_tag', tag: 'new' },
      { id: 'b', type: 'create_deal', title: 'New' },
    ];
    const { status, body } = await create({ steps }, await keyWith('automation:write'));
    expect([status, body.error.message]).toEqual([403, expect.stringMatching(/contacts:write.*crm:write/)]);
  });
});

describe('publish and what a rule names', () => {
  test('every fault is a detail with its path, and it stays a draft', async () => {
    const made = await draft({
      steps: [{ id: 'a', type: 'send_message', channel_id: uuidv7(), message: { type: 'text', text: { body: 'Hi' } } }],
    });
    const { status, body } = await act('publish', made.id);
    expect([status, body.error.details[0].field]).toEqual([422, 'steps[0].channel_id']);
    expect(await get(made.id)).toEqual(made);
    expect(await versions(made.id)).toEqual([]);
  });
});

describe('a secret that a rule names', () => {
  const put = () =>
    app.call('automation.secrets.put', {
      key: tenant.key,
      params: { secretName: 'CRM_TOKEN' },
      body: { value: 'a long token', hosts: ['example.com'] },
    });
  const remove = () => app.call('automation.secrets.delete', { key: tenant.key, params: { secretName: 'CRM_TOKEN' } });
  const calling = (text: string) => ({
    steps: [{ id: 'call', type: 'http_request', url: 'https://example.com/', headers: { Authorization: text } }],
  });
  const naming = calling('Bearer {{ secrets.CRM_TOKEN }}');

  test('has to be there when it is published', async () => {
    const { id } = await draft(naming);
    const { status, body } = await act('publish', id);
    expect([status, body.error.details[0].field]).toEqual([422, 'steps[0].headers.Authorization']);
    await put();
    expect((await act('publish', id)).status).toBe(200);
  });

  test('goes once the rule was published without it, or deleted', async () => {
    await put();
    const { id } = await published(naming);
    await act('update', id, calling('none'));
    expect((await remove()).status).toBe(409);
    await act('publish', id);
    expect((await remove()).status).toBe(204);
    await put();
    const other = await published(naming);
    await act('delete', other.id);
    expect((await remove()).status).toBe(204);
  });

  test('of its deletion and a publication at once one is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      await put();
      const { id } = await draft(naming);
      const [gone, live] = await Promise.all([remove(), act('publish', id)]);
      expect([
        [204, 422],
        [409, 200],
      ]).toContainEqual([gone.status, live.status]);
      await act('delete', id);
    }
  });
});

describe('list, get, delete, duplicate', () => {
  test('newest first, by status, in pages', async () => {
    const made = [await inStatus('draft'), await inStatus('live'), await inStatus('paused')].map(({ id }) => id);
    expect(idsIn(await list())).toEqual(made.toReversed());
    expect(idsIn(await list({ status: 'live' }))).toEqual([made[1]]);
    const first = await list({ limit: '2', include_total: 'true' });
    expect(first.meta).toMatchObject({ has_more: true, total: 3 });
    expect(idsIn(await list({ limit: '2', cursor: first.meta.next_cursor }))).toEqual([made[0]]);
  });

  test('its runs and what was held back are counted', async () => {
    const { id } = await published();
    for (const state of ['running', 'failed', 'succeeded', 'succeeded'] as const)
      await automationRun(app.em(), tenant.organizationId, { ruleId: id, state });
    await heldBack(app, tenant.organizationId, id, { loop: 3, too_often: 4 });
    const stats = { queued: 0, running: 1, succeeded: 2, failed: 1, cancelled: 0, total: 4, held: 7 };
    expect((await get(id)).stats).toEqual(stats);
    expect((await list()).items[0].stats).toEqual(stats);
  });

  test('a deleted one is nowhere, and its versions cannot be read', async () => {
    const { id } = await published();
    expect((await act('delete', id)).status).toBe(204);
    for (const action of ['get', 'delete', 'pause', 'resume', 'publish', 'duplicate', 'stats', 'versions.list'])
      expect([action, (await act(action, id)).status]).toEqual([action, 404]);
    expect((await act('update', id, { name: 'x' })).status).toBe(404);
    expect((await list()).items).toEqual([]);
  });

  test('a copy is a draft of the draft, with a name of at most 200', async () => {
    const { id } = await published({ name: `${'🙂'.repeat(97)}abc`, mode: 'log' });
    await act('update', id, stepsOf('second'));
    const { status, body } = await act('duplicate', id);
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'draft', version: 0, revision: 1, mode: 'log', has_changes: true });
    expect([body.name.endsWith(' (copy)'), body.name.isWellFormed(), body.name.length <= 200]).toEqual([true, true, true]);
    expect(body.steps[0].tag).toBe('second');
  });

  test('a page of large definitions ends at 2 MiB, and the next one goes on', async () => {
    const large = { ...aRule, conditions: null, concurrency: 'skip', exit_when: null, limits: {}, steps: [] };
    const stop = (length: number) => ({ id: 'a', type: 'stop', reason: 'x'.repeat(length) });
    await storedRules.addMany(app, 9, (n) => ({
      organization_id: tenant.organizationId,
      name: `R${n}`,
      draft: { ...large, steps: [stop(n === 5 ? 2_200_000 : 500_000)] },
    }));
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const { items, meta } = await list({ limit: '100', include_total: 'true', ...(cursor && { cursor }) });
      expect([meta.total, meta.has_more]).toEqual([9, meta.next_cursor !== undefined]);
      pages.push(items.map(({ name }: Body) => name));
      cursor = meta.next_cursor;
    } while (cursor);
    expect(pages).toEqual([['R9', 'R8', 'R7', 'R6'], ['R5'], ['R4', 'R3', 'R2', 'R1']]);
  });

  test('nobody of another organization sees or changes it', async () => {
    const { id } = await published();
    const before = await get(id);
    const foreign = await app.organization();
    for (const action of ['get', 'delete', 'pause', 'resume', 'publish', 'duplicate', 'stats'])
      expect([action, (await app.call(`automation.rules.${action}`, { ...at(id), key: foreign.key })).status]).toEqual([
        action,
        404,
      ]);
    expect((await app.call('automation.rules.update', { ...at(id), key: foreign.key, body: { name: 'x' } })).status).toBe(404);
    expect((await app.call('automation.rules.list', { key: foreign.key })).body.items).toEqual([]);
    expect(await get(id)).toEqual(before);
  });

  test('each write is in the audit log, by whom', async () => {
    const { id } = await draft();
    await act('update', id, { name: 'Second', revision: 1 });
    await act('publish', id);
    await act('pause', id);
    await act('resume', id);
    await act('delete', id);
    const acts = await listedActs(app, {}, { key: tenant.key, columns: ['action', 'actor', 'subject', 'details'] });
    const by = { actor: `key:${tenant.keyId}`, subject: `automation_rule:${id}` };
    expect(acts).toEqual([
      { action: 'automation.rules.create', details: null, ...by },
      { action: 'automation.rules.update', details: { changed: ['name'] }, ...by },
      { action: 'automation.rules.publish', details: { version: 1 }, ...by },
      { action: 'automation.rules.pause', details: null, ...by },
      { action: 'automation.rules.resume', details: { version: 1 }, ...by },
      { action: 'automation.rules.delete', details: null, ...by },
    ]);
  });
});
