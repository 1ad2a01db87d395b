import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { campaignLane, preparePool } from '../../../src/campaigns/jobs.ts';
import { cancelCampaign } from '../../../src/campaigns/pause.ts';
import { endPrepare } from '../../../src/campaigns/prepare/end.ts';
import { takeStep } from '../../../src/campaigns/prepare/step.ts';
import { enqueuePrepare } from '../../../src/campaigns/start-job.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { ensureSharedPool, holdPool, letPoolGo, nobody, poolOf } from '../../../src/platform/ledger/pools.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { Filter } from '../../../src/segments/selection.ts';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { waitFor } from '../../support/wait-for.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { contactRows, contactTagRows, segmentOf, segmentRows, tagRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { isLockAwaited } from '../../support/work/locks.ts';
import { conversationRows } from '../../support/work/messages.ts';
import { organizationRows } from '../../support/work/organizations.ts';

let at: CampaignHouse;
let channel: ChannelMade;
beforeAll(async () => {
  at = await openCampaignHouse();
  channel = await at.connected();
});
afterAll(() => at.close());

const preparing = (audience: object, more: object = {}) =>
  at.campaign({ phase: 'preparing', audience, channels: [channel.id], ...more });
const contactsOf = async (id: string) =>
  (await recipientRows.all(at, { campaign_id: id }, ['contact_id'], { contact_id: 'asc' })).map(({ contact_id }) => contact_id);

async function prepared(id: string) {
  await at.startPrepare(id);
  return at.prepare(id);
}

async function segment(kind: 'dynamic' | 'static', given: { filters?: object[]; tags?: string[]; members?: string[] }) {
  const id = uuidv7();
  await segmentRows.add(at, {
    organization_id: at.organization,
    id,
    name: `Segment ${id}`,
    kind,
    filters: (given.filters ?? []) as Filter[],
    tags: given.tags ?? [],
  });
  await segmentOf(at, at.organization, id, given.members ?? []);
  return id;
}

async function tagged(name: string, contactIds: string[]) {
  const id = uuidv7();
  await tagRows.add(at, { organization_id: at.organization, id, name });
  await contactTagRows.addAll(
    at,
    contactIds.map((contactId) => ({ organization_id: at.organization, contact_id: contactId, tag_id: id })),
  );
}

test('each source, less the excluded, each contact once; then it is fed', async () => {
  const [dynamic, members, byTag, byId, before, excluded] = await Promise.all([
    at.people({ count: 3, customFields: { plan: 'gold' } }),
    at.people({ count: 3 }),
    at.people({ count: 3 }),
    at.people({ count: 3 }),
    at.people({ count: 3 }),
    at.people({ count: 2, customFields: { plan: 'gold' } }),
  ]);
  await tagged('Friend', [...byTag, members[0]!]);
  const earlier = await at.campaign({ status: 'completed', phase: null });
  await at.recipients(earlier, channel.id, before);
  await recipientRows.change(at, { campaign_id: earlier, contact_id: { $in: before.slice(1) } }, { status: 'failed' });
  const gold = [{ field: 'custom_fields.plan', operator: 'eq', value: 'gold' }];
  const id = await preparing({
    segment_ids: [await segment('dynamic', { filters: gold }), await segment('static', { members: [...members, ...excluded] })],
    exclude_segment_ids: [await segment('static', { members: excluded })],
    tags: ['Friend'],
    contact_ids: [...byId, dynamic[0]!],
    from_campaign: { campaign_id: earlier, statuses: ['failed'] },
  });
  expect((await prepared(id)).kind).toBe('done');
  expect(await contactsOf(id)).toEqual([...dynamic, ...members, ...byTag, ...byId, ...before.slice(1)].sort());
  expect(await at.statusOf(id)).toEqual({ status: 'running', phase: 'sending', reason: '' });
  const jobs = await jobRows.all(at, { subject_id: id, state: 'queued' }, ['name', 'lane']);
  expect(jobs).toEqual([{ name: 'campaigns.feed', lane: `campaign:${id}` }]);
});

test('who was reached as one of their two contacts is none of those who were not', async () => {
  const [survivor, other] = await at.people({ count: 2 });
  const earlier = await at.campaign({ status: 'completed', phase: null });
  await at.recipients(earlier, channel.id, [survivor!, other!]);
  const rows =
    'update campaign_recipients set status = $3, reason = $4, is_extra = $5, contact_id = $6 where campaign_id = $1 and contact_id = $2';
  const audience = async (statuses: string[]) => {
    const id = await preparing({ from_campaign: { campaign_id: earlier, statuses } });
    await prepared(id);
    return contactsOf(id);
  };
  await at.sql(rows, [earlier, other, 'sent', '', true, survivor]);
  await recipientRows.change(at, { campaign_id: earlier, is_extra: false }, { status: 'skipped', reason: 'duplicate' });
  expect(await audience(['skipped', 'failed'])).toEqual([]);
  expect(await audience(['sent'])).toEqual([survivor]);
  await recipientRows.change(at, { campaign_id: earlier, is_extra: false }, { status: 'failed', reason: '' });
  expect(await audience(['failed'])).toEqual([]);
  await recipientRows.change(at, { campaign_id: earlier, is_extra: true }, { status: 'failed' });
  expect(await audience(['failed'])).toEqual([survivor]);
});

