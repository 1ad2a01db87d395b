import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import {
  bodyFor,
  change,
  entry,
  inboundFrom,
  newId,
  bodyOf as several,
  statusOf,
  textFrom,
} from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { redispatchNow } from '../../support/work/jobs.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows, unmatchedStatusRows } from '../../support/work/provider-webhooks.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function applied(body: object) {
  expect((await app.webhook(body)).status).toBe(200);
  await app.idle();
  expect(await providerWebhookRows.all(app, { state: { $ne: 'applied' } }, ['errors'])).toEqual([]);
}
const from = (phone: string, more: object) => applied(bodyFor(channel, inboundFrom(phone, { text: undefined, ...more })));
const echoed = (phone: string, more: object) =>
  applied(
    bodyFor(channel, { message_echoes: [{ ...textFrom('1'), text: undefined, to: phone, ...more }] }, 'smb_message_echoes'),
  );
const byProviderId = (id: string): Promise<Body> => messageRows.one(app, { provider_message_id: id });
const seconds = (at: number) => String(Math.floor(Date.now() / 1_000) + at);
const isoOf = (text: string) => new Date(Number(text) * 1_000).toISOString();
const edit = (original: string, message: object, timestamp = seconds(0)) => ({
  type: 'edit',
  timestamp,
  edit: { original_message_id: original, message },
});
const textOf = (body: string) => ({ type: 'text', text: { body } });
const revoke = (original: string, timestamp = seconds(0)) => ({
  type: 'revoke',
  timestamp,
  revoke: { original_message_id: original },
});
const updates = async (id: string) =>
  (await app.events(id)).filter(({ type }) => type === 'message.updated').map(({ data }) => data);

/** A text of a person, the first in its conversation. */
async function written(body = 'The 12th') {
  const [phone, id] = [app.phone(), newId()];
  await from(phone, { id, type: 'text', text: { body } });
  return { phone, id, message: await byProviderId(id) };
}
const conversationOf = ({ conversation_id }: Body): Promise<Body> =>
  conversationRows.one(app, conversation_id, ['preview', 'unread_count', 'last_inbound_at']);

describe('an edit', () => {
  test('shows what the message says now, keeps what it said first, and is told', async () => {
    const { phone, id, message } = await written();
    const before = await conversationOf(message);
    const [first, second] = [seconds(10), seconds(20)];
    await from(phone, edit(id, textOf('The 21st'), first));
    await from(phone, edit(id, textOf('The 22nd'), second));
    expect((await byProviderId(id)).content).toEqual({
      body: 'The 22nd',
      edited: { at: isoOf(second), before: { body: 'The 12th' } },
    });
    expect(await conversationOf(message)).toEqual({ ...before, preview: 'The 22nd' });
    const told = {
      message_id: message.id,
      conversation_id: message.conversation_id,
      channel_id: channel.id,
      cause: 'edited',
    };
    expect(await updates(message.conversation_id)).toEqual([told, told]);
    expect(await messageRows.count(app, { conversation_id: message.conversation_id })).toBe(1);
  });

  test('that comes again, or after a later one, changes nothing', async () => {
    const { phone, id, message } = await written();
    const late = edit(id, textOf('Second'), seconds(20));
    await from(phone, late);
    await from(phone, late);
    await from(phone, edit(id, textOf('First'), seconds(10)));
    expect((await byProviderId(id)).content).toMatchObject({ body: 'Second' });
    expect(await updates(message.conversation_id)).toHaveLength(1);
  });

  test('of a caption leaves the rest of the message as it is', async () => {
    const { phone, id } = await written();
    const image = newId();
    await from(phone, { id: image, type: 'image', image: { id: '7', mime_type: 'image/jpeg', caption: 'Old', sha256: 'x' } });
    const before = (await byProviderId(image)).content;
    const timestamp = seconds(5);
    await from(phone, edit(image, { type: 'image', image: { id: '8', caption: 'New', url: 'https://x.example/1' } }, timestamp));
    expect((await byProviderId(image)).content).toEqual({
      ...before,
      caption: 'New',
      edited: { at: isoOf(timestamp), before: { caption: 'Old' } },
    });
    expect((await byProviderId(id)).content).toEqual({ body: 'The 12th' });
  });

  test('of an earlier message leaves the preview of a later one', async () => {
    const { phone, id, message } = await written();
    await from(phone, { type: 'text', text: { body: 'Later' } });
    await from(phone, edit(id, textOf('Changed')));
    expect(await conversationOf(message)).toMatchObject({ preview: 'Later', unread_count: 2 });
  });

  test('with text that no row can hold is stored without it', async () => {
    const { phone, id } = await written();
    await from(phone, edit(id, textOf('a\u0000b')));
    expect((await byProviderId(id)).content.body).toBe('a\ufffdb');
  });
});

