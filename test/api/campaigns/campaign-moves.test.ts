import { beforeAll, describe, expect, test } from '@jest/globals';
import { type CampaignAction, type CampaignStatus, campaignMoves, campaignStatuses } from '../../../src/campaigns/states.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { act, at, channelWithTemplates, completeDraft, inDays, inState, recipient } from '../../support/campaign-drafts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedCampaigns } from '../../support/stored/campaigns.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { ahead } from '../../support/stored/times.ts';

const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await channelWithTemplates(app);
});

const draft = (more?: object) => completeDraft(app, channel, more);
const get = async (id: string): Promise<Body> => (await app.call('campaigns.get', at(id))).body;
const eventsOf = async (id: string) =>
  (await app.events(id)).filter(({ type }) => type.startsWith('campaign')).map(({ data }) => data.status);
const jobsOf = (id: string) =>
  storedJobs.all(app, { subject_id: id }, { columns: ['id', 'name', 'state', 'lane'], orderBy: 'seq' });
const namesOf = async (id: string) => (await jobsOf(id)).map(({ name }) => name);

const byEndpoint: Partial<Record<CampaignAction, string>> = {
  change: 'update',
  start: 'start',
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  'retry-failed': 'retry-failed',
  delete: 'delete',
};
const cases = Object.entries(byEndpoint).flatMap(([action, name]) =>
  campaignStatuses.map((from) => [action as CampaignAction, from, name] as [CampaignAction, CampaignStatus, string]),
);

describe('every action in every state', () => {
  test.each(cases)('%s of a %s campaign', async (action, from, name) => {
    const made = await draft();
    if (from !== 'draft') await inState(app, made.id, from);
    const body = action === 'change' ? { pace: { per_minute: 7 } } : undefined;
    const reply = await act(app, name, made.id, body);
    const leads = campaignMoves[action][from];
    if (!leads) {
      expect([reply.status, reply.body.error.details[0]]).toEqual([
        409,
        expect.objectContaining({ code: 'campaign.status', value: from }),
      ]);
      expect(reply.body.error.message).toContain(from);
      expect((await get(made.id)).status).toBe(from);
      expect(await eventsOf(made.id)).toEqual([]);
      expect(await namesOf(made.id)).toEqual([]);
      return;
    }
    if (action === 'delete') {
      expect(reply.status).toBe(204);
      return;
    }
    expect(reply.status).toBe(200);
    // Those of retry-failed move with their first recipient.
    if (action === 'retry-failed') expect(reply.body.status).toBe(from);
    else expect(leads).toContain(reply.body.status);
    expect(await eventsOf(made.id)).toEqual(reply.body.status === from ? [] : [reply.body.status]);
  });
});

