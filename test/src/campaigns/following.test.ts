import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { completeCampaign, SomebodyWaits } from '../../../src/campaigns/feed/end.ts';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { recipientMoves, recipientStatuses } from '../../../src/campaigns/states.ts';
import { followMessages, followMessagesNow, type RecipientNews } from '../../../src/messaging/campaign-recipients.ts';
import { followRetry } from '../../../src/messaging/campaign-sends.ts';
import type { Failure } from '../../../src/messaging/message.entity.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { OwnTx } from '../../../src/platform/ledger/tx.ts';
import { type PersonMade, peopleOf } from '../../support/campaign-people.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setFrequencyCap, setRecipients } from '../../support/rules/campaigns.ts';
import { dayMs, inMs } from '../../support/rules/clock.ts';
import { lockWaiters } from '../../support/rules/database-locks.ts';
import { waitFor } from '../../support/wait-for.ts';

let house: House;
let people: ReturnType<typeof peopleOf>;
let campaignId: string;
beforeAll(async () => {
  house = await openHouse();
  people = peopleOf(house);
  campaignId = await people.running();
});
afterAll(() => house.close());

const failure = (code: string, provider_code: string | null = null): Failure => ({ code, provider_code, message: 'x' });
const newsOf = ({ messageId, campaignId: id }: PersonMade, status: RecipientNews['status'], why: Failure | null = null) => ({
  messageId,
  campaignId: id,
  status,
  failure: why,
});
const within = <Result>(work: (own: OwnTx) => Promise<Result>) =>
  transactFor(house.ledger.transact, house.organizationId)({}, ({ own }) => work(own));
const follow = (...news: RecipientNews[]) => within((own) => followMessagesNow(own, news));
/** Whether it goes out again. */
const retry = ({ messageId: id, campaignId: campaign_id }: PersonMade) =>
  within((own) => followRetry(own, { id, campaign_id })).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ code: 'conflict' });
      return false;
    },
  );

/** What a message does to its recipient, by the status it leads to. The feed, `retry-failed`, a merge and an erasure do the rest. */
const ways: Record<string, (person: PersonMade) => Promise<unknown>> = {
  sent: (person) => follow(newsOf(person, 'sent')),
  delivered: (person) => follow(newsOf(person, 'delivered')),
  read: (person) => follow(newsOf(person, 'read')),
  failed: (person) => follow(newsOf(person, 'failed', failure('provider_refused', '131026'))),
  skipped: (person) => follow(newsOf(person, 'failed', failure('suppressed'))),
  pending: (person) => follow(newsOf(person, 'failed', failure('provider_refused', '132015'))),
  queued: retry,
};
const byOthers = ['pending queued', 'pending skipped', 'failed pending'];

describe('every move of a recipient, allowed and not', () => {
  const moves = recipientStatuses.flatMap((from) => Object.keys(ways).map((to) => ({ from, to })));
  test.each(moves)('$from → $to', async ({ from, to }) => {
    const person = await people.person(campaignId, from);
    const before = await people.recipient(person.id);
    await ways[to]!(person);
    const after = await people.recipient(person.id);
    const isAllowed = recipientMoves[from].some((one) => one === to) && !byOthers.includes(`${from} ${to}`);
    if (isAllowed) expect(after.status).toBe(to);
    // A failure of any kind is one where the person was written to.
    else if (from === 'sent' && to === 'skipped') expect(after).toMatchObject({ status: 'failed', failure_code: 'suppressed' });
    else expect(after).toEqual(before);
    expect(after.failed_at !== null).toBe(after.status === 'failed');
    expect(after.reason !== '').toBe(after.status === 'skipped' && from === 'queued');
  });
});

test('each time is set once, and a later status implies the ones before', async () => {
  const person = await people.person(campaignId);
  await follow(newsOf(person, 'delivered'));
  const delivered = await people.recipient(person.id);
  expect(delivered.sent_at).not.toBeNull();
  expect(delivered.result_at).not.toBeNull();
  expect(delivered.read_at).toBeNull();
  await follow(newsOf(person, 'sent'));
  await follow(newsOf(person, 'read'));
  const { status, read_at, sent_at, delivered_at, result_at } = await people.recipient(person.id);
  expect(status).toBe('read');
  expect(read_at).not.toBeNull();
  expect({ sent_at, delivered_at, result_at }).toEqual({
    sent_at: delivered.sent_at,
    delivered_at: delivered.delivered_at,
    result_at: delivered.result_at,
  });
});

test.each([
  ['suppressed', 'suppressed'],
  ['consent_required', 'consent_required'],
  ['contact_deleted', 'contact_deleted'],
  ['no_address', 'no_address'],
  ['duplicate', 'duplicate'],
  ['campaign_cancelled', 'cancelled'],
])('refused as %s: skipped, and not counted for the frequency', async (code, reason) => {
  const person = await people.person(campaignId);
  await follow(newsOf(person, 'failed', failure(code)));
  expect(await people.recipient(person.id)).toMatchObject({
    status: 'skipped',
    reason,
    failure_code: '',
    queued_at: null,
    result_at: null,
  });
});

