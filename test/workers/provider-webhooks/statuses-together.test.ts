import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { applySeen, lookAtStatuses } from '../../../src/provider-webhooks/apply-status.ts';
import type { InboundStatus } from '../../../src/providers/messaging-app/inbound.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { message, queuedMessage } from '../../support/factories/message.ts';
import { failure, newId, statusOf } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';
import { consentRows } from '../../support/work/contacts.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { rightNow } from '../../support/work/rows.ts';

let house: ProviderHouse;
let talk: ConversationMade;
beforeAll(async () => {
  house = await openProviderHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('messages', 'events');
  talk = await conversation(house.em(), house.organizationId);
});

const sent = async (of = talk, providerMessageId = newId()) => ({
  providerId: providerMessageId,
  id: await message(house.em(), house.organizationId, of, { status: 'sent', providerMessageId }),
});
/** Claimed, with its job, its answer not there yet. */
async function sending(of = talk) {
  const { messageId: id, jobId } = await queuedMessage(house.ledger.transact, house.organizationId, of);
  await messageRows.change(house, id, { status: 'sending', sending_at: rightNow() });
  await jobRows.change(house, jobId, { state: 'queued' });
  return { id, jobId };
}
async function applied(...statuses: object[]) {
  const { id, jobId } = await house.received(talk, statuses);
  const ended = await house.apply(jobId);
  expect(ended).toEqual({ kind: 'done' });
  return house.webhook(id);
}

describe('a body takes at most three round trips', () => {
  const tripsOf = async (...statuses: object[]) => {
    const { jobId } = await house.received(talk, statuses);
    const trips = await house.trips.during(() => house.apply(jobId));
    expect(await house.row(jobId)).toBeUndefined();
    return trips;
  };

  test('a status of a message that was sent', async () => {
    const { id, providerId } = await sent();
    expect(await tripsOf(statusOf(providerId, 'delivered'))).toBeLessThanOrEqual(3);
    expect((await house.messageState(id)).status).toBe('delivered');
  });

  test('the failure of one', async () => {
    const { id, providerId } = await sent();
    expect(await tripsOf(statusOf(providerId, 'failed', failure(131026)))).toBeLessThanOrEqual(3);
    expect((await house.messageState(id)).status).toBe('failed');
  });

  test('a status that no message matches', async () => {
    const providerId = newId();
    expect(await tripsOf(statusOf(providerId, 'delivered'))).toBeLessThanOrEqual(3);
    expect(await house.kept(providerId)).toHaveLength(1);
  });

  test('a repeat', async () => {
    const { providerId } = await sent();
    await tripsOf(statusOf(providerId, 'delivered'));
    expect(await tripsOf(statusOf(providerId, 'delivered'))).toBeLessThanOrEqual(3);
  });

  test('forty statuses of twenty conversations', async () => {
    const messages = [];
    for (let count = 0; count < 20; count += 1)
      messages.push(await sent(await conversation(house.em(), house.organizationId, { channel: talk.channel })));
    const both = messages.flatMap(({ providerId }) => [statusOf(providerId, 'delivered'), statusOf(providerId, 'read')]);
    expect(await tripsOf(...both)).toBeLessThanOrEqual(3);
    for (const { id } of messages) {
      expect((await house.messageState(id)).status).toBe('read');
      expect(await house.told(id)).toEqual(['message.status_update delivered', 'message.status_update read']);
    }
  });

  test('two more for each further fifty', async () => {
    const { id, providerId } = await sent();
    const repeats = Array.from({ length: 110 }, () => statusOf(newId(), 'sent'));
    expect(await tripsOf(...repeats, statusOf(providerId, 'read'))).toBeLessThanOrEqual(7);
    expect((await house.messageState(id)).status).toBe('read');
  });
});

