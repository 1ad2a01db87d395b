import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { conversationsOf, eraseContact, eraseLocks } from '../../../src/contacts/erasure/erase.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { applySeen, lookAtStatuses } from '../../../src/provider-webhooks/apply-status.ts';
import { providerIdOf } from '../../support/campaign-provider.ts';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertEnded } from '../../support/campaign-seen.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Two people of a campaign are merged after the provider has taken the message to one of them, and its answer was lost. */
let at: CampaignRuns;
let channels: [ChannelMade, ChannelMade];
const asked: string[] = [];
beforeAll(async () => {
  at = await openCampaignRuns(({ messageId }) => asked.push(messageId));
  channels = [await at.channel(2), await at.channel(2)];
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => at.close());

type Recipient = { status: string; reason: string };
type Story = Awaited<ReturnType<typeof story>>;

/** `isLostExtra`: the lost message is that of the contact that does not survive. */
async function story(isLostExtra: boolean) {
  const own = ownRows(at.house.database, at.organization);
  const id = await at.campaign({ channels: channels.map((one) => one.id) });
  const [older, newer] = (await at.people({ count: 2 })) as [string, string];
  const contacts = isLostExtra ? [newer, older] : [older, newer];
  for (const [index, channel] of channels.entries()) await at.recipients(id, channel.id, [contacts[index]!]);
  await at.sql(`update campaigns set prepared = '{"source": 1, "after": null, "is_done": true, "made": 0}' where id = $1`, [id]);
  await at.startFeed(id);
  await at.work('campaigns.feed', id);
  const messageOf = async (contactId: string) =>
    (await at.sql<{ id: string }>('select id from messages where campaign_id = $1 and contact_id = $2', [id, contactId]))[0]!.id;
  const [lost, other] = [await messageOf(contacts[0]!), await messageOf(contacts[1]!)];

  async function send(messageId: string, answer: 'accepted' | 'lost' | number) {
    at.provider.next(answer);
    const row = (await at.queued('messages.send', id)).find((one) => one.subject_id === messageId);
    if (row) await at.run('messages.send', row);
  }
  /** A pool lets few go within its pace. */
  const untilQueued = (messageId: string) =>
    waitFor('the message in the queue', async () => {
      await at.passTime(id);
      return (await at.queued('messages.send', id)).some((row) => row.subject_id === messageId);
    });
  async function merge() {
    const pair = { id: older, otherId: newer };
    const options = { isLong: true, look: () => lookAtPair(own, pair), locks: mergeLocks };
    await at.transact(options, (tx) => mergeContacts(tx.own, 'key:test', pair));
  }
  async function erase() {
    const look = () => conversationsOf(own, older);
    const locks = (conversations: string[]) => eraseLocks(older, conversations);
    await at.transact({ isLong: true, look, locks }, (tx) => eraseContact(tx.own, testSecrets, older));
  }
  /** The provider's webhook about the lost message. */
  async function report(status: 'delivered' | 'failed', code = '') {
    const ids = { phoneNumberId: channels[0].phoneNumberId, providerMessageId: providerIdOf(lost), callbackData: lost };
    const reported = { kind: 'status' as const, ...ids, status, at: new Date(), ...(code && { error: { code, message: 'No' } }) };
    await at.transact(lookAtStatuses(own, [reported], { channelId: channels[0].id }), applySeen);
  }
  const recipient = async (messageId: string): Promise<Recipient> =>
    (await at.sql<Recipient>('select status, reason from campaign_recipients where message_id = $1', [messageId]))[0]!;
  async function end() {
    await at.toEnd(id);
    await assertEnded(at, id);
    await assertClean(at);
  }

  await send(lost, 'lost');
  return { id, lost, other, send, untilQueued, merge, erase, report, recipient, end };
}

const timesAsked = (messageId: string) => asked.filter((one) => one === messageId).length;
const duplicate = { status: 'skipped', reason: 'duplicate' };

describe.each([
  ['of the contact that survives', false],
  ['of the merged contact', true],
])('the lost message is that %s', (_name, isLostExtra) => {
  test.each([
    ['the lost one', true],
    ['the other one', false],
  ])('the person gets the lost message alone when %s is sent first', async (_first, isLostFirst) => {
    const one = await story(isLostExtra);
    await one.merge();
    await at.passTime(one.id);
    for (const id of isLostFirst ? [one.lost, one.other] : [one.other, one.lost]) await one.send(id, 'accepted');
    await one.end();
    expect(await one.recipient(one.lost)).toMatchObject({ status: 'sent' });
    expect(await one.recipient(one.other)).toMatchObject(duplicate);
    expect(timesAsked(one.lost)).toBe(2);
    expect(timesAsked(one.other)).toBe(0);
  });

  const ends: [string, string, (one: Story) => Promise<void>][] = [
    [
      'its second answer is lost, too',
      'failed',
      async (one) => {
        await one.untilQueued(one.lost);
        await one.send(one.lost, 'lost');
        await at.passTime(one.id);
        await one.send(one.lost, 'accepted');
      },
    ],
    [
      'it is refused at its second attempt',
      'failed',
      async (one) => {
        await one.untilQueued(one.lost);
        await one.send(one.lost, 131026);
      },
    ],
    ['it is reported as delivered late', 'delivered', (one) => one.report('delivered')],
  ];
  test.each(ends)('the other message is a duplicate when %s', async (_name, status, finish) => {
    for (const isMergedFirst of [true, false]) {
      const one = await story(isLostExtra);
      if (isMergedFirst) await one.merge();
      await finish(one);
      if (!isMergedFirst) await one.merge();
      await one.end();
      expect(await one.recipient(one.lost)).toMatchObject({ status });
      expect(await one.recipient(one.other)).toMatchObject(duplicate);
      expect(timesAsked(one.other)).toBe(0);
    }
  });

  test('the other message is sent when the provider reports that the lost one failed', async () => {
    const one = await story(isLostExtra);
    await one.merge();
    await one.report('failed', '131026');
    await one.end();
    expect(await one.recipient(one.lost)).toMatchObject({ status: 'failed' });
    expect(await one.recipient(one.other)).toMatchObject({ status: 'sent' });
    expect(timesAsked(one.lost)).toBe(1);
    expect(timesAsked(one.other)).toBe(1);
  });

  test('nothing more is sent once the merged person is erased', async () => {
    const one = await story(isLostExtra);
    await one.merge();
    await one.erase();
    await one.end();
    expect(await one.recipient(one.lost)).toMatchObject({ status: 'failed' });
    expect(await one.recipient(one.other)).toMatchObject({ status: 'skipped', reason: 'contact_deleted' });
    expect(timesAsked(one.lost)).toBe(1);
    expect(timesAsked(one.other)).toBe(0);
  });
});
