import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let channel: Channel;
beforeAll(async () => {
  const template = { id: '12345', name: 'hello_world', language: 'en_US', components: [{ type: 'BODY', text: 'Hello World' }] };
  channel = await app.connect({ account: { templates: [template] } });
  await waitFor('its templates', async () => (await storedTemplates.all(app, { channel_id: channel.id }))[0]);
});

const send = (body: object, on = channel) => app.call('channels.test', { params: { channelID: on.id }, body });

test('a text to somebody who wrote goes out as any message, with its timeline', async () => {
  const { phone } = await app.conversation(channel);
  const { status, headers, body } = await send({ to: `+${phone}`, text: { body: 'A test' } });
  expect([status, headers.get('location')]).toEqual([201, `/v1/messages/${body.data.id}`]);
  await app.messageIn(body.data.id, 'read');
  const timeline = await app.call('messages.timeline', { params: { messageID: body.data.id } });
  expect(timeline.status).toBe(200);
  expect((await app.sends(channel)).at(-1).body).toMatchObject({ to: phone, type: 'text', text: { body: 'A test' } });
});

test('without a content it is hello_world', async () => {
  const { status, body } = await send({ to: `+${app.phone()}` });
  expect(status).toBe(201);
  await app.messageIn(body.data.id, 'read');
  expect((await app.sends(channel)).at(-1).body.template).toMatchObject({ name: 'hello_world', language: { code: 'en_US' } });
});

test('a template that the channel has not: 422', async () => {
  const other = await app.connect();
  const { error } = (await send({ to: `+${app.phone()}` }, other)).body;
  expect([error.code, error.message]).toEqual(['template_unknown', 'The channel has no template hello_world in en_US']);
});

test('a text to somebody who did not write: 422', async () => {
  expect((await send({ to: `+${app.phone()}`, text: { body: 'x' } })).body.error.code).toBe('window_closed');
});

test.each([
  ['nobody', {}],
  ['no number', { to: 'abc' }],
  ['two contents', { to: '+16505551234', text: { body: 'x' }, template: { name: 'a', language: 'en_US' } }],
  ['an image', { to: '+16505551234', image: { id: '1' } }],
])('%s: 422', async (_what, body) => {
  expect((await send(body)).status).toBe(422);
});
