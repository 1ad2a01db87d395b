import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { retryMessage } from '../../../src/messaging/retry.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { applySeen, lookAtStatuses } from '../../../src/provider-webhooks/apply-status.ts';
import type { InboundStatus } from '../../../src/providers/messaging-app/inbound.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setMessage, storedMessage } from '../../support/rules/messages.ts';
import { fieldsOf } from '../../support/rules/rows.ts';

let house: House;
let talk: ConversationMade;
beforeAll(async () => {
  house = await openHouse();
  talk = await conversation(house.em(), house.organizationId);
});
afterAll(() => house.close());

/** False: no message of the channel matches it. */
async function applyStatus(id: string, status: 'delivered' | 'failed', providerMessageId: string): Promise<boolean> {
  const one: InboundStatus = {
    kind: 'status',
    phoneNumberId: talk.channel.phoneNumberId,
    providerMessageId,
    status,
    at: new Date(),
    callbackData: id,
    ...(status === 'failed' && { error: { code: '131026', message: 'undeliverable' } }),
  };
  const looked = lookAtStatuses(ownRows(house.database, house.organizationId), [one], { channelId: talk.channel.id });
  return transactFor(house.ledger.transact, house.organizationId)(looked, async (tx, seen) => {
    await applySeen(tx, seen);
    return seen.unmatched.length === 0;
  });
}
const retry = (id: string, force: boolean) =>
  transactFor(house.ledger.transact, house.organizationId)({ locks: [conversationLane(talk.id)] }, (tx) =>
    retryMessage(tx, id, force),
  );
const stateOf = async (id: string) => fieldsOf(await storedMessage(house.em(), id), 'status', 'provider_message_id');

test('a repeat of what was said of the first send does not settle a forced retry', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'failed', providerMessageId: 'wamid.first' });
  await expect(retry(id, false)).rejects.toMatchObject({ code: 'conflict' });
  await retry(id, true);
  expect(await applyStatus(id, 'failed', 'wamid.first')).toBe(false);
  expect(await applyStatus(id, 'delivered', 'wamid.first')).toBe(false);
  expect(await stateOf(id)).toEqual({ status: 'queued', provider_message_id: null });
});

test('proof that comes after the outcome was given up as unknown is heard, and nothing is left to retry', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'failed' });
  await setMessage(house.em(), id, { failure: { code: 'outcome_unknown', provider_code: null, message: '?' } });
  await expect(retry(id, false)).rejects.toMatchObject({ code: 'conflict' });
  expect(await applyStatus(id, 'delivered', 'wamid.late')).toBe(true);
  expect(await stateOf(id)).toEqual({ status: 'delivered', provider_message_id: 'wamid.late' });
  await expect(retry(id, true)).rejects.toMatchObject({ code: 'conflict' });
});
