import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { campaignLane, retryFailedJob } from '../../../src/campaigns/jobs.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { retryFailed } from '../../../workers/campaigns/retry-failed.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { ago, rightNow } from '../../support/work/rows.ts';

let house: House;
let channelId: string;
let campaignId: string;
const handler = retryFailed as unknown as ToyHandler;

beforeAll(async () => {
  house = await openHouse();
  channelId = (await channel(house.em(), house.organizationId)).id;
});
afterAll(() => house.close());

beforeEach(async () => {
  campaignId = await campaignRows.add(house, {
    organization_id: house.organizationId,
    name: 'Sale',
    status: 'completed',
    ended_at: rightNow(),
  });
  for (const [status, code] of [
    ['failed', 'provider_refused'],
    ['failed', 'outcome_unknown'],
    ['read', ''],
    ['skipped', ''],
  ]) {
    const who = await contact(house.em(), house.organizationId);
    await recipientRows.add(house, {
      organization_id: house.organizationId,
      campaign_id: campaignId,
      contact_id: who.id,
      channel_id: channelId,
      status: status as 'failed',
      failure_code: code,
      failed_at: status === 'failed' ? rightNow() : null,
      message_id: uuidv7(),
    });
  }
});

async function ask(force = 'false', before = new Date(Date.now() + 60_000).toISOString()) {
  const transact = transactFor(house.ledger.transact, house.organizationId);
  const id = await transact({ locks: [campaignLane(campaignId)] }, async ({ own }) =>
    own.enqueue(retryFailedJob, { campaign_id: campaignId, before, force }),
  );
  return (await house.row(id))!;
}
const recipients = async () =>
  (
    await house.sql<{ shown: string }>(
      `select status || ' ' || failure_code || ' ' || attempts || (case when message_id is null then '' else ' message' end) as shown
         from campaign_recipients where campaign_id = $1 order by id`,
      [campaignId],
    )
  ).map(({ shown }) => shown);
const status = async () => (await campaignRows.all(house, campaignId, ['status', 'phase']))[0];
const feeds = () => jobRows.all(house, { subject_id: campaignId, name: 'campaigns.feed' });

describe('whose message failed', () => {
  test('waits to be written to again, and the campaign runs; a second run changes nothing', async () => {
    const row = await ask();
    expect((await house.run(handler, row)).kind).toBe('done');
    const after = ['pending  0', 'failed outcome_unknown 0 message', 'read  0 message', 'skipped  0 message'];
    expect(await recipients()).toEqual(after);
    expect(await status()).toEqual({ status: 'running', phase: 'sending' });
    expect(await feeds()).toHaveLength(1);
    await house.run(handler, row);
    expect(await recipients()).toEqual(after);
    expect(await feeds()).toHaveLength(1);
  });

  test('and the provider wants left alone for a day is due after it', async () => {
    await recipientRows.change(
      house,
      { campaign_id: campaignId, failure_code: 'provider_refused' },
      { failure_code: '131049', failed_at: ago('1 hour') },
    );
    await house.run(handler, await ask());
    const [row] = await recipientRows.all(house, { campaign_id: campaignId }, ['status', 'due_at'], { id: 'asc' });
    expect(row!.status).toBe('pending');
    expect(Math.round((Date.parse(row!.due_at) - Date.now()) / 3_600_000)).toBe(23);
  });

  test('with force those too who may have got it', async () => {
    await house.run(handler, await ask('true'));
    expect((await recipients()).slice(0, 2)).toEqual(['pending  0', 'pending  0']);
  });

  test('after it was asked for is left as it is', async () => {
    await house.run(handler, await ask('true', new Date(Date.now() - 60_000).toISOString()));
    expect((await recipients())[0]).toBe('failed provider_refused 0 message');
    expect(await status()).toEqual({ status: 'completed', phase: null });
  });

  test('of a cancelled campaign is left as it is', async () => {
    const row = await ask();
    await campaignRows.change(house, campaignId, { status: 'cancelled' });
    await house.run(handler, row);
    expect((await recipients())[0]).toBe('failed provider_refused 0 message');
    expect(await feeds()).toEqual([]);
  });
});
