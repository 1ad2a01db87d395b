import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { holdPool } from '../../../src/platform/ledger/pools.ts';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import { campaignRows } from '../../support/work/campaigns.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';

let at: CampaignHouse;
beforeAll(async () => {
  at = await openCampaignHouse();
});
afterAll(() => at.close());

/** Fed for a second, then cancelled as the endpoint does it. */
async function cancelled({ isHeld = false, count = 130 } = {}) {
  const channel = await at.connected({ rate: 80 });
  const id = await at.campaign({ channels: [channel.id] });
  await at.recipients(id, channel.id, await at.people({ count }));
  await at.startFeed(id);
  if (isHeld) await holdPool(at.house.database, at.house.pool(channel.pool), null);
  await at.feed(id);
  await jobRows.remove(at, { subject_id: id });
  await campaignRows.change(at, id, { status: 'cancelled', phase: null, withdrawing: true });
  await at.startWithdraw(id);
  return { id, channel };
}

test.each([false, true])('what nobody has claimed ends, with a held pool: %s', async (isHeld) => {
  const { id } = await cancelled({ isHeld });
  const [claimed] = await at.messagesOf(id);
  await messageRows.change(at, claimed!.id, { status: 'sending' });
  expect((await at.withdraw(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual({ queued: 1, 'skipped: cancelled': 129 });
  const messages = await at.sql(
    `select status, failure->>'code' as code, count(*)::int as n from messages where campaign_id = $1 group by 1, 2 order by 1`,
    [id],
  );
  expect(messages).toEqual([
    { status: 'failed', code: 'campaign_cancelled', n: 79 },
    { status: 'sending', code: null, n: 1 },
  ]);
  const ids = (await at.messagesOf(id)).map((message) => message.id);
  expect(await jobRows.count(at, { subject_id: { $in: ids } })).toBe(1);
  expect(await campaignRows.all(at, id, ['withdrawing'])).toEqual([{ withdrawing: false }]);
  const told = await at.sql(
    `select 1 from events where type = 'message.failed' and data->>'code' = 'campaign_cancelled'
        and subject_id in (select id from messages where campaign_id = $1 union select conversation_id from messages where campaign_id = $1)`,
    [id],
  );
  expect(told).toHaveLength(79);
});

test('what stands behind it in its lane goes on', async () => {
  const { id } = await cancelled({ count: 1 });
  const [message] = await at.messagesOf(id);
  const lane = `conversation:${message!.conversation_id}`;
  await at.sql(
    `with m as (
       insert into messages (organization_id, id, channel_id, conversation_id, contact_id, direction, type, status, content)
       select organization_id, uuidv7(), channel_id, conversation_id, contact_id, 'outbound', 'text', 'queued', '{}' from messages where id = $1
       returning organization_id, id)
     insert into jobs (organization_id, id, name, queue, payload, subject_type, subject_id, lane, state, seq, check_at)
     select organization_id, uuidv7(), 'messages.send', 'messages', '{}', 'message', id, $2, 'blocked', nextval('jobs_seq'), clock_timestamp() from m`,
    [message!.id, lane],
  );
  await at.withdraw(id);
  expect(await jobRows.all(at, { lane }, ['state'])).toEqual([{ state: 'queued' }]);
});

test('a second run changes nothing', async () => {
  const { id } = await cancelled({ count: 5 });
  await at.withdraw(id);
  const before = await at.counts(id);
  await at.startWithdraw(id);
  expect((await at.withdraw(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual(before);
  expect(await checkJobs(at.house.database)).toEqual([]);
});

test('what may have arrived by an earlier send is not called off: its claim says that nobody knows', async () => {
  const { id } = await cancelled({ count: 3 });
  const [unknown] = await at.messagesOf(id);
  await messageRows.change(at, unknown!.id, { resends: 1 });
  expect((await at.withdraw(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual({ queued: 1, 'skipped: cancelled': 2 });
});