test('all statuses of a message in one body have their events, in order; the first ends the send and frees its lane', async () => {
  const { id, jobId } = await sending();
  const next = await queuedMessage(house.ledger.transact, house.organizationId, talk);
  expect((await house.row(next.jobId))!.state).toBe('blocked');
  const providerId = newId();
  const ours = { biz_opaque_callback_data: id };
  // The second names it by the provider's id alone, which the first makes known.
  const body = [statusOf(providerId, 'sent', ours), statusOf(providerId, 'delivered'), statusOf(providerId, 'read', ours)];
  expect(await applied(...body)).toEqual({ state: 'applied', errors: null });
  expect(await house.messageState(id)).toEqual({ status: 'read', provider_message_id: providerId, failure: null });
  expect(await house.told(id)).toEqual([
    'message.sent',
    'message.status_update sent',
    'message.status_update delivered',
    'message.status_update read',
  ]);
  expect(await house.row(jobId)).toBeUndefined();
  expect((await house.row(next.jobId))!.state).not.toBe('blocked');
  expect(await house.kept(providerId)).toEqual([]);
  expect(await house.findings()).toEqual([]);
});

test('a failure ends the send of its message as failed, beside others that went well', async () => {
  const other = await conversation(house.em(), house.organizationId, { channel: talk.channel });
  const [well, badly] = [await sending(), await sending(other)];
  await applied(
    statusOf(newId(), 'failed', { ...failure(131026), biz_opaque_callback_data: badly.id }),
    statusOf(newId(), 'sent', { biz_opaque_callback_data: well.id }),
  );
  expect(await house.row(well.jobId)).toBeUndefined();
  expect(await house.row(badly.jobId)).toMatchObject({ state: 'failed', error: { provider_code: '131026' } });
  expect(await house.told(badly.id)).toEqual(['message.status_update failed', 'message.failed']);
});

test('a failure after delivered is ignored, and rank only rises, within one body too', async () => {
  const { id, providerId } = await sent();
  const words = ['delivered', 'sent', 'failed', 'delivered', 'read'];
  await applied(...words.map((word) => statusOf(providerId, word, word === 'failed' ? failure(131026) : {})));
  expect(await house.messageState(id)).toMatchObject({ status: 'read', failure: null });
  expect(await house.told(id)).toEqual(['message.status_update delivered', 'message.status_update read']);
});

test('a broken one among good ones is kept with its error, and the others are applied', async () => {
  const [first, last] = [await sent(), await sent()];
  const { id: broken } = await sending();
  // The id belongs to a message that a person wrote: no outbound message can have it.
  const taken = newId();
  await message(house.em(), house.organizationId, talk, { direction: 'inbound', providerMessageId: taken });
  const { state, errors } = await applied(
    statusOf(first.providerId, 'delivered'),
    statusOf(taken, 'sent', { biz_opaque_callback_data: broken }),
    statusOf(last.providerId, 'delivered'),
  );
  expect(state).toBe('broken');
  expect(errors).toEqual([{ error: expect.stringContaining('messages_provider_message_id'), part: 'status' }]);
  expect((await house.messageState(first.id)).status).toBe('delivered');
  expect((await house.messageState(broken)).status).toBe('sending');
  expect((await house.messageState(last.id)).status).toBe('delivered');
  for (const { id } of [first, last]) expect(await house.told(id)).toEqual(['message.status_update delivered']);
});

test('who refuses marketing is heard in the same body as other statuses', async () => {
  const [refused, other] = [await sent(), await sent()];
  await applied(statusOf(other.providerId, 'delivered'), statusOf(refused.providerId, 'failed', failure(131050)));
  expect((await house.messageState(refused.id)).status).toBe('failed');
  expect((await house.messageState(other.id)).status).toBe('delivered');
  const [consent] = await consentRows.all(house, { contact_id: talk.contact.id }, ['status']);
  expect(consent).toEqual({ status: 'denied' });
});

