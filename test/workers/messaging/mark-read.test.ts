import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { statusOfChannel } from '../../support/work/channels.ts';
import { messageRows } from '../../support/work/messages.ts';
import { runAgain } from '../../support/work/operations.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function received(on: Channel = channel): Promise<{ id: string; providerMessageId: string }> {
  const phone = app.phone();
  await app.inbound(on, phone);
  const row = await messageRows.one(app, { from_phone: phone }, ['id', 'provider_message_id']);
  return { id: row.id, providerMessageId: row.provider_message_id! };
}
const read = (messageID: string, body: object = {}) =>
  app.call('messages.read', { params: { messageID }, body, headers: { prefer: 'wait=10' } });
const asked = async (on: Channel) => (await app.sends(on)).map(({ body }: Body) => body);

test('the provider is told, with the sign of typing and without', async () => {
  const own = await app.connect();
  const { id, providerMessageId } = await received(own);
  expect((await read(id)).status).toBe(200);
  expect((await read(id, { typing_indicator: true })).status).toBe(200);
  const plain = { messaging_product: 'whatsapp', status: 'read', message_id: providerMessageId };
  expect(await asked(own)).toEqual([plain, { ...plain, typing_indicator: { type: 'text' } }]);
});

test('a second run asks the provider the same once more, and changes nothing', async () => {
  const own = await app.connect();
  const { id } = await received(own);
  const { headers } = await read(id);
  const before = await app.message(id);
  const operationId = headers.get('operation-id');
  await runAgain(app, operationId!);
  expect(await asked(own)).toHaveLength(2);
  expect(await app.message(id)).toEqual(before);
});

test('what the provider refuses is told to who waits, and a bad token stops the channel', async () => {
  const own = await app.connect();
  const { id } = await received(own);
  await app.fault(own, { status: 400, code: 100 });
  const refused = await read(id);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'provider_refused']);
  await app.fault(own, { status: 401, code: 190 });
  await read(id);
  expect(await statusOfChannel(app, own)).toBe('auth_error');
});

test('a fault of the provider is tried again', async () => {
  const own = await app.connect();
  const { id } = await received(own);
  await app.fault(own, { status: 503, code: 2 });
  expect((await read(id)).status).toBe(200);
  expect(await asked(own)).toHaveLength(2);
});
