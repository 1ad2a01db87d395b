import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import {
  act,
  at,
  channelWithTemplates,
  completeDraft,
  inDays,
  inState,
  recipient,
  stranger,
} from '../../support/campaign-drafts.ts';
import { storedCampaigns } from '../../support/stored/campaigns.ts';

const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await channelWithTemplates(app);
});

const draft = (more?: object) => completeDraft(app, channel, more);
const get = async (id: string): Promise<Body> => (await app.call('campaigns.get', at(id))).body;
const patch = (id: string, body: object) => app.call('campaigns.update', { ...at(id), body });

describe('a campaign as the contract shows it', () => {
  test('a draft with a name alone', async () => {
    const { status, body } = await app.call('campaigns.create', { body: { name: ' Spring ' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Spring',
      status: 'draft',
      phase: null,
      reason: '',
      purpose: 'marketing',
      channel_ids: [],
      variants: [],
      audience: {},
      schedule: {},
      pace: {},
      guards: { max_failed_percent: 20, retry_capped: false, start_grace_minutes: 60 },
      in_flight: 0,
      revision: 1,
      created_by: `key:${app.tenant.keyId}`,
      started_by: '',
      start_at: null,
      ended_at: null,
    });
    expect(body.counts).toEqual({
      total: 0,
      pending: 0,
      queued: 0,
      sent: 0,
      delivered: 0,
      read: 0,
      failed: 0,
      skipped: 0,
    });
    expect({ ...(await get(body.id)), as_of: '' }).toEqual({ ...body, as_of: '' });
  });

  test('counts are counted from its recipients', async () => {
    const made = await draft();
    for (const status of ['pending', 'queued', 'failed', 'failed']) await recipient(app, made, { status });
    expect(await get(made.id)).toMatchObject({ in_flight: 1, counts: { total: 4, pending: 1, queued: 1, failed: 2, read: 0 } });
  });

  test('channels keep their order', async () => {
    const other = await channelWithTemplates(app);
    const made = await draft({ channel_ids: [other.id, channel.id] });
    expect(made.channel_ids).toEqual([other.id, channel.id]);
    expect((await patch(made.id, { channel_ids: [channel.id, other.id] })).body.channel_ids).toEqual([channel.id, other.id]);
  });
});

describe('the list', () => {
  test('is newest first, by status, in pages, without deleted ones', async () => {
    const tenant = await app.organization();
    const made: string[] = [];
    for (const name of ['A', 'B', 'C', 'D'])
      made.push((await app.call('campaigns.create', { key: tenant.key, body: { name } })).body.id);
    await inState(app, made[1]!, 'cancelled');
    await app.call('campaigns.delete', { key: tenant.key, ...at(made[0]!) });
    const list = async (query: Record<string, string>) =>
      (await app.call('campaigns.list', { key: tenant.key, query })).body as Body;
    expect((await list({})).items.map(({ name }: Body) => name)).toEqual(['D', 'C', 'B']);
    expect((await list({ status: 'cancelled' })).items.map(({ name }: Body) => name)).toEqual(['B']);
    const first = await list({ limit: '2', include_total: 'true' });
    expect([first.items.length, first.meta.total]).toEqual([2, 3]);
    const second = await list({ limit: '2', cursor: first.meta.next_cursor });
    expect(second.items.map(({ name }: Body) => name)).toEqual(['B']);
    expect((await app.call('campaigns.list', { query: { status: 'asleep' } })).status).toBe(422);
  });

  test('a page of large drafts ends at 2 MiB, and the next one goes on', async () => {
    const { key, organizationId } = await app.organization();
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'x'.repeat(60_000) }] }];
    const templates = Array.from({ length: 15 }, (_, index) => ({ name: 'n', language: `e${index}`, components }));
    await storedCampaigns.addMany(app, 5, (n) => ({
      organization_id: organizationId,
      name: `C${n}`,
      variants: [{ id: 'a', weight: 1, templates }],
    }));
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: '100', include_total: 'true', ...(cursor && { cursor }) };
      const { items, meta } = (await app.call('campaigns.list', { key, query })).body;
      expect([meta.total, meta.has_more]).toEqual([5, meta.next_cursor !== undefined]);
      pages.push(items.map(({ name }: Body) => name));
      cursor = meta.next_cursor;
    } while (cursor);
    expect(pages).toEqual([['C5', 'C4'], ['C3', 'C2'], ['C1']]);
  });
});