describe('what is applied twice', () => {
  test('two runs of a body at once: one of them writes', async () => {
    const { id, providerId } = await sent();
    const { jobId } = await house.received(talk, [statusOf(providerId, 'delivered')]);
    const ended = await Promise.all([house.apply(jobId), house.apply(jobId), house.apply(jobId)]);
    expect(ended.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect(await house.told(id)).toEqual(['message.status_update delivered']);
    expect(await house.rows()).toEqual([]);
  });

  test('a body whose worker died after half of it', async () => {
    const { id, providerId } = await sent();
    const kept = Array.from({ length: 60 }, () => statusOf(newId(), 'sent'));
    const body = [statusOf(providerId, 'delivered'), ...kept, statusOf(providerId, 'read')];
    const { jobId } = await house.received(talk, body);
    await house.sql(
      `create function die() returns trigger language plpgsql as $$ begin raise exception using errcode = '57P01'; end $$`,
    );
    await house.sql(`create trigger die before update on provider_webhooks for each statement execute function die()`);
    const stopping = house.deps.isStopping;
    house.deps.isStopping = () => true;
    expect(await house.apply(jobId)).toMatchObject({ kind: 'wait' });
    house.deps.isStopping = stopping;
    await house.sql('drop trigger die on provider_webhooks');
    await house.sql('drop function die');
    expect(await house.told(id)).toEqual(['message.status_update delivered']);
    await makeDue(house, jobId);
    expect(await house.apply(jobId)).toEqual({ kind: 'done' });
    expect(await house.told(id)).toEqual(['message.status_update delivered', 'message.status_update read']);
  });
});

describe('the message changes between the look and the write', () => {
  const statusIn = (providerMessageId: string, status: InboundStatus['status']): InboundStatus => ({
    kind: 'status',
    phoneNumberId: talk.channel.phoneNumberId,
    providerMessageId,
    status,
    at: new Date(),
  });
  /** Applies a status; `meanwhile` runs after the first look. */
  async function raced(status: InboundStatus, meanwhile: () => Promise<unknown>) {
    const own = ownRows(house.database, house.organizationId);
    const looked = lookAtStatuses(own, [status], { channelId: talk.channel.id });
    let looks = 0;
    await house.transact(
      {
        ...looked,
        async look(attempt) {
          const seen = await looked.look(attempt);
          looks += 1;
          if (looks === 1) await meanwhile();
          return seen;
        },
      },
      applySeen,
    );
    return looks;
  }

  test('to the same status: told once', async () => {
    const { id, providerId } = await sent();
    const status = statusIn(providerId, 'delivered');
    expect(await raced(status, () => raced(status, async () => {}))).toBe(2);
    expect(await house.told(id)).toEqual(['message.status_update delivered']);
  });

  test('to a higher one: it stays', async () => {
    const { id, providerId } = await sent();
    await raced(statusIn(providerId, 'delivered'), () => raced(statusIn(providerId, 'read'), async () => {}));
    expect((await house.messageState(id)).status).toBe('read');
    expect(await house.told(id)).toEqual(['message.status_update read']);
  });

  test('to another conversation: its lock is taken', async () => {
    const { id, providerId } = await sent();
    const other = await conversation(house.em(), house.organizationId, { channel: talk.channel });
    await raced(statusIn(providerId, 'delivered'), () => messageRows.change(house, id, { conversation_id: other.id }));
    const [event] = await house.sql<{ subject_id: string }>(`select subject_id from events where data->>'message_id' = $1`, [id]);
    expect(event!.subject_id).toBe(other.id);
  });

  test('its contact is erased: the status still counts, and no id of the provider is stored', async () => {
    const { id, providerId } = await sent();
    await raced(statusIn(providerId, 'delivered'), () =>
      messageRows.change(house, id, { contact_id: null, provider_message_id: null }),
    );
    expect(await house.messageState(id)).toEqual({ status: 'delivered', provider_message_id: null, failure: null });
  });
});