describe('start', () => {
  test('now: it runs, and its audience is made', async () => {
    const made = await draft();
    const { status, body } = await act(app, 'start', made.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'running', phase: 'preparing', started_by: `key:${app.tenant.keyId}`, revision: 2 });
    expect(body.started_at).toEqual(expect.any(String));
    expect(body.schedule).toMatchObject({ timezone: 'UTC', is_local: false, quiet_hours: null, days: null, end_at: null });
    expect(await jobsOf(made.id)).toEqual([expect.objectContaining({ name: 'campaigns.prepare', lane: `campaign:${made.id}` })]);
  });

  test('ahead: it waits for its time, by a job', async () => {
    const made = await draft();
    const start_at = inDays(3);
    const { body } = await act(app, 'start', made.id, { schedule: { start_at } });
    expect(body).toMatchObject({ status: 'scheduled', phase: null, start_at, started_at: null });
    expect(await namesOf(made.id)).toEqual(['campaigns.start']);
  });

  test('by the clock of each recipient: the first zone of the Earth decides', async () => {
    const made = await draft();
    const { body } = await act(app, 'start', made.id, {
      schedule: { start_at: `${inDays(3).slice(0, 10)}T09:00:00`, is_local: true },
    });
    expect(body.start_at).toBe(`${inDays(2).slice(0, 10)}T19:00:00.000Z`);
  });

  test('asked again with the same schedule it stays as it is, with another one it is a 409', async () => {
    const made = await draft();
    const schedule = { start_at: inDays(3), days: ['monday'] };
    const first = (await act(app, 'start', made.id, { schedule })).body;
    for (const body of [undefined, {}, { schedule }]) {
      const again = await act(app, 'start', made.id, body);
      expect([again.status, { ...again.body, as_of: '' }]).toEqual([200, { ...first, as_of: '' }]);
    }
    for (const other of [{ start_at: inDays(4), days: ['monday'] }, { start_at: schedule.start_at }, {}]) {
      const refused = await act(app, 'start', made.id, { schedule: other });
      expect([refused.status, refused.body.error.details[0].field]).toEqual([409, 'schedule']);
    }
    expect(await namesOf(made.id)).toEqual(['campaigns.start']);
    expect(await eventsOf(made.id)).toEqual(['scheduled']);
  });

  test('of two at once one makes it run', async () => {
    const made = await draft();
    const replies = await Promise.all([1, 2, 3].map(() => act(app, 'start', made.id)));
    expect(replies.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'running']));
    expect(await namesOf(made.id)).toEqual(['campaigns.prepare']);
    expect(await eventsOf(made.id)).toEqual(['running']);
  });

  test('recipients that were added are an audience', async () => {
    const made = await draft({ audience: {} });
    expect((await act(app, 'start', made.id)).status).toBe(422);
    await recipient(app, made);
    expect((await act(app, 'start', made.id)).status).toBe(200);
  });

  test('another schedule replaces its job', async () => {
    const made = await draft();
    await act(app, 'start', made.id, { schedule: { start_at: inDays(3) } });
    const [before] = await jobsOf(made.id);
    const start_at = inDays(5);
    const changed = await app.call('campaigns.update', { ...at(made.id), body: { schedule: { start_at } } });
    expect(changed.body).toMatchObject({ status: 'scheduled', start_at });
    const quiet = { from: '21:00', to: '08:00' };
    const kept = await app.call('campaigns.update', { ...at(made.id), body: { schedule: { quiet_hours: quiet } } });
    expect(kept.body).toMatchObject({ status: 'scheduled', start_at, schedule: { start_at, quiet_hours: quiet } });
    const after = await jobsOf(made.id);
    expect([after.length, after[0]!.id === before!.id]).toEqual([1, false]);
  });

  test('the hundred and first is a 422', async () => {
    const tenant = await app.organization();
    const own = await channelWithTemplates(app, tenant);
    const made = await completeDraft(app, own);
    const open = ['scheduled', 'running', 'paused'];
    const others = await storedCampaigns.addMany(app, 100, (n) => ({
      organization_id: tenant.organizationId,
      name: 'Other',
      status: open[n % 3],
    }));
    const start = () => app.call('campaigns.start', { key: tenant.key, ...at(made.id) });
    const refused = await start();
    expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
    await storedCampaigns.change(app, others[1], { status: 'completed' });
    expect((await start()).status).toBe(200);
  });
});