describe('a change', () => {
  test('replaces what is given and keeps the rest', async () => {
    const made = await draft();
    const changed = (await patch(made.id, { name: 'Second', pace: { per_minute: 60 }, revision: 1 })).body;
    expect(changed).toEqual({
      ...made,
      name: 'Second',
      pace: { per_minute: 60 },
      revision: 2,
      as_of: changed.as_of,
      updated_at: changed.updated_at,
    });
    const same = await patch(made.id, { name: 'Second', channel_ids: made.channel_ids });
    expect(same.body.revision).toBe(2);
  });

  test('from a stale revision is a 409 that names the present one', async () => {
    const made = await draft();
    await patch(made.id, { name: 'Second' });
    const stale = await patch(made.id, { name: 'Third', revision: 1 });
    expect([stale.status, stale.body.error.details[0]]).toEqual([
      409,
      expect.objectContaining({ field: 'revision', code: 'revision.stale', value: '2' }),
    ]);
    expect((await get(made.id)).name).toBe('Second');
  });

  test('of a paused one is of schedule, pace and guards alone', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    const refused = await patch(made.id, { name: 'Other' });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([409, 'name']);
    const quiet = { from: '21:00', to: '08:00' };
    const { status, body } = await patch(made.id, {
      pace: { per_minute: 10 },
      guards: { max_failed_percent: 5 },
      schedule: { quiet_hours: quiet },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'paused', pace: { per_minute: 10 }, guards: { max_failed_percent: 5 } });
    expect(body.schedule.quiet_hours).toEqual(quiet);
    const begun = await patch(made.id, { schedule: { start_at: inDays(2) } });
    expect([begun.status, begun.body.error.details[0].field]).toEqual([422, 'schedule.start_at']);
  });

  test('of a paused local one takes an end by the wall, and no other', async () => {
    const made = await draft();
    await inState(app, made.id, 'paused');
    const wall = (days: number) => inDays(days).slice(0, 19);
    const schedule = { start_at: wall(-1), timezone: 'Asia/Tokyo', is_local: true };
    await storedCampaigns.change(app, made.id, { schedule });
    const offset = await patch(made.id, { schedule: { end_at: inDays(2) } });
    expect([offset.status, offset.body.error.details[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'schedule.end_at', code: 'string.isoDate' }),
    ]);
    const { status, body } = await patch(made.id, { schedule: { end_at: wall(2) } });
    expect([status, body.schedule]).toEqual([200, expect.objectContaining({ ...schedule, end_at: wall(2) })]);
    expect((await act(app, 'resume', made.id)).status).toBe(200);
  });

  test('of a scheduled one must leave it complete', async () => {
    const made = await draft();
    await act(app, 'start', made.id, { schedule: { start_at: inDays(1) } });
    const scheduled = await get(made.id);
    const refused = await patch(made.id, { channel_ids: [] });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'channel_ids']);
    expect({ ...(await get(made.id)), as_of: '' }).toEqual({ ...scheduled, as_of: '' });
  });
});

describe('deleting', () => {
  test.each(['draft', 'completed', 'cancelled', 'failed'])('a %s campaign is a 204, then a 404', async (status) => {
    const made = await draft();
    if (status !== 'draft') await inState(app, made.id, status);
    expect((await app.call('campaigns.delete', at(made.id))).status).toBe(204);
    expect((await app.call('campaigns.get', at(made.id))).status).toBe(404);
    expect((await app.call('campaigns.delete', at(made.id))).status).toBe(404);
  });

  test.each(['scheduled', 'running', 'paused'])('a %s campaign is a 409 that names the state', async (status) => {
    const made = await draft();
    await inState(app, made.id, status);
    const { status: code, body } = await app.call('campaigns.delete', at(made.id));
    expect([code, body.error.details[0].value]).toEqual([409, status]);
  });
});

describe('a copy', () => {
  test('is a draft of the same content', async () => {
    const made = await draft({ name: 'x'.repeat(200), pace: { per_minute: 5 } });
    await inState(app, made.id, 'completed');
    const { status, body } = await app.call('campaigns.duplicate', at(made.id));
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'draft', revision: 1, pace: { per_minute: 5 }, audience: made.audience });
    expect(body.name).toBe(`${'x'.repeat(193)} (copy)`);
    expect(body.id).not.toBe(made.id);
  });

  test('cuts no character of its name apart', async () => {
    const made = await draft({ name: '🎉'.repeat(100) });
    expect((await app.call('campaigns.duplicate', at(made.id))).body.name).toBe(`${'🎉'.repeat(96)} (copy)`);
  });

  test('keeps out a segment that was deleted', async () => {
    const segment = (await app.call('segments.create', { body: { name: 'Gone', kind: 'static' } })).body.id;
    const made = await draft({ audience: { segment_ids: [segment] } });
    await app.call('campaigns.cancel', at(made.id));
    expect((await app.call('segments.delete', { params: { segmentID: segment } })).status).toBe(204);
    const copy = await app.call('campaigns.duplicate', at(made.id));
    expect(copy.status).toBe(201);
    const started = await act(app, 'start', copy.body.id);
    expect([started.status, started.body.error.details[0].field]).toEqual([422, 'audience.segment_ids[0]']);
  });
});

describe('a segment', () => {
  test('is not deleted while a campaign that has not ended needs it', async () => {
    const segment = (await app.call('segments.create', { body: { name: 'Needed', kind: 'static' } })).body.id;
    const made = await draft({ audience: { segment_ids: [segment] } });
    await draft({ audience: { contact_ids: made.audience.contact_ids, exclude_segment_ids: [segment] } });
    const refused = await app.call('segments.delete', { params: { segmentID: segment } });
    expect([refused.status, refused.body.error.message]).toEqual([409, 'The segment is used by 2 campaigns that have not ended']);
    await patch(made.id, { audience: {} });
    expect((await app.call('segments.delete', { params: { segmentID: segment } })).body.error.message).toContain('a campaign');
  });
});

test('an unknown campaign is a 404 for each endpoint', async () => {
  for (const id of [stranger, 'no-id']) {
    for (const name of ['get', 'delete', 'duplicate', 'start', 'pause', 'resume', 'cancel', 'preview', 'retry-failed'])
      expect([name, (await app.call(`campaigns.${name}`, at(id))).status]).toEqual([name, 404]);
    expect((await patch(id, { name: 'X' })).status).toBe(404);
    expect((await act(app, 'test', id, { to: ['+16505551234'] })).status).toBe(404);
  }
});
