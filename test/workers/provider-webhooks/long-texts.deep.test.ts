import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, newId, textFrom } from '../../support/provider-body.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

/** An emoji whose second half is beyond the limit, and other texts that a person can write and a database refuses or hides. */
const atLimit = (limit: number) => `${'x'.repeat(limit - 1)}😀`;
const half = '\ud83d';
const strange = `\u202eabc\u202c \u200b＝1+1 ${half} 👩‍👩‍👧‍👦`;

type Message = Record<string, unknown>;
/** Each place of a message of the provider that is cut, or stored as it is. */
const places: [string, (text: string) => { profile?: object; message: Message }][] = [
  ['profile name', (name) => ({ profile: { name }, message: {} })],
  ['user name', (username) => ({ profile: { name: 'Ada', username }, message: {} })],
  ['text', (body) => ({ message: { text: { body } } })],
  ['caption', (caption) => ({ message: { type: 'image', image: { id: '1', mime_type: 'image/png', caption } } })],
  ['file name', (filename) => ({ message: { type: 'document', document: { id: '2', mime_type: 'text/plain', filename } } })],
  ['button', (text) => ({ message: { type: 'button', button: { payload: text, text } } })],
  ['shared contact', (name) => ({ message: { type: 'contacts', contacts: [{ name: { formatted_name: name } }] } })],
  ['place', (name) => ({ message: { type: 'location', location: { latitude: 1, longitude: 2, name } } })],
  ['unknown kind', (what) => ({ message: { type: 'dance', dance: { what } } })],
  [
    'answer to a flow',
    (answer) => ({
      message: {
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: JSON.stringify({ answer }) } },
      },
    }),
  ],
];
const limits = [120, 200, 500, 1_000, 1_024, 2_000, 4_096];
const texts = [...limits.flatMap((limit) => [atLimit(limit), atLimit(limit + 1)]), strange, half.repeat(5)];

describe('no message is lost by its texts', () => {
  test.each(places)('%s', async (_what, of) => {
    const phone = app.phone();
    const messages = texts.map((text) => {
      const { profile = { name: 'Ada' }, message } = of(text);
      return { profile, message: textFrom(phone, { id: newId(), ...message }) };
    });
    for (const { profile, message } of messages) {
      const body = bodyFor(channel, { contacts: [{ profile, wa_id: phone }], messages: [message] });
      expect((await app.webhook(body)).status).toBe(200);
    }
    await app.idle();
    const stored = await app.rows('select provider_message_id as id from messages where from_phone = $1', [phone]);
    expect(stored.map(({ id }) => id).sort()).toEqual(messages.map(({ message }) => message.id).sort());
  });

  test('and no body is broken', async () => {
    expect(await app.rows(`select errors from provider_webhooks where state <> 'applied'`)).toEqual([]);
  });
});

test('a part that is not understood is kept with what it said, at any length', async () => {
  const broken = { id: '', type: 'text', text: { body: `${'x'.repeat(1_900)}${'😀'.repeat(200)}` } };
  expect((await app.webhook(bodyFor(channel, { messages: [broken] }))).status).toBe(200);
  await app.idle();
  const [row] = await app.rows(`select state, errors from provider_webhooks order by received_at desc limit 1`);
  expect(row.state).toBe('broken');
  expect(row.errors[0].part).toMatch(/^\{"id":""/);
});