test('the failure is the provider’s code, else ours', async () => {
  const [first, second] = [await people.person(campaignId), await people.person(campaignId)];
  await follow(
    newsOf(first, 'failed', failure('provider_refused', '131026')),
    newsOf(second, 'failed', failure('outcome_unknown')),
  );
  expect(await people.recipient(first.id)).toMatchObject({ status: 'failed', failure_code: '131026' });
  expect(await people.recipient(second.id)).toMatchObject({ status: 'failed', failure_code: 'outcome_unknown' });
  await follow(newsOf(second, 'delivered'));
  expect(await people.recipient(second.id)).toMatchObject({ status: 'delivered', failure_code: '', failed_at: null });
});

test.each(['132015', '132016'])(
  'template refused (%s): back to pending without a try, and the campaign is told',
  async (code) => {
    const id = await people.running();
    const person = await people.person(id);
    await follow(newsOf(person, 'failed', failure('provider_refused', code)));
    expect(await people.recipient(person.id)).toMatchObject({
      status: 'pending',
      message_id: null,
      attempts: 0,
      queued_at: null,
      due_in_hours: 0,
    });
    expect(await people.alarmOf(id)).toBe('template_paused');
  },
);

test('of a campaign that has ended nobody goes back to pending, and it is told nothing', async () => {
  const id = await people.running({ status: 'cancelled' });
  const person = await people.person(id);
  await follow(newsOf(person, 'failed', failure('provider_refused', '132015')));
  expect(await people.recipient(person.id)).toMatchObject({ status: 'failed', failure_code: '132015' });
  expect(await people.alarmOf(id)).toBeNull();
});

test('spam: the recipient has failed, and the campaign is told once', async () => {
  const id = await people.running();
  const [first, second] = [await people.person(id), await people.person(id)];
  await follow(newsOf(first, 'failed', failure('provider_refused', '131048')));
  expect(await people.recipient(first.id)).toMatchObject({ status: 'failed', failure_code: '131048' });
  expect(await people.alarmOf(id)).toBe('spam_limit');
  await follow(newsOf(second, 'failed', failure('provider_refused', '132015')));
  expect(await people.alarmOf(id)).toBe('spam_limit');
});

test.each(['131049', '130472'])('capped (%s): once more after a day where the campaign says so', async (code) => {
  const told = failure('provider_refused', code);
  const person = await people.person(campaignId, 'sent');
  await follow(newsOf(person, 'failed', told));
  expect((await people.recipient(person.id)).status).toBe('failed');
  const patient = await people.running({ guards: { retry_capped: true } });
  const again = await people.person(patient, 'sent');
  await follow(newsOf(again, 'failed', told));
  expect(await people.recipient(again.id)).toMatchObject({
    status: 'pending',
    message_id: null,
    attempts: 1,
    due_in_hours: 24,
    sent_at: null,
  });
  await setRecipients(house.em(), { id: again.id }, { status: 'sent', attempts: 2, message_id: again.messageId });
  await follow(newsOf(again, 'failed', told));
  expect((await people.recipient(again.id)).status).toBe('failed');
});

test.each(['132015', '131049', null])(
  'a second send was refused (%s) and the first may have arrived: nobody is written to again',
  async (providerCode) => {
    const id = await people.running({ guards: { retry_capped: true } });
    const person = await people.person(id);
    await follow(newsOf(person, 'failed', failure('outcome_unknown', providerCode)));
    const row = await people.recipient(person.id);
    expect(row).toMatchObject({ status: 'failed', failure_code: 'outcome_unknown', message_id: person.messageId });
    await follow(newsOf(person, 'delivered'));
    expect(await people.recipient(person.id)).toMatchObject({ status: 'delivered', failure_code: '' });
  },
);

test('a retry of the message queues the recipient again; of one that was skipped it is refused', async () => {
  const failed = await people.person(campaignId, 'failed');
  expect(await retry(failed)).toBe(true);
  expect(await people.recipient(failed.id)).toMatchObject({ status: 'queued', failed_at: null, result_at: null, attempts: 2 });
  expect(await retry(await people.person(campaignId, 'skipped'))).toBe(false);
});

