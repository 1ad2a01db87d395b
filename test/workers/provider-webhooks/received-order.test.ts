import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { applyMessage } from '../../../src/provider-webhooks/apply-message.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { newId } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';
import { conversationRows } from '../../support/work/messages.ts';

/** A conversation shows messages in the order in which they came in, whichever worker was faster. */
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

const earlier = '2026-11-21 10:00:00.000100+00';
const later = '2026-11-21 10:00:00.000900+00';

function apply(text: string, received: { at: string; place: number }, providerMessageId = newId(), at = new Date()) {
  const { secrets, config } = house.deps;
  const applying = { transact: house.transact, secrets, stopWords: config.stopWords, received };
  return applyMessage(applying, talk.channel.id, {
    kind: 'message',
    phoneNumberId: talk.channel.phoneNumberId,
    providerMessageId,
    at,
    type: 'text',
    content: { body: text },
    from: { phoneId: talk.contact.phone.slice(1) },
    direction: 'inbound',
  });
}

const shown = async () =>
  (
    await house.sql<{ body: string }>(
      `select content->>'body' as body from messages where conversation_id = $1 order by created_at, id`,
      [talk.id],
    )
  ).map(({ body }) => body);

test('a body that came in earlier and is applied later stands first', async () => {
  await apply('second', { at: later, place: 1 });
  await apply('first', { at: earlier, place: 1 });
  expect(await shown()).toEqual(['first', 'second']);
});

test('the messages of one body stand in its order', async () => {
  await apply('second', { at: earlier, place: 2 });
  await apply('first', { at: earlier, place: 1 });
  expect(await shown()).toEqual(['first', 'second']);
});

test('a message whose repeat was applied first stands where the first one came in', async () => {
  const repeated = newId();
  expect(await apply('first', { at: later, place: 1 }, repeated)).toBe('new');
  await apply('second', { at: earlier, place: 2 });
  expect(await apply('first', { at: earlier, place: 1 }, repeated)).toBe('repeat');
  expect(await shown()).toEqual(['first', 'second']);
});

test('a later repeat moves nothing', async () => {
  const repeated = newId();
  await apply('first', { at: earlier, place: 1 }, repeated);
  await apply('second', { at: earlier, place: 2 });
  await apply('first', { at: later, place: 1 }, repeated);
  expect(await shown()).toEqual(['first', 'second']);
});

test('a message that comes hours late stands where it came in, counts as unread, and is not the preview', async () => {
  const written = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000);
  await apply('now', { at: earlier, place: 1 }, newId(), written(0));
  await apply('hours ago', { at: later, place: 1 }, newId(), written(5));
  expect(await shown()).toEqual(['now', 'hours ago']);
  const [row] = await conversationRows.all(house, talk.id, ['preview', 'unread_count']);
  expect(row).toEqual({ preview: 'now', unread_count: 2 });
  const told = await house.sql(`select data->'changed' as changed from events where type = 'conversation.updated' order by seq`);
  expect(told.map(({ changed }) => changed)).toEqual([['preview', 'unread_count'], ['unread_count']]);
});
