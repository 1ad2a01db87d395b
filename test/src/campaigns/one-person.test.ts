import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { forgetInCampaigns } from '../../../src/campaigns/erasure/forget-in-campaigns.ts';
import type { RecipientStatus } from '../../../src/campaigns/states.ts';
import { eraseContact, eraseLocks, type Remains } from '../../../src/contacts/erasure/erase.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { sendMessageJob } from '../../../src/messaging/jobs.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { channelPool } from '../../../src/platform/ledger/pools.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { claimMessage, claimResend } from '../../../workers/messaging/claim-message.ts';
import { type PersonMade, peopleOf } from '../../support/campaign-people.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setCampaign, setRecipients, storedCampaign } from '../../support/rules/campaigns.ts';
import { deleteJobs } from '../../support/rules/ledger-jobs.ts';
import { setMessage, startSending, storedMessage } from '../../support/rules/messages.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
let people: ReturnType<typeof peopleOf>;
beforeAll(async () => {
  house = await openHouse();
  people = peopleOf(house);
});
afterAll(() => house.close());

let survivor: ConversationMade;
let merged: ConversationMade;
beforeEach(async () => {
  survivor = await conversation(house.em(), house.organizationId);
  merged = await conversation(house.em(), house.organizationId);
});

async function merge() {
  const asked = { id: survivor.contact.id, otherId: merged.contact.id };
  const look = () => lookAtPair(ownRows(house.database, house.organizationId), asked);
  await house.ledger.transact({ look, locks: mergeLocks }, (tx) => mergeContacts(tx.of(house.organizationId), 'cli', asked));
}

/** What the claim of the message's send says; the message then waits again. */
async function isSecond({ messageId: message_id, talk }: PersonMade) {
  const lane = conversationLane(talk.id);
  const id = await transactFor(house.ledger.transact, house.organizationId)({ locks: [lane] }, async ({ own }) =>
    own.enqueue(sendMessageJob, { message_id }, { lane, pool: channelPool(talk.channel.id) }),
  );
  const { run } = (await house.row(id))!;
  const claim = await claimMessage(house.database, { organization_id: house.organizationId, id, run });
  await setMessage(house.em(), message_id!, { status: 'queued' });
  await deleteJobs(house.em());
  return claim && 'claimed' in claim ? claim.claimed?.campaign?.is_second : claim;
}