describe('a message that somebody retries by hand', () => {
  test.each(['cancelled', 'completed'] as const)('of a %s campaign stays failed, with what it failed for', async (status) => {
    const person = await people.person(await people.running({ status }), 'failed');
    const before = await people.recipient(person.id);
    expect(await retry(person)).toBe(false);
    expect(await people.recipient(person.id)).toEqual(before);
  });

  test('is one of those that the frequency cap counts', async () => {
    await setFrequencyCap(house.em(), { max: 1, days: 7 });
    const person = await people.person(campaignId, 'failed');
    const other = await people.person(await people.running(), 'sent', person.talk);
    expect(await retry(person)).toBe(false);
    await setRecipients(house.em(), { id: other.id }, { queued_at: inMs(-8 * dayMs) });
    expect(await retry(person)).toBe(true);
    await setFrequencyCap(house.em(), null);
  });

  test('of two that would both be the last one that is allowed, one goes out', async () => {
    await setFrequencyCap(house.em(), { max: 1, days: 7 });
    const person = await people.person(campaignId, 'failed');
    const other = await people.person(await people.running(), 'failed', person.talk);
    expect((await Promise.all([retry(person), retry(other)])).sort()).toEqual([false, true]);
    await setFrequencyCap(house.em(), null);
  });

  test('goes not to somebody whom the campaign writes to, or will write to, with another one', async () => {
    const person = await people.person(campaignId, 'failed');
    const other = await people.person(campaignId, 'pending');
    await setRecipients(house.em(), { id: other.id }, { contact_id: person.talk.contact.id, is_extra: true });
    expect(await retry(person)).toBe(false);
  });

  test('is not sent to a person who may have received another message of the campaign', async () => {
    const person = await people.person(campaignId, 'failed');
    const other = await people.person(campaignId, 'failed');
    await house.sql(
      `update campaign_recipients set contact_id = $2, is_extra = true, failure_code = 'outcome_unknown' where id = $1`,
      [other.id, person.talk.contact.id],
    );
    expect(await retry(person)).toBe(false);
    await house.sql(`update campaign_recipients set failure_code = '131026' where id = $1`, [other.id]);
    expect(await retry(person)).toBe(true);
  });
});

test('who would wait again while the campaign completes: it does not complete, or they have failed', async () => {
  const complete = (id: string) =>
    transactFor(house.ledger.transact, house.organizationId)({ locks: [campaignLane(id)] }, ({ own }) =>
      completeCampaign(own, id),
    );
  const refused = (person: PersonMade) => [newsOf(person, 'failed', failure('provider_refused', '132015'))];
  for (const isFirst of [true, false]) {
    const id = await people.running();
    const person = await people.person(id, 'sent');
    let completed: Promise<unknown> | undefined;
    if (isFirst) {
      await within(async (own) => {
        await followMessagesNow(own, refused(person));
        completed = complete(id).catch((error) => error);
        await waiting(1);
      });
      expect(await completed).toBeInstanceOf(SomebodyWaits);
      expect((await people.recipient(person.id)).status).toBe('pending');
    } else {
      let followed: Promise<unknown> | undefined;
      await transactFor(house.ledger.transact, house.organizationId)({ locks: [campaignLane(id)] }, async ({ own }) => {
        await completeCampaign(own, id);
        followed = follow(...refused(person));
        await waiting(1);
      });
      await followed;
      expect(await people.recipient(person.id)).toMatchObject({ status: 'failed', failure_code: '132015' });
    }
  }
});

test('a message that is retried while the campaign completes: it does not complete, or they have failed', async () => {
  const lane = (id: string) => ({ locks: [campaignLane(id)] });
  for (const isFirst of [true, false]) {
    const id = await people.running();
    const person = await people.person(id, 'failed');
    const asked = { id: person.messageId, campaign_id: id };
    const inLane = transactFor(house.ledger.transact, house.organizationId);
    if (isFirst) {
      let completed: Promise<unknown> | undefined;
      await within(async (own) => {
        await followRetry(own, asked);
        completed = inLane(lane(id), ({ own: tx }) => completeCampaign(tx, id)).catch((error) => error);
        await waiting(1);
      });
      expect(await completed).toBeInstanceOf(SomebodyWaits);
      expect((await people.recipient(person.id)).status).toBe('queued');
    } else {
      let retried: Promise<boolean> | undefined;
      await inLane(lane(id), async ({ own }) => {
        await completeCampaign(own, id);
        retried = retry(person);
        await waiting(1);
      });
      expect(await retried).toBe(false);
      expect((await people.recipient(person.id)).status).toBe('failed');
    }
  }
});

const waiting = (count: number) => waitFor('the wait for the row', async () => (await lockWaiters(house.em())) >= count);

test('several in one statement of the ledger, the failed ones among them', async () => {
  const [one, two, three] = [await people.person(campaignId), await people.person(campaignId), await people.person(campaignId)];
  await within(async (own) =>
    followMessages(own, [newsOf(one, 'sent'), newsOf(two, 'failed', failure('no_address')), newsOf(three, 'read')]),
  );
  expect((await people.recipient(one.id)).status).toBe('sent');
  expect(await people.recipient(two.id)).toMatchObject({ status: 'skipped', reason: 'no_address' });
  expect((await people.recipient(three.id)).status).toBe('read');
});