test('filters and words of a search are one source', async () => {
  const [ann] = await at.people({ count: 3, customFields: { plan: 'silver' } });
  await contactRows.change(at, ann!, { name: 'Ann Silver' });
  const id = await preparing({ filters: [{ field: 'custom_fields.plan', operator: 'eq', value: 'silver' }], search: 'ann' });
  await prepared(id);
  expect(await contactsOf(id)).toEqual([ann]);
});

test('zones come from the custom field, a channel from the newest conversation, and the start from the zone', async () => {
  const other = await at.connected();
  await organizationRows.change(at, at.organization, { timezone_field: 'tz', timezone: 'Europe/Berlin' });
  const [tokyo] = await at.people({ count: 1, customFields: { tz: 'asia/tokyo' } });
  const [nowhere] = await at.people({ count: 1, customFields: { tz: 'Mars/Base' } });
  await conversationRows.add(at, { organization_id: at.organization, channel_id: other.id, contact_id: tokyo, status: 'open' });
  const id = await preparing(
    { contact_ids: [tokyo, nowhere] },
    { channels: [channel.id, other.id], schedule: { start_at: '2026-12-24T09:00:00', is_local: true } },
  );
  await prepared(id);
  const rows = await at.sql(
    `select contact_id, channel_id, zone, variant_id, to_char(due_at at time zone 'UTC', 'DD HH24:MI') as due from campaign_recipients where campaign_id = $1 order by contact_id`,
    [id],
  );
  expect(rows).toEqual([
    { contact_id: tokyo, channel_id: other.id, zone: 'Asia/Tokyo', variant_id: 'a', due: '24 00:00' },
    { contact_id: nowhere, channel_id: expect.any(String), zone: 'Europe/Berlin', variant_id: 'a', due: '24 08:00' },
  ]);
  const [row] = await campaignRows.all(at, id, ['zones']);
  expect(row).toEqual({ zones: ['Asia/Tokyo', 'Europe/Berlin', 'UTC'] });
  await organizationRows.change(at, at.organization, { timezone_field: null, timezone: 'UTC' });
});

test('who was added by hand stays, once, and is placed as the others', async () => {
  const [byHand, both, found] = await at.people({ count: 3 });
  const id = await preparing({ contact_ids: [both, found] });
  await at.recipients(id, channel.id, [byHand!, both!]);
  await recipientRows.change(at, { campaign_id: id }, { variant_id: '', parameters: { code: 'X' } });
  await prepared(id);
  const rows = await recipientRows.all(at, { campaign_id: id }, ['contact_id', 'variant_id', 'parameters'], {
    contact_id: 'asc',
  });
  expect(rows).toEqual([
    { contact_id: byHand, variant_id: 'a', parameters: { code: 'X' } },
    { contact_id: both, variant_id: 'a', parameters: { code: 'X' } },
    { contact_id: found, variant_id: 'a', parameters: {} },
  ]);
});

test.each([
  ['nobody', 'audience_empty', async () => ({ contact_ids: [uuidv7()] })],
  ['a segment that is gone', 'audience_unknown', async () => ({ segment_ids: [uuidv7()] })],
] as const)('%s: failed, %s, and nothing is fed', async (_, reason, audience) => {
  const id = await preparing(await audience());
  expect((await prepared(id)).kind).toBe('done');
  expect(await at.statusOf(id)).toEqual({ status: 'failed', phase: null, reason });
  expect(await jobRows.all(at, { subject_id: id, state: 'queued' }, ['name'])).toEqual([{ name: 'campaigns.withdraw' }]);
});

test('failed: whoever was added by hand waits no more', async () => {
  const id = await preparing({ segment_ids: [uuidv7()] });
  await at.recipients(id, channel.id, await at.people({ count: 3 }));
  await prepared(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'failed' });
  await at.withdraw(id);
  expect(await at.counts(id)).toEqual({ 'skipped: cancelled': 3 });
  expect(await campaignRows.all(at, id, ['withdrawing'])).toEqual([{ withdrawing: false }]);
  expect(await checkJobs(at.house.database)).toEqual([]);
});

