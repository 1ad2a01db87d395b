import { beforeEach, describe, expect, test } from '@jest/globals';
import { type RuleAction, type RuleStatus, ruleActions, ruleMoves, ruleStatuses } from '../../../src/automation/states.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { rulesOf, stepsOf } from '../../support/automation-rules.ts';
import { storedJobs, storedPools } from '../../support/stored/api-jobs.ts';
import { storedRules } from '../../support/stored/automation.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const { act, draft, get, inStatus, published, row, versions } = rulesOf(app, () => tenant);
const eventsOf = async (id: string) => (await app.events(id)).map(({ type, data }) => [type, data.reason]);
const ticksOf = (id: string) =>
  storedJobs.all(app, { subject_id: id, name: 'automation.tick' }, { columns: ['id', 'state', 'run_at'] });
const endpointOf = (action: RuleAction) => (action === 'change' ? 'update' : action);

const cases = ruleActions.flatMap((action) => ruleStatuses.map((from) => [action, from] as [RuleAction, RuleStatus]));

describe('every action in every status', () => {
  test.each(cases)('%s of a %s rule', async (action, from) => {
    const made = await inStatus(from);
    // So that there is something to publish.
    if (action === 'publish') await act('update', made.id, stepsOf('other'));
    const before = await get(made.id);
    const events = await eventsOf(made.id);
    const reply = await act(endpointOf(action), made.id, action === 'change' ? { name: 'Another' } : undefined);
    const leads = ruleMoves[action][from];
    if (!leads) {
      expect(reply.status).toBe(409);
      expect(reply.body.error.details[0]).toMatchObject({ code: 'rule.status', value: from });
      expect(reply.body.error.message).toContain(from);
      expect(await get(made.id)).toEqual(before);
      expect(await eventsOf(made.id)).toEqual(events);
      return;
    }
    if (leads.includes('gone')) {
      expect([reply.status, (await act('get', made.id)).status]).toEqual([204, 404]);
      return;
    }
    expect(reply.status).toBe(200);
    expect(leads).toContain(reply.body.status);
    const isSame = reply.body.status === from && action !== 'change' && action !== 'publish';
    expect(reply.body.revision).toBe(before.revision + (isSame ? 0 : 1));
    const paused = from === 'live' && action === 'pause' ? [['automation.rule.paused', '']] : [];
    expect(await eventsOf(made.id)).toEqual([...events, ...paused]);
  });
});