describe('a deletion', () => {
  test('of the first of two that say the same leaves the preview, which is the second one’s', async () => {
    const { phone, id, message } = await written('ok');
    const second = newId();
    await from(phone, { id: second, ...textOf('ok') });
    await from(phone, revoke(id));
    expect((await byProviderId(id)).content.deleted).toBeDefined();
    expect((await conversationOf(message)).preview).toBe('ok');
    await from(phone, revoke(second));
    expect((await conversationOf(message)).preview).toBe('[deleted]');
  });

  test('hides the preview of the last message although an older one came after it', async () => {
    const { phone, id, message } = await written('Now');
    await from(phone, { id: newId(), timestamp: seconds(-3_600), ...textOf('An hour ago') });
    await from(phone, revoke(id));
    expect((await conversationOf(message)).preview).toBe('[deleted]');
  });

  test('marks the message, hides its preview, and holds against a later edit', async () => {
    const { phone, id, message } = await written('A secret');
    const timestamp = seconds(3);
    await from(phone, revoke(id, timestamp));
    await from(phone, revoke(id, seconds(9)));
    await from(phone, edit(id, textOf('Again'), seconds(10)));
    expect((await byProviderId(id)).content).toEqual({ deleted: { at: isoOf(timestamp) } });
    expect(await conversationOf(message)).toMatchObject({ preview: '[deleted]', unread_count: 1 });
    expect((await updates(message.conversation_id)).map(({ cause }) => cause)).toEqual(['deleted']);
  });

  test('of somebody else does not reach a message of the other direction', async () => {
    const { phone, id } = await written();
    await echoed(phone, revoke(id));
    expect((await byProviderId(id)).content).toEqual({ body: 'The 12th' });
  });
});

test('an edit of a message that we do not have is kept as one of its own, and opens no window', async () => {
  const phone = app.phone();
  const id = newId();
  await from(phone, { id, ...edit('wamid.unknown', textOf('Blue')) });
  const message = await byProviderId(id);
  expect([message.type, message.content]).toEqual(['edit', { original_message_id: 'wamid.unknown', message: textOf('Blue') }]);
  expect(await conversationOf(message)).toMatchObject({ unread_count: 0, last_inbound_at: null });
});

test.each([
  ['an edit', (id: string) => edit(id, textOf('Later'), seconds(5)), { body: 'Later', edited: { before: { body: 'First' } } }],
  ['a deletion', (id: string) => revoke(id, seconds(5)), { deleted: {} }],
] as const)('%s that came before its message is applied when that comes', async (_what, amendment, expected) => {
  const [phone, id, amendmentId] = [app.phone(), newId(), newId()];
  await from(phone, { id: amendmentId, ...amendment(id) });
  await from(phone, { id, type: 'text', text: { body: 'First' } });
  const message = await byProviderId(id);
  expect(message.content).toEqual({ body: 'First' });
  const { id: ours } = await byProviderId(amendmentId);
  const lookAgain = () => redispatchNow(app, { subject_id: ours });
  await lookAgain();
  await waitFor('the look', async () => (await app.jobOf(ours)) === undefined);
  expect((await byProviderId(id)).content).toMatchObject(expected);
  expect(await updates(message.conversation_id)).toHaveLength(1);
});

describe('the phone app', () => {
  test('its messages are outbound, and it edits and deletes them', async () => {
    const [phone, id] = [app.phone(), newId()];
    await echoed(phone, { id, type: 'text', text: { body: 'From my phone' } });
    expect(await byProviderId(id)).toMatchObject({ direction: 'outbound', status: 'sent', to_phone: phone });
    await echoed(phone, edit(id, textOf('Better'), seconds(1)));
    await echoed(phone, revoke(id, seconds(2)));
    const { content, conversation_id } = await byProviderId(id);
    expect(content).toEqual({ deleted: { at: expect.any(String) } });
    expect((await updates(conversation_id)).map(({ cause }) => cause)).toEqual(['edited', 'deleted']);
  });
});

describe('what is not ours to read', () => {
  const value = (more: object) => change(channel, more as Record<string, unknown>);

  test('a status of a group is kept for nobody', async () => {
    const status = statusOf(newId(), 'read', { recipient_type: 'group', recipient_id: 'Y2FwaV9ncm91cDox' });
    await applied(several(entry(channel, value({ statuses: [status] }))));
    expect(await unmatchedStatusRows.count(app, { provider_message_id: status.id })).toBe(0);
    const [kept] = await app.rows(`select convert_from(body, 'UTF8') as body from provider_webhooks order by id desc limit 1`);
    expect(kept.body).toContain(status.id);
  });
});
