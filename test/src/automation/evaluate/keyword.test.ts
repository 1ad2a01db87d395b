import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDefinitions } from '../../../../src/automation/evaluate/definitions.ts';
import { findEvaluated, triggeredBy } from '../../../../src/automation/evaluate/event.ts';
import type { KeywordTrigger } from '../../../../src/automation/evaluate/keyword.ts';
import { wouldBegin } from '../../../../src/automation/evaluate/would-begin.ts';
import { Message } from '../../../../src/messaging/message.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { type ConversationMade, conversation } from '../../../support/factories/conversation.ts';
import { pauseRule } from '../../../support/rules/automation.ts';
import { storeEvent } from '../../../support/rules/events.ts';
import { storeRow } from '../../../support/rules/rows.ts';

let at: RuleHouse;
let own: Own;
let talk: ConversationMade;
const stopWords = ['stop', 'désabonner'];
beforeAll(async () => {
  at = await openRuleHouse();
  own = ownRows(at.house.database, at.organization);
  talk = await conversation(at.house.em(), at.organization);
});
afterAll(() => at.close());

type Said = { type?: string; content?: Record<string, unknown>; direction?: 'inbound' | 'outbound'; channel?: string };

/** The new message's event, as it is stored. */
async function said({ type = 'text', content = {}, direction = 'inbound', channel = talk.channel.id }: Said): Promise<string> {
  const message = await storeRow(at.house.em(), at.organization, Message, {
    channel_id: talk.channel.id,
    conversation_id: talk.id,
    contact_id: talk.contact.id,
    direction,
    type,
    status: 'received',
    content,
    told: null,
  });
  const ids = { message_id: message, conversation_id: talk.id, contact_id: talk.contact.id, channel_id: channel };
  return storeEvent(at.house.em(), at.organization, {
    type: 'message.new',
    subjectType: 'conversation',
    subjectId: talk.id,
    data: { ...ids, direction, from_phone: '', msg_type: type },
  });
}

async function begins(trigger: Omit<KeywordTrigger, 'type'>, message: Said): Promise<boolean> {
  const id = await at.rule({ trigger: { type: 'keyword', ...trigger } });
  const event = (await findEvaluated(own, await said(message)))!;
  const published = (await createDefinitions().read(own, [{ id, version: 1 }])).of({ id, version: 1 })!;
  expect(event.rules).toContainEqual({ id, version: 1, mode: 'live', changed_at: expect.any(String) });
  const how = triggeredBy(event, published, stopWords);
  const unpublished = { ...published.definition, steps: [] };
  expect(await wouldBegin(own, event, unpublished, stopWords)).toBe(how === 'keyword');
  await pauseRule(at.house.em(), id);
  return how === 'keyword';
}

type Case = [KeywordTrigger['match'], string[], string, boolean];
test.each<Case>([
  ['exact', ['hello'], 'hello', true],
  ['exact', ['hello'], 'HeLLo', true],
  ['exact', ['HELLO'], '  hello\n', true],
  ['exact', ['hello'], 'hello there', false],
  ['exact', ['hello'], 'hello!', false],
  ['exact', ['hello', 'good  morning'], 'Good morning', true],
  ['exact', ['good morning'], 'good\n morning', true],
  ['exact', ['cafe'], 'Café', true],
  ['exact', ['Café'], 'cafe', true],
  ['exact', ['strasse'], 'Straße', true],
  ['exact', ['Łódź'], 'lodz', true],
  ['exact', ['ΟΔΟΣ'], 'οδός', true],
  ['exact', ['ｍｅｎｕ'], 'menu', true],
  ['exact', ['नमस्ते'], 'नमस्ते', true],
  ['exact', ['👍'], '👍', true],
  ['exact', ['❤'], '❤️', true],
  ['exact', ['👍'], '👎', false],
  ['exact', [''], '', false],
  ['exact', ['​ '], '', false],
  ['contains', ['price'], 'What is the PRICE of it?', true],
  ['contains', ['price list'], 'send me the price   list please', true],
  ['contains', ['price list'], 'list of each price', false],
  ['contains', ['preço'], 'qual o preco?', true],
  ['contains', ['🍕'], 'I want 🍕 now', true],
  ['contains', ['菜单'], '请给我菜单谢谢', true],
  ['contains', ['pizza', 'pasta'], 'some pasta', true],
  ['contains', ['pizza', 'pasta'], 'some rice', false],
  ['contains', ['50%'], 'is it 50% off', true],
  ['contains', ['a.c'], 'abc', false],
  ['contains', [' '], 'two words', false],
  ['starts_with', ['order'], 'Order 15, please', true],
  ['starts_with', ['order'], 'my order', false],
  ['starts_with', ['i want'], ' I  want it', true],
])('%s %j of %j: %j', async (match, keywords, body, isWanted) => {
  expect(await begins({ match, keywords }, { content: { body } })).toBe(isWanted);
});

