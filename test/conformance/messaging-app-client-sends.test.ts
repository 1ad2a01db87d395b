import { beforeEach, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user, wabaId } from '../sandbox/house.ts';
import { goodFlow } from '../support/flows.ts';
import { clientFor } from './client.ts';
import { interactiveSends } from './interactive-sends.ts';
import { type MediaIds, plainSends } from './sends.ts';

const house = useHouse();
let media: MediaIds;

beforeEach(async () => {
  await house.openWindow();
  const flow = { waba_id: wabaId, flow_json: JSON.stringify(goodFlow()).replaceAll('ASK', 'A') };
  await house.control('flows', { ...flow, id: '1', name: 'Published', status: 'PUBLISHED' });
  await house.control('flows', { ...flow, id: '2', name: 'Draft' });
  media = {
    image: await house.upload('image/png'),
    video: await house.upload('video/mp4'),
    audio: await house.upload('audio/ogg'),
    document: await house.upload('application/pdf'),
    sticker: await house.upload('image/webp'),
  };
});

const lastSend = async () =>
  (await house.get(`/_control/requests?path=${phoneNumberId}/messages&method=POST`)).body.requests.at(-1);

test.each([...plainSends, ...interactiveSends])('%s: %s', async (_method, _what, send, arrives) => {
  const reply = await send(clientFor(house).messages, media);
  const { status, body } = await lastSend();
  expect([status, body]).toEqual([200, expect.objectContaining({ messaging_product: 'whatsapp' })]);
  expect(body).toMatchObject(arrives);
  const input = body.to ?? body.recipient;
  expect(reply).toEqual({
    messagingProduct: 'whatsapp',
    contacts: [body.to ? { input, waId: user } : { input, userId: input }],
    messages: [{ id: expect.stringMatching(/^wamid\./) }],
  });
});

test('messages.markRead: with the sign of typing and without', async () => {
  const { messages } = clientFor(house);
  expect(await messages.markRead({ phoneNumberId, messageId: 'wamid.x' })).toEqual({ success: true });
  expect(await messages.markRead({ phoneNumberId, messageId: 'wamid.x', typingIndicator: { type: 'text' } })).toEqual({
    success: true,
  });
  expect((await lastSend()).body).toEqual({
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: 'wamid.x',
    typing_indicator: { type: 'text' },
  });
});