test('cancelled while its audience waits for those of others: its people wait no more, and the operation says why', async () => {
  const pool = poolOf(nobody, preparePool);
  const id = await preparing({ contact_ids: [] });
  await at.recipients(id, channel.id, await at.people({ count: 2 }));
  const transact = transactFor(at.house.ledger.transact, at.organization);
  const locks = { locks: [campaignLane(id)] };
  await at.house.ledger.transact({ locks: [] }, (tx) => ensureSharedPool(tx, preparePool, 2));
  await holdPool(at.house.database, pool, null);
  const jobId = await transact(locks, (tx) => enqueuePrepare(tx, id));
  expect(await at.house.row(jobId)).toMatchObject({ state: 'waiting' });
  await transact(locks, ({ own }) => cancelCampaign(own, id));
  expect((await at.withdraw(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual({ 'skipped: cancelled': 2 });
  expect(await at.house.row(jobId)).toMatchObject({ state: 'done', error: { code: 'cancelled' } });
  await letPoolGo(at.house.em(), pool);
  expect(await checkJobs(at.house.database)).toEqual([]);
});

const stepOf = (id: string, job: { organization_id: string; id: string; run: number }, size: number, max?: number) => {
  const { database, ledger } = at.house;
  const deps = { database, own: ownRows(database, at.organization), transact: transactFor(ledger.transact, at.organization) };
  return takeStep(deps, id, job, { size, ...(max !== undefined && { max }) });
};

test('it goes on from its position, however it ended; a run that is over writes nothing', async () => {
  const all = await at.people({ count: 7 });
  const id = await preparing({ contact_ids: all });
  const jobId = await at.startPrepare(id);
  const job = { organization_id: at.organization, id: jobId, run: 1 };
  // By hand: nobody. Then three of a source.
  expect([await stepOf(id, job, 3), await stepOf(id, job, 3)]).toEqual(['more', 'more']);
  expect(await contactsOf(id)).toEqual(all.slice(0, 3));
  await expect(stepOf(id, { ...job, run: 2 }, 3)).rejects.toThrow('');
  expect(await contactsOf(id)).toEqual(all.slice(0, 3));
  // Of two runs at once one moves on.
  const both = await Promise.allSettled([stepOf(id, job, 3), stepOf(id, job, 3)]);
  expect(both.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(1);
  expect((await contactsOf(id)).length).toBeLessThanOrEqual(7);
  expect((await at.prepare(id)).kind).toBe('done');
  expect(await contactsOf(id)).toEqual(all);
  const [{ prepared }] = (await campaignRows.all(at, id, ['prepared'])) as [{ prepared: object }];
  expect(prepared).toEqual({ source: 2, after: null, is_done: true, made: 7 });
});

test('more than there may be: it stops', async () => {
  const all = await at.people({ count: 6 });
  const id = await preparing({ contact_ids: all });
  const job = { organization_id: at.organization, id: await at.startPrepare(id), run: 1 };
  const outcomes = [];
  for (let step = 0; step < 4; step += 1) outcomes.push(await stepOf(id, job, 2, 3));
  expect(outcomes).toEqual(['more', 'more', 'more', 'too_large']);
});

test('paused or cancelled in between: it writes nothing more', async () => {
  const id = await preparing({ contact_ids: await at.people({ count: 2 }) });
  await at.startPrepare(id);
  await campaignRows.change(at, id, { status: 'paused' });
  expect((await at.prepare(id)).kind).toBe('done');
  expect(await contactsOf(id)).toEqual([]);
});

test('paused and resumed before its last run ends: it is fed by one row', async () => {
  const id = await preparing({ contact_ids: await at.people({ count: 1 }) });
  await at.startPrepare(id);
  await at.prepare(id);
  await transactFor(at.house.ledger.transact, at.organization)({ locks: [campaignLane(id)] }, ({ own }) => endPrepare(own, id));
  expect(await jobRows.all(at, { subject_id: id, state: { $ne: 'done' } }, ['name'])).toEqual([{ name: 'campaigns.feed' }]);
});

test('a resume that finds the job of a paused campaign can count on it', async () => {
  const [one] = await at.people({ count: 1 });
  const id = await preparing({ contact_ids: [one] }, { status: 'paused' });
  await at.startPrepare(id);
  const resuming = new pg.Client({ connectionString: at.house.url });
  await resuming.connect();
  await resuming.query(`begin; select pg_advisory_xact_lock(hashtextextended('${campaignLane(id)}', 0))`);
  const ended = at.prepare(id);
  await waitFor('the end of the run', () => isLockAwaited(at, { event: 'advisory' }));
  await resuming.query(`update campaigns set status = 'running' where id = $1`, [id]);
  await resuming.query('commit');
  await resuming.end();
  expect((await ended).kind).toBe('wait');
  expect((await at.prepare(id)).kind).toBe('done');
  expect(await contactsOf(id)).toEqual([one]);
});