test.each<[string, Said, boolean]>([
  ['the label of a button', { type: 'button', content: { payload: 'p1', text: 'Menu' } }, true],
  ['what a button carries unseen', { type: 'button', content: { payload: 'menu', text: 'Yes' } }, false],
  ['a reply button', { type: 'interactive', content: { type: 'button_reply', button_reply: { id: '1', title: 'Menu' } } }, true],
  ['a row of a list', { type: 'interactive', content: { type: 'list_reply', list_reply: { id: '1', title: 'Menu' } } }, true],
  ['an answer to a form', { type: 'interactive', content: { type: 'nfm_reply', nfm_reply: { body: 'menu' } } }, false],
  ['the caption of an image', { type: 'image', content: { id: '1', caption: 'menu' } }, true],
  ['the caption of a video', { type: 'video', content: { id: '1', caption: 'menu' } }, true],
  ['the caption of a document', { type: 'document', content: { id: '1', caption: 'menu', filename: 'a' } }, true],
  ['the name of a document', { type: 'document', content: { id: '1', filename: 'menu' } }, false],
  ['an image without a caption', { type: 'image', content: { id: '1' } }, false],
  ['a reaction', { type: 'reaction', content: { emoji: 'menu' } }, false],
  ['a notice of the provider', { type: 'system', content: { body: 'menu' } }, false],
  ['a text whose body is no text', { type: 'text', content: { body: { menu: 'menu' } } }, false],
  ['a message without words', { type: 'location', content: { latitude: 1, longitude: 1, name: 'menu' } }, false],
  ['an erased message', { type: 'text', content: {} }, false],
  ['a message from the phone app', { content: { body: 'menu' }, direction: 'outbound' }, false],
])('of %s: %j', async (_, message, isWanted) => {
  expect(await begins({ match: 'exact', keywords: ['menu'] }, message)).toBe(isWanted);
});

test.each<[string, Said]>([
  ['stop', { content: { body: ' STOP ' } }],
  ['desabonner', { content: { body: 'desabonner' } }],
  ['stop', { type: 'button', content: { payload: 'stop', text: 'Stop' } }],
  ['no more', { type: 'button', content: { payload: 'stop', text: 'No more' } }],
  ['stop', { type: 'interactive', content: { type: 'button_reply', button_reply: { id: '1', title: 'stop' } } }],
])('the stop word %s of %j begins nothing', async (keyword, message) => {
  for (const match of ['exact', 'contains', 'starts_with'] as const)
    expect(await begins({ match, keywords: [keyword] }, message)).toBe(false);
});

test('a stop word within more words is no stop word', async () => {
  expect(await begins({ match: 'contains', keywords: ['stop'] }, { content: { body: 'where is the bus stop?' } })).toBe(true);
});

test.each([
  ['of one of its channels', (own: string) => [uuidv7(), own], true],
  ['of another channel', () => [uuidv7()], false],
  ['of any channel, as it names none', () => [], true],
])('a message %s: %j', async (_, channels, isWanted) => {
  const channel_ids = channels(talk.channel.id);
  expect(await begins({ match: 'exact', keywords: ['hi'], channel_ids }, { content: { body: 'hi' } })).toBe(isWanted);
});

test('keywords are not asked of another event', async () => {
  const id = await at.rule({ trigger: { type: 'keyword', match: 'contains', keywords: ['a'] }, eventType: 'contact.updated' });
  const event = await storeEvent(at.house.em(), at.organization, {
    type: 'contact.updated',
    subjectType: 'contact',
    subjectId: talk.contact.id,
    data: { direction: 'inbound', name: 'a' },
  });
  const published = (await createDefinitions().read(own, [{ id, version: 1 }])).of({ id, version: 1 })!;
  expect(triggeredBy((await findEvaluated(own, event))!, published, [])).toBeUndefined();
});