describe('pause and resume', () => {
  test('the feed ends with the pause, and a new one begins', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    await recipient(app, made, { status: 'queued' });
    await act(app, 'resume', made.id);
    const [feed] = await jobsOf(made.id);
    expect(feed).toMatchObject({ name: 'campaigns.feed', lane: `campaign:${made.id}`, state: 'queued' });
    const paused = (await act(app, 'pause', made.id)).body;
    expect(paused).toMatchObject({ status: 'paused', phase: 'sending', in_flight: 1, reason: '' });
    expect(await jobsOf(made.id)).toEqual([]);
    expect((await act(app, 'pause', made.id)).body.revision).toBe(paused.revision);
    const resumed = (await act(app, 'resume', made.id)).body;
    expect(resumed).toMatchObject({ status: 'running', phase: 'sending', resumed_at: expect.any(String) });
    expect((await act(app, 'resume', made.id)).body.revision).toBe(resumed.revision);
    expect(await namesOf(made.id)).toEqual(['campaigns.feed']);
    expect(await eventsOf(made.id)).toEqual(['running', 'paused', 'running']);
  });

  test('before the audience is there it goes on being made', async () => {
    const made = await draft();
    await act(app, 'start', made.id);
    await act(app, 'pause', made.id);
    expect((await act(app, 'resume', made.id)).body).toMatchObject({ status: 'running', phase: 'preparing' });
    expect(await namesOf(made.id)).toEqual(['campaigns.prepare']);
  });

  test('a template that was paused meanwhile is a 422, and it stays paused', async () => {
    const own = await channelWithTemplates(app);
    const made = await completeDraft(app, own);
    await inState(app, made.id, 'paused');
    await recipient(app, made);
    await storedTemplates.change(app, { channel_id: own.id }, { status: 'paused' });
    const refused = await act(app, 'resume', made.id);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'template_unknown']);
    expect((await get(made.id)).status).toBe('paused');
  });

  test('past its end it stays paused, until that is changed: everybody would be skipped', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    await recipient(app, made);
    await storedCampaigns.change(app, made.id, { schedule: { end_at: inDays(-1) } });
    const refused = await act(app, 'resume', made.id);
    expect([refused.status, refused.body.error.details[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'schedule.end_at', code: 'schedule.over' }),
    ]);
    expect((await get(made.id)).status).toBe('paused');
    await app.call('campaigns.update', { ...at(made.id), body: { schedule: { end_at: inDays(1) } } });
    expect((await act(app, 'resume', made.id)).body.status).toBe('running');
  });

  test('what made it pause is over', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    await storedCampaigns.change(app, made.id, { reason: 'template_paused', alarm: 'template_paused' });
    expect((await act(app, 'resume', made.id)).body.reason).toBe('');
    expect((await storedCampaigns.one(app, made.id)).alarm).toBeNull();
  });
});

describe('cancel', () => {
  test('ends the job that waits, and asks for the withdrawal', async () => {
    const made = await draft();
    await act(app, 'start', made.id, { schedule: { start_at: inDays(3) } });
    const { body } = await act(app, 'cancel', made.id);
    expect(body).toMatchObject({ status: 'cancelled', phase: null, ended_at: expect.any(String) });
    expect(await jobsOf(made.id)).toEqual([expect.objectContaining({ name: 'campaigns.withdraw', state: 'queued' })]);
    expect((await act(app, 'cancel', made.id)).body.revision).toBe(body.revision);
    expect(await namesOf(made.id)).toEqual(['campaigns.withdraw']);
  });

  test('takes the place of a feed that waits for tomorrow', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    await act(app, 'resume', made.id);
    await storedJobs.change(app, { subject_id: made.id }, { run_at: ahead(1, 'day') });
    await act(app, 'cancel', made.id);
    expect(await jobsOf(made.id)).toEqual([expect.objectContaining({ name: 'campaigns.withdraw', state: 'queued' })]);
  });
});

describe.each([
  ['update', { name: 'Another' }],
  ['recipients.add', { recipients: [{ phone: '+16505551234' }], create_contacts: true }],
  ['recipients.import', 'phone\r\n+16505551235\r\n'],
])('%s', (name, body) => {
  test.each([
    ['draft', false],
    ['paused', false],
    ['scheduled', true],
    ['running', true],
  ])('of a %s campaign needs messages:write: %s', async (state, isNeeded) => {
    const made = await draft();
    if (state !== 'draft') await inState(app, made.id, state);
    const { key } = await app.key(app.tenant.organizationId, [
      'campaigns:read',
      'campaigns:write',
      'contacts:read',
      'contacts:write',
    ]);
    const input = { key, ...at(made.id), body, ...(typeof body === 'string' && { query: { create_contacts: true } }) };
    const { status, body: reply } = await app.call(`campaigns.${name}`, input);
    expect(status === 403).toBe(isNeeded);
    if (isNeeded) expect(reply.error.message).toContain('messages:write');
  });
});

test.each(['start', 'resume', 'retry-failed', 'test'])('%s needs messages:write too, and the 403 names it', async (name) => {
  const made = await draft();
  const { key } = await app.key(app.tenant.organizationId, ['campaigns:read', 'campaigns:write']);
  const body = name === 'test' ? { to: ['+16505551234'] } : {};
  const { status, body: reply } = await app.call(`campaigns.${name}`, { key, ...at(made.id), body });
  expect([status, reply.error.message]).toEqual([403, expect.stringContaining('messages:write')]);
});