describe('publish', () => {
  test('freezes the draft under the next number, and events begin it from then on', async () => {
    const made = await draft();
    expect(await row(made.id)).toMatchObject({ status: 'draft', event_type: null, version: 0 });
    const { status, body } = await act('publish', made.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'live',
      version: 1,
      has_changes: false,
      revision: 2,
      published_by: `key:${tenant.keyId}`,
    });
    expect(body.published_at).toEqual(expect.any(String));
    expect(await row(made.id)).toMatchObject({ status: 'live', event_type: 'contact.created', version: 1 });
    const [pool] = await storedPools.all(
      app,
      { organization_id: tenant.organizationId, id: `automation:${tenant.organizationId}` },
      { columns: ['width'] },
    );
    expect(pool).toEqual({ width: 20 });
  });

  test('a version never changes: not by the draft, nor by the next publication', async () => {
    const { id } = await published();
    const [first] = await versions(id);
    const changed = await act('update', id, stepsOf('second'));
    expect(changed.body).toMatchObject({ has_changes: true, version: 1 });
    expect(await versions(id)).toEqual([first]);
    await act('publish', id);
    await act('update', id, stepsOf('third'));
    const [kept, second] = await versions(id);
    expect(kept).toEqual(first);
    expect(second!.definition.steps[0].tag).toBe('second');
    const version = (versionNumber: string) =>
      app.call('automation.rules.versions.get', { key: tenant.key, params: { ruleID: id, versionNumber } });
    expect((await version('1')).body.steps).toEqual(first!.definition.steps);
    expect((await version('2')).body.steps[0].tag).toBe('second');
    expect((await version('3')).status).toBe(404);
  });

  test('without a change it is a 409; a paused rule is resumed instead', async () => {
    const { id } = await published();
    const again = await act('publish', id);
    expect([again.status, again.body.error.details[0].code]).toEqual([409, 'rule.unchanged']);
    await act('pause', id);
    expect((await act('publish', id)).body.error.message).toContain('resume');
    expect(await versions(id)).toHaveLength(1);
    // Members in another order are the same.
    await act('update', id, { steps: [{ tag: 'new', type: 'add_tag', id: 'welcome' }] });
    expect((await act('publish', id)).status).toBe(409);
  });

  test('an old version again, as a new number; the draft stays', async () => {
    const { id } = await published();
    await act('update', id, stepsOf('second'));
    await act('publish', id);
    await act('update', id, stepsOf('third'));
    const { status, body } = await act('publish', id, { version: 1 });
    expect([status, body.version, body.has_changes, body.steps[0].tag]).toEqual([200, 3, true, 'third']);
    const [first, , last] = await versions(id);
    expect(last!.definition).toEqual(first!.definition);
    expect((await act('publish', id, { version: 3 })).status).toBe(409);
    expect((await act('publish', id, { version: 9 })).status).toBe(404);
  });

  test('an old version that there is not: 404, and nothing changes', async () => {
    const made = await published();
    const { status, body } = await act('publish', made.id, { version: 2 });
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(await get(made.id)).toEqual(made);
  });

  test('of a draft that somebody has changed meanwhile: 409', async () => {
    const { id, revision } = await draft();
    await act('update', id, stepsOf('other'));
    const stale = await act('publish', id, { revision });
    expect([stale.status, stale.body.error.details[0]]).toEqual([
      409,
      expect.objectContaining({ code: 'revision.stale', value: String(revision + 1) }),
    ]);
    expect((await act('publish', id, { revision: revision + 1 })).status).toBe(200);
  });

  test('of two at once one is the version, and the other finds no change', async () => {
    const { id } = await draft();
    const replies = await Promise.all([1, 2, 3].map(() => act('publish', id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await versions(id)).toHaveLength(1);
  });

  test('another trigger is another type of event, or none', async () => {
    const { id } = await published({ trigger: { type: 'keyword', match: 'exact', keywords: ['hi'] } });
    expect((await row(id)).event_type).toBe('message.new');
    await act('update', id, { trigger: { type: 'api', name: 'trial_started' } });
    expect((await row(id)).event_type).toBe('message.new');
    await act('publish', id);
    expect((await row(id)).event_type).toBe('automation.event');
    await act('update', id, { trigger: { type: 'manual' } });
    await act('publish', id);
    expect((await row(id)).event_type).toBeNull();
  });
});

describe('a schedule', () => {
  const everyMorning = { trigger: { type: 'schedule', cron: '0 9 * * *', timezone: 'Asia/Jakarta' } };

  test('waits for its next moment by one job while it is live, and for none while it is paused', async () => {
    const made = await published(everyMorning);
    expect(new Date(made.next_at).getTime()).toBeGreaterThan(Date.now());
    expect(made.next_at).toContain('T02:00:00.000Z');
    const [tick, ...more] = await ticksOf(made.id);
    expect([(await row(made.id)).tick_job_id, more]).toEqual([tick!.id, []]);
    const paused = await act('pause', made.id);
    expect([paused.body.next_at, await ticksOf(made.id)]).toEqual([null, []]);
    expect(await row(made.id)).toMatchObject({ next_at: null, tick_job_id: null });
    const resumed = await act('resume', made.id);
    expect(resumed.body.next_at).toBe(made.next_at);
    expect(await ticksOf(made.id)).toHaveLength(1);
  });

  test('goes on with the next moment, never with one that it missed', async () => {
    const { id, next_at } = await published(everyMorning);
    // As the pause by itself leaves it: the moment has come and gone since.
    await storedRules.change(app, id, { status: 'paused', next_at: ago(3, 'day') });
    const { body } = await act('resume', id);
    expect(body.next_at).toBe(next_at);
    expect(await ticksOf(id)).toHaveLength(1);
  });

  test('another one replaces its job; no schedule has none', async () => {
    const { id } = await published(everyMorning);
    const [first] = await ticksOf(id);
    await act('update', id, { trigger: { type: 'schedule', cron: '30 9 * * *', timezone: 'Asia/Jakarta' } });
    const { body } = await act('publish', id);
    expect(body.next_at).toContain('T02:30:00.000Z');
    const [second, ...more] = await ticksOf(id);
    expect([second!.id === first!.id, more]).toEqual([false, []]);
    await act('update', id, { trigger: { type: 'manual' } });
    expect((await act('publish', id)).body.next_at).toBeNull();
    expect(await ticksOf(id)).toEqual([]);
  });

  test('a deleted one waits for nothing', async () => {
    const { id } = await published(everyMorning);
    expect((await act('delete', id)).status).toBe(204);
    expect(await ticksOf(id)).toEqual([]);
    expect(await row(id)).toMatchObject({ event_type: null, next_at: null, tick_job_id: null, deleted_at: expect.any(String) });
  });
});

describe('pause and resume', () => {
  test('events make no evaluation while it is paused', async () => {
    const contact_id = (await app.call('contacts.create', { key: tenant.key, body: { phone_number: `+${app.phone()}` } })).body
      .data.id;
    const { id } = await published({ trigger: { type: 'api', name: 'told' } });
    const tell = () => app.call('automation.events.create', { key: tenant.key, body: { name: 'told', contact_id } });
    const evaluations = async () =>
      await storedJobs.count(app, { organization_id: tenant.organizationId, name: 'automation.evaluate' });
    await tell();
    expect(await evaluations()).toBe(1);
    await act('pause', id);
    await tell();
    expect(await evaluations()).toBe(1);
    await act('resume', id);
    await tell();
    expect(await evaluations()).toBe(2);
    await act('delete', id);
    await tell();
    expect(await evaluations()).toBe(2);
  });

  test('one that paused by itself says why, and begins to count again when it is resumed', async () => {
    const { id } = await published();
    await storedRules.change(app, id, { status: 'paused', paused_reason: 'only_fails', failures: 7 });
    expect((await act('pause', id)).body.paused_reason).toBe('only_fails');
    const { body } = await act('resume', id);
    expect([body.status, body.paused_reason, (await row(id)).failures]).toEqual(['live', '', 0]);
  });

  test('resuming checks the version again: 422, and it stays paused', async () => {
    const { id } = await inStatus('paused');
    await app.rows(
      `update automation_rule_versions
          set definition = jsonb_set(definition, '{steps}', '[{"id": "a", "type": "send_message", "channel_id": "0193ffff-3a0e-7cc4-8f4e-0242ac120004", "message": {"type": "text", "text": {"body": "Hi"}}}]')
        where rule_id = $1`,
      [id],
    );
    const { status, body } = await act('resume', id);
    expect([status, body.error.details[0].field]).toEqual([422, 'steps[0].channel_id']);
    expect((await get(id)).status).toBe('paused');
  });
});