describe('two contacts that become one', () => {
  test('one of them a recipient: the survivor is in their place', async () => {
    const one = await people.person(await people.running(), 'pending', merged);
    await merge();
    expect(await people.recipient(one.id)).toMatchObject({ status: 'pending', contact_id: survivor.contact.id, is_extra: false });
  });

  const outcomes: [RecipientStatus, RecipientStatus, string, string][] = [
    ['pending', 'pending', 'pending', 'skipped'],
    ['queued', 'pending', 'queued', 'skipped'],
    ['pending', 'queued', 'skipped', 'queued'],
    ['pending', 'sent', 'skipped', 'sent'],
    ['read', 'pending', 'read', 'skipped'],
    ['failed', 'pending', 'failed', 'skipped'],
    ['pending', 'failed', 'pending', 'failed'],
    ['pending', 'skipped', 'pending', 'skipped'],
    ['skipped', 'skipped', 'skipped', 'skipped'],
    ['sent', 'delivered', 'sent', 'delivered'],
  ];
  test.each(outcomes)('both, %s and %s: %s and %s, the second one extra', async (first, second, firstAfter, secondAfter) => {
    const id = await people.running();
    const [stays, moves] = [await people.person(id, first, survivor), await people.person(id, second, merged)];
    await merge();
    const [one, other] = [await people.recipient(stays.id), await people.recipient(moves.id)];
    expect(one).toMatchObject({ status: firstAfter, is_extra: false, contact_id: survivor.contact.id });
    expect(other).toMatchObject({ status: secondAfter, is_extra: true, contact_id: survivor.contact.id });
    if (first === 'pending' && firstAfter === 'skipped') expect(one.reason).toBe('duplicate');
    if (second === 'pending' && secondAfter === 'skipped') expect(other.reason).toBe('duplicate');
  });

  test.each<RecipientStatus>(['pending', 'failed', 'sent'])(
    'the survivor was skipped and the other not, %s: the other is no extra one, so it is written to',
    async (status) => {
      const id = await people.running();
      const [stays, moves] = [await people.person(id, 'skipped', survivor), await people.person(id, status, merged)];
      await merge();
      expect(await people.recipient(stays.id)).toMatchObject({ status: 'skipped', is_extra: true });
      expect(await people.recipient(moves.id)).toMatchObject({ status, is_extra: false, contact_id: survivor.contact.id });
    },
  );

  test('three, of whom the first was skipped and the second was sent: the third is not written to', async () => {
    const id = await people.running();
    const third = await conversation(house.em(), house.organizationId);
    await people.person(id, 'skipped', survivor);
    await people.person(id, 'sent', merged);
    const last = await people.person(id, 'pending', third);
    await merge();
    merged = third;
    await merge();
    expect(await people.recipient(last.id)).toMatchObject({ status: 'skipped', reason: 'duplicate', is_extra: true });
  });

  test('one whose outcome nobody knows may have got it: the other is not written to', async () => {
    const id = await people.running();
    const [stays, moves] = [await people.person(id, 'pending', survivor), await people.person(id, 'failed', merged)];
    await setRecipients(house.em(), { id: moves.id }, { failure_code: 'outcome_unknown' });
    await merge();
    expect(await people.recipient(stays.id)).toMatchObject({ status: 'skipped', reason: 'duplicate' });
  });

  test('three contacts of one campaign: one of them waits', async () => {
    const id = await people.running();
    const third = await conversation(house.em(), house.organizationId);
    const made: PersonMade[] = [];
    for (const talk of [survivor, merged, third]) made.push(await people.person(id, 'pending', talk));
    await merge();
    merged = third;
    await merge();
    const rows = await Promise.all(made.map((one) => people.recipient(one.id)));
    expect(rows.map(({ status }) => status)).toEqual(['pending', 'skipped', 'skipped']);
  });

  test('both messages are made: the extra one is let go at its claim, unless it is out already', async () => {
    for (const isOut of [false, true]) {
      [survivor, merged] = [
        await conversation(house.em(), house.organizationId),
        await conversation(house.em(), house.organizationId),
      ];
      const id = await people.running();
      const [stays, moves] = [await people.person(id, 'queued', survivor), await people.person(id, 'queued', merged)];
      await merge();
      if (isOut) await startSending(house.em(), moves.messageId!);
      const claims = [];
      for (const person of isOut ? [stays] : [moves, stays]) claims.push(await isSecond(person));
      expect(claims).toEqual(isOut ? [true] : [true, false]);
    }
  });
});

/** How the other message of the person stands: what its recipient and its message are then. */
type Other = { status: RecipientStatus; failureCode?: string; message?: string };
const mayHaveArrived: Record<string, Other> = {
  'is being sent': { status: 'queued', message: `status = 'sending', sending_at = clock_timestamp()` },
  'waits for another attempt after a lost answer': { status: 'queued', message: 'resends = 1' },
  'was sent': { status: 'sent' },
  'was delivered': { status: 'delivered' },
  'was read': { status: 'read' },
  'was given up with an unknown outcome': { status: 'failed', failureCode: 'outcome_unknown' },
};

