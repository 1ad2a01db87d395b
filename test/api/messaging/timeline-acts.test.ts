import { Readable } from 'node:stream';
import { beforeAll, expect, test } from '@jest/globals';
import { publicIdOf } from '../../../src/media/asset-id.ts';
import { storeAsset } from '../../../src/media/assets.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { inPieces, jpeg } from '../../support/media.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

/** What people and workers did with a message, beside its sending. */
const app = useApp({ workers: true });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

async function entriesOf(messageID: string, kind: string): Promise<Body[]> {
  const { status, body } = await app.call('messages.timeline', { params: { messageID } });
  expect(status).toBe(200);
  return body.data.entries.filter((entry: Body) => entry.kind === kind);
}
const shown = (id: string, kind: string) =>
  waitFor(`${kind} in the timeline`, async () => {
    const entries = await entriesOf(id, kind);
    return entries.length > 0 ? entries : undefined;
  });

async function assetId(): Promise<string> {
  const { database, ledger, storage } = app.web.deps;
  const { organizationId } = app.tenant;
  const parts = { own: ownRows(database, organizationId), transact: transactFor(ledger.transact, organizationId), storage };
  const file = { source: 'upload', createdBy: 'test', stream: Readable.from(inPieces(jpeg())) } as const;
  return publicIdOf((await storeAsset({ ...parts, quotaBytes: 0 }, file)).storage_key);
}

async function sendImage(id: string): Promise<string> {
  const { phone } = await app.conversation(channel);
  const { body } = await app.call('messages.send', {
    body: { channel_id: channel.id, to: `+${phone}`, type: 'image', image: { asset_id: id } },
  });
  await app.messageIn(body.data.id, 'read');
  return body.data.id;
}

/** A received message with a file; its id. */
async function receiveImage(): Promise<string> {
  const { message_id: providerId } = await app.control('POST', '/inbound', {
    phone_number_id: channel.phoneNumberId,
    message: { type: 'image', image: {} },
    contact: { profile: { name: 'Person' }, wa_id: app.phone() },
    media: { mime_type: 'image/jpeg', base64: jpeg().toString('base64') },
  });
  const row = await waitFor('the message', async () => {
    const [found] = await storedMessages.all(app, { provider_message_id: providerId }, { columns: ['id'] });
    return found;
  });
  return row.id;
}

test('a scheduled message that was called off says so, and not that it failed', async () => {
  const { phone } = await app.conversation(channel);
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await app.text(channel, phone, { send_at });
  await app.call('messages.cancel', { params: { messageID: body.data.id } });
  expect(await entriesOf(body.data.id, 'cancelled')).toEqual([{ at: expect.any(String), kind: 'cancelled' }]);
  expect(await entriesOf(body.data.id, 'failed')).toEqual([]);
});

test('the first message with a file says when it was uploaded, and under which id', async () => {
  const asset = await assetId();
  const [first, second] = [await sendImage(asset), await sendImage(asset)];
  const [uploaded] = await entriesOf(first, 'uploaded');
  expect(uploaded!.upload).toEqual({ asset_id: asset, provider_media_id: expect.any(String) });
  expect(await entriesOf(second, 'uploaded')).toEqual([]);
});

test('a received file says when it was fetched', async () => {
  const [entry] = await shown(await receiveImage(), 'updated');
  expect(entry!.update).toEqual({ cause: 'media_stored' });
});

test('that the provider was told of the reading, and of the typing', async () => {
  const messageID = await receiveImage();
  const read = await app.call('messages.read', { params: { messageID }, body: {} });
  const typing = await app.call('messages.read', { params: { messageID }, body: { typing_indicator: true } });
  const done = await waitFor('both to be told', async () => {
    const entries = await entriesOf(messageID, 'marked_read');
    return entries.filter(({ operation }) => operation.state === 'done').length === 2 ? entries : undefined;
  });
  const ids = [read, typing].map(({ headers }) => headers.get('operation-id'));
  expect(new Map(done.map(({ operation }) => [operation.id, operation.typing]))).toEqual(
    new Map([
      [ids[0], false],
      [ids[1], true],
    ]),
  );
});