describe('the claim of a campaign message to a person with another message of it', () => {
  /** One of the two contacts' messages stands as `other` says; the message of the other contact is returned. */
  async function beside({ status, failureCode = '', message = 'status = status' }: Other, isExtra: boolean): Promise<PersonMade> {
    const id = await people.running();
    const [extra, main] = [await people.person(id, 'queued', merged), await people.person(id, 'queued', survivor)];
    const [own, other] = isExtra ? [extra, main] : [main, extra];
    await house.sql('update campaign_recipients set status = $2, failure_code = $3 where id = $1', [
      other.id,
      status,
      failureCode,
    ]);
    await house.sql(`update messages set ${message} where id = $1`, [other.messageId]);
    if (status !== 'queued') await house.sql('update messages set status = $2 where id = $1', [other.messageId, status]);
    await merge();
    return own;
  }

  describe.each([true, false])('is_extra: %s', (isExtra) => {
    test.each(Object.entries(mayHaveArrived))('is refused when the other one %s', async (_name, other) => {
      expect(await isSecond(await beside(other, isExtra))).toBe(true);
    });

    test('passes when the provider refused the other one', async () => {
      expect(await isSecond(await beside({ status: 'failed', failureCode: '131026' }, isExtra))).toBe(false);
    });

    test('passes for another attempt after a lost answer when the other one is only queued', async () => {
      const own = await beside({ status: 'queued' }, isExtra);
      await house.sql('update messages set resends = 1 where id = $1', [own.messageId]);
      expect(await isSecond(own)).toBe(false);
      await house.sql(`update messages set status = 'sending', resends = 0 where id = $1`, [own.messageId]);
      const again = await claimResend(ownRows(house.database, house.organizationId), own.messageId, 0);
      expect(again!.campaign!.is_second).toBe(false);
    });

    test.each(Object.entries(mayHaveArrived))('is refused for a resend when the other one %s', async (_name, other) => {
      const own = await beside(other, isExtra);
      await house.sql(`update messages set status = 'sending' where id = $1`, [own.messageId]);
      const again = await claimResend(ownRows(house.database, house.organizationId), own.messageId, 0);
      expect(again!.campaign!.is_second).toBe(true);
    });
  });

  test('passes for one of three queued messages, whichever is claimed first', async () => {
    const id = await people.running();
    const third = await conversation(house.em(), house.organizationId);
    const made: PersonMade[] = [];
    for (const talk of [survivor, merged, third]) made.push(await people.person(id, 'queued', talk));
    await merge();
    merged = third;
    await merge();
    const [main, one, other] = made as [PersonMade, PersonMade, PersonMade];
    expect(await isSecond(other)).toBe(true);
    expect(await isSecond(one)).toBe(true);
    expect(await isSecond(main)).toBe(false);
    await house.sql(`update campaign_recipients set status = 'failed', failure_code = '131026' where id = $1`, [main.id]);
    expect(await isSecond(other)).toBe(true);
    expect(await isSecond(one)).toBe(false);
  });
});

test('an erased person: nothing of a file is left, who waits is skipped, the rows stay for the counts', async () => {
  const [first, second] = [await people.running(), await people.running()];
  const [waits, was] = [await people.person(first, 'pending', survivor), await people.person(second, 'read', survivor)];
  await setRecipients(house.em(), {}, { parameters: { name: 'Ann' } });
  const filled = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
  const content = { name: 'offer', language: 'en_US', components: filled };
  await setMessage(house.em(), was.messageId!, { type: 'template', content });
  const { id } = survivor.contact;
  await transactFor(house.ledger.transact, house.organizationId)({ locks: eraseLocks(id, [survivor.id]) }, ({ own }) =>
    eraseContact(own, testSecrets, id),
  );
  expect(await people.recipient(waits.id)).toMatchObject({
    ...{ status: 'skipped', reason: 'contact_deleted', contact_id: null, parameters: {} },
  });
  expect(await people.recipient(was.id)).toMatchObject({ status: 'read', reason: '', contact_id: null, parameters: {} });
  const message = await storedMessage(house.em(), was.messageId!);
  expect(message.content).toEqual({ name: 'offer', language: 'en_US', components: [] });
});

test('an erased person is not what an audience searches for', async () => {
  const campaignId = await people.running();
  const asked = (name: string, phone: string) => ({ search: phone, filters: [{ field: 'name', value: name }], tags: ['vip'] });
  await setCampaign(house.em(), campaignId, { audience: asked('Ann Lee', '+16505550199') as never });
  const remains = { identities: [{ type: 'phone', source: '', value: '+16505550199' }], names: ['Ann Lee'] } as Remains;
  const own = ownRows(house.database, house.organizationId);
  expect(await forgetInCampaigns(house.ledger.transact, own, remains)).toBe(1);
  const { audience } = await storedCampaign(house.em(), campaignId);
  expect(audience).toEqual(asked('[removed]', '[removed]'));
  expect(await forgetInCampaigns(house.ledger.transact, own, remains)).toBe(0);
});
