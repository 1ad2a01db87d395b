import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { publicIdOf } from '../../../src/media/asset-id.ts';
import { storeAsset } from '../../../src/media/assets.ts';
import type { AssetRow } from '../../../src/media/find.ts';
import { deleteAsset } from '../../../src/media/remove.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { branded, inPieces, jpeg, mp3, mp4, ogg, pdf, webp, zip } from '../../support/media.ts';
import { waitFor } from '../../support/wait-for.ts';
import { statusOfChannel, templateRows } from '../../support/work/channels.ts';
import { makeDue, redispatchNow } from '../../support/work/jobs.ts';
import { assetRows, messageAttemptRows, messageRows, uploadRows } from '../../support/work/messages.ts';
import { ago, movedBack, rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const parts = ({ tenant: { organizationId } }: Channel) => {
  const { database, ledger, storage } = app.web.deps;
  return { own: ownRows(database, organizationId), transact: transactFor(ledger.transact, organizationId), storage };
};
const asset = (bytes: Buffer, on = channel): Promise<AssetRow> =>
  storeAsset({ ...parts(on), quotaBytes: 0 }, { source: 'upload', createdBy: 'test', stream: Readable.from(inPieces(bytes)) });
const idOf = async (bytes: Buffer) => publicIdOf((await asset(bytes)).storage_key);

async function send(type: string, content: object, on = channel) {
  const { phone } = await app.conversation(on);
  return app.call('messages.send', { key: on.tenant.key, body: { channel_id: on.id, to: `+${phone}`, type, [type]: content } });
}
const sent = async (type: string, content: object, on = channel): Promise<string> => {
  const { status, body } = await send(type, content, on);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.id;
};
const uploads = async (on = channel): Promise<Body[]> =>
  (await app.control('GET', `/requests?method=POST&path=${on.phoneNumberId}/media`)).requests;
/** What the provider took of a message. */
const arrived = async (id: string): Promise<Body[]> => (await app.control('GET', `/messages?callback_data=${id}`)).messages;
const wire = async (id: string, on = channel): Promise<Body> =>
  (await app.sends(on)).map(({ body }: Body) => body).filter((body: Body) => body.biz_opaque_callback_data === id);
const faultOf = (on: Channel, path: string, fault: object) =>
  app.control('POST', '/faults', { kind: 'status', match: { method: 'POST', path: `${on.phoneNumberId}/${path}` }, ...fault });

const claimsOf = (on: Channel) => uploadRows.all(app, { phone_number_id: on.phoneNumberId }, ['claimed_by', 'claimed_at']);

/** The bytes the sandbox has under an id. */
async function uploadedBytes(mediaId: string, on = channel): Promise<Buffer> {
  const headers = { authorization: `Bearer ${on.accessToken}` };
  const { url } = (await (await fetch(`${app.sandboxUrl}/${mediaId}`, { headers })).json()) as Body;
  return Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
}

describe('a message with an asset', () => {
  test.each([
    ['image', jpeg(300_000), { caption: 'Look' }],
    ['video', mp4(), { caption: 'Look' }],
    ['audio', ogg(), { voice: true }],
    ['audio', branded('M4A '), {}],
    ['document', pdf(), { filename: 'a.pdf' }],
    ['sticker', webp(), {}],
    ['document', jpeg(), {}],
    ['document', Buffer.from('A note'), { filename: 'a.txt' }],
  ])('%s: uploaded, then sent by the provider’s id', async (type, bytes, more) => {
    const own = await app.connect();
    const assetId = await idOf(bytes);
    const id = await sent(type, { asset_id: assetId, ...more }, own);
    expect((await app.messageIn(id, 'read')).content).toEqual({ asset_id: assetId, ...more });
    const [body] = await wire(id, own);
    expect(body[type]).toEqual({ id: expect.stringMatching(/^\d+$/), ...more });
    expect((await uploadedBytes(body[type].id, own)).equals(bytes)).toBe(true);
    expect([(await uploads(own)).length, (await arrived(id)).length]).toEqual([1, 1]);
  });

  test('that was stored as M4A is uploaded as what the provider takes', async () => {
    const own = await app.connect();
    const { id: asset_id, storage_key } = await asset(branded('M4A '));
    await assetRows.change(app, asset_id, { mime_type: 'audio/x-m4a' });
    await app.messageIn(await sent('audio', { asset_id: publicIdOf(storage_key) }, own), 'read');
  });

  test('in two spellings of its id, with padding and without', async () => {
    const own = await app.connect();
    const id = await idOf(jpeg());
    const padded = id.padEnd(Math.ceil(id.length / 4) * 4, '=');
    expect(padded).not.toBe(id);
    const card = (asset_id: string, card_index: number) => ({
      card_index,
      components: [{ type: 'header', parameters: [{ type: 'image', image: { asset_id } }] }],
    });
    const cards = [0, 1].map(() => ({ components: [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['x'] } }] }));
    await templateRows.add(app, {
      organization_id: own.tenant.organizationId,
      channel_id: own.id,
      provider_template_id: '77000002',
      name: 'cards',
      language: 'en_US',
      category: 'utility',
      status: 'approved',
      components: [
        { type: 'BODY', text: 'Hi' },
        { type: 'CAROUSEL', cards },
      ],
    });
    const components = [{ type: 'carousel', cards: [card(id, 0), card(padded, 1)] }];
    const message = await sent('template', { name: 'cards', language: 'en_US', components }, own);
    await waitFor('its upload', async () => (await uploads(own)).length === 1);
    await app.idle();
    expect((await app.message(message)).failure?.code).not.toBe('asset_missing');
  });

  test('in a header and in the parameters of a template', async () => {
    const assetId = await idOf(jpeg());
    const header = await sent('interactive', {
      type: 'button',
      header: { type: 'image', image: { asset_id: assetId } },
      body: { text: 'Which?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
    });
    await app.messageIn(header, 'read');
    expect((await wire(header))[0].interactive.header.image).toEqual({ id: expect.stringMatching(/^\d+$/) });
    const picture = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['x'] } };
    const template = { id: '77000001', name: 'picture', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
    const own = await app.connect({
      account: { templates: [{ ...template, components: [picture, { type: 'BODY', text: 'Hi' }] }] },
    });
    await app.idle();
    const id = await sent(
      'template',
      {
        name: 'picture',
        language: 'en_US',
        components: [{ type: 'header', parameters: [{ type: 'image', image: { asset_id: assetId } }] }],
      },
      own,
    );
    await app.messageIn(id, 'read');
    const [body] = await wire(id, own);
    expect(body.template.components[0].parameters[0]).toEqual({ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } });
  });

  test('is uploaded once for a number, and once more for another', async () => {
    const [one, other] = [await app.connect(), await app.connect()];
    const assetId = await idOf(jpeg());
    for (const on of [one, one, other]) await app.messageIn(await sent('image', { asset_id: assetId }, on), 'read');
    expect([(await uploads(one)).length, (await uploads(other)).length]).toEqual([1, 1]);
  });

  test('that is new is uploaded once for a burst of messages; the others wait and spend no try', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'delay', delay_ms: 1_500 });
    const assetId = await idOf(jpeg());
    const ids = await Promise.all(Array.from({ length: 12 }, () => sent('image', { asset_id: assetId }, own)));
    for (const id of ids) await app.messageIn(id, 'read');
    expect(await uploads(own)).toHaveLength(1);
    expect(await Promise.all(ids.map(async (id) => (await arrived(id)).length))).toEqual(ids.map(() => 1));
    expect(await messageAttemptRows.count(app, { message_id: { $in: ids } })).toBe(0);
    expect(await claimsOf(own)).toEqual([{ claimed_by: null, claimed_at: null }]);
  });

  test('whose upload for another message is refused is uploaded for the next one', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'delay', delay_ms: 1_000 });
    await faultOf(own, 'media', { status: 400, code: 100 });
    const assetId = await idOf(jpeg());
    const ids = await Promise.all(Array.from({ length: 4 }, () => sent('image', { asset_id: assetId }, own)));
    const ended = async () => Promise.all(ids.map(async (id) => (await app.message(id)).status));
    await waitFor('their ends', async () => (await ended()).every((status) => ['failed', 'read'].includes(status)));
    expect((await ended()).sort()).toEqual(['failed', 'read', 'read', 'read']);
    expect(await uploads(own)).toHaveLength(2);
  });

  test('whose upload belongs to a message that died is uploaded by another when the claim is over, and not before', async () => {
    const own = await app.connect();
    const { id: assetId, storage_key } = await asset(jpeg());
    await uploadRows.add(app, {
      organization_id: own.tenant.organizationId,
      asset_id: assetId,
      phone_number_id: own.phoneNumberId,
      claimed_by: randomUUID(),
      claimed_at: rightNow(),
    });
    const id = await sent('image', { asset_id: publicIdOf(storage_key) }, own);
    await waitFor('its wait', async () => (await app.jobOf(id))?.run_at > (await app.jobOf(id))?.created_at);
    expect([(await app.message(id)).status, await uploads(own)]).toEqual(['queued', []]);
    await uploadRows.change(app, { phone_number_id: own.phoneNumberId }, { claimed_at: movedBack('claimed_at', '331 seconds') });
    await app.messageIn(id, 'read');
    expect([(await uploads(own)).length, (await arrived(id)).length]).toEqual([1, 1]);
  });

  test('is uploaded again before the provider drops it', async () => {
    const own = await app.connect();
    const assetId = await idOf(jpeg());
    await app.messageIn(await sent('image', { asset_id: assetId }, own), 'read');
    await uploadRows.change(app, { phone_number_id: own.phoneNumberId }, { uploaded_at: ago('29 days') });
    await app.messageIn(await sent('image', { asset_id: assetId }, own), 'read');
    expect(await uploads(own)).toHaveLength(2);
    expect(await uploadRows.count(app, { phone_number_id: own.phoneNumberId })).toBe(1);
  });

  test('of an id the provider dropped early is uploaded again, and sent once', async () => {
    const own = await app.connect();
    const assetId = await idOf(jpeg());
    const first = await sent('image', { asset_id: assetId }, own);
    await app.messageIn(first, 'read');
    const dropped = (await wire(first, own))[0].image.id;
    await fetch(`${app.sandboxUrl}/${dropped}`, { method: 'DELETE', headers: { authorization: `Bearer ${own.accessToken}` } });
    const second = await sent('image', { asset_id: assetId }, own);
    await app.messageIn(second, 'read');
    expect((await wire(second, own)).map((body: Body) => body.image.id === dropped)).toEqual([true, false]);
    expect([(await arrived(second)).length, (await uploads(own)).length]).toEqual([1, 2]);
  });

  test('of an id that was uploaded after a scheduled message was accepted, and dropped since, is uploaded again', async () => {
    const own = await app.connect();
    const assetId = await idOf(jpeg());
    const { phone } = await app.conversation(own);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const body = { channel_id: own.id, to: phone, type: 'image', image: { asset_id: assetId }, send_at: later };
    const { id } = (await app.call('messages.send', { body })).body.data;
    const other = await sent('image', { asset_id: assetId }, own);
    await app.messageIn(other, 'read');
    const dropped = (await wire(other, own))[0].image.id;
    await fetch(`${app.sandboxUrl}/${dropped}`, { method: 'DELETE', headers: { authorization: `Bearer ${own.accessToken}` } });
    await messageRows.change(app, id, { send_at: rightNow() });
    await makeDue(app, { subject_id: id });
    await app.messageIn(id, 'read');
    expect((await wire(id, own)).map((sentBody: Body) => sentBody.image.id === dropped)).toEqual([true, false]);
  });

  test('that the provider refuses in itself fails, after one more upload at most', async () => {
    const own = await app.connect();
    const assetId = await idOf(jpeg());
    await app.messageIn(await sent('image', { asset_id: assetId }, own), 'read');
    await faultOf(own, 'messages', { status: 400, code: 131053, times: 5 });
    const id = await sent('image', { asset_id: assetId }, own);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'provider_refused', provider_code: '131053' });
    expect([(await wire(id, own)).length, (await uploads(own)).length]).toEqual([2, 2]);
  });

  test('whose upload has no answer is uploaded again; the message arrives once', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'drop_after' });
    const id = await sent('image', { asset_id: await idOf(jpeg()) }, own);
    await app.messageIn(id, 'read');
    expect([(await uploads(own)).length, (await arrived(id)).length]).toEqual([2, 1]);
  });

  test('that another run takes over while it is uploaded arrives once', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'delay', delay_ms: 2_000 });
    const id = await sent('image', { asset_id: await idOf(jpeg()) }, own);
    await waitFor('the upload', async () => (await uploads(own)).length === 1);
    expect((await app.message(id)).status).toBe('queued');
    await redispatchNow(app, { subject_id: id });
    await app.messageIn(id, 'read');
    await waitFor('both uploads', async () => (await uploads(own)).length === 2);
    await app.idle();
    expect([(await arrived(id)).length, (await wire(id, own)).length]).toEqual([1, 1]);
  });

  test('that another run is sending when its upload fails stays with that run', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'delay', delay_ms: 1_500 });
    await faultOf(own, 'media', { status: 500 });
    const id = await sent('image', { asset_id: await idOf(jpeg()) }, own);
    await waitFor('the upload', async () => (await uploads(own)).length === 1);
    await messageRows.change(app, { id, status: 'queued' }, { status: 'sending', sending_at: rightNow() });
    await waitFor('the upload to fail', async () => (await app.jobOf(id)).attempts === 1);
    expect((await app.message(id)).status).toBe('sending');
    expect(await arrived(id)).toEqual([]);
    await messageRows.change(app, id, { status: 'queued', sending_at: null });
    await app.messageIn(id, 'read');
    expect(await arrived(id)).toHaveLength(1);
  });

  test('keeps the order of its conversation while it is uploaded', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { kind: 'delay', delay_ms: 1_500 });
    const { phone } = await app.conversation(own);
    const file = await app.call('messages.send', {
      body: { channel_id: own.id, to: `+${phone}`, type: 'image', image: { asset_id: await idOf(jpeg()) } },
    });
    const text = await app.text(own, phone);
    await app.messageIn(text.body.data.id, 'read');
    const order = (await app.sends(own)).map(({ body }: Body) => body.biz_opaque_callback_data);
    expect(order).toEqual([file.body.data.id, text.body.data.id]);
  });

  test('whose upload is refused fails, and says why', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { status: 400, code: 100 });
    const id = await sent('image', { asset_id: await idOf(jpeg()) }, own);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'provider_refused', provider_code: '100' });
    expect(await app.sends(own)).toEqual([]);
  });

  test('a token that the upload shows as bad stops the channel; a good one sends the message', async () => {
    const own = await app.connect();
    await faultOf(own, 'media', { status: 401, code: 190 });
    const id = await sent('image', { asset_id: await idOf(jpeg()) }, own);
    const stopped = async () => (await statusOfChannel(app, own)) === 'auth_error';
    await waitFor('the channel to stop', stopped);
    expect((await app.message(id)).status).toBe('queued');
    await app.call('channels.update', { params: { channelID: own.id }, body: { access_token: own.accessToken } });
    await app.messageIn(id, 'read');
    expect(await arrived(id)).toHaveLength(1);
  });

  test('that was deleted before the message went out fails it', async () => {
    const own = await app.connect();
    const { id: assetId, storage_key } = await asset(jpeg());
    await app.hold(own);
    const id = await sent('image', { asset_id: publicIdOf(storage_key) }, own);
    await parts(channel).transact({}, async (tx) => void (await deleteAsset(tx.own, assetId)));
    await app.letGo(own);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'asset_missing' });
    expect(await uploads(own)).toEqual([]);
  });
});

describe('a file that cannot be sent is refused at once', () => {
  test.each([
    ['no Base64', async () => 'a b', 'image', 'image.asset_id'],
    ['Base64 of nothing we know', async () => 'eA', 'image', 'image.asset_id'],
    [
      'an asset that is not there',
      async () => publicIdOf(`${channel.tenant.organizationId}/${crypto.randomUUID()}`),
      'image',
      'image.asset_id',
    ],
    ['a PDF as an image', () => idOf(pdf()), 'image', 'image.asset_id'],
    ['an image as audio', () => idOf(jpeg()), 'audio', 'audio.asset_id'],
    ['an archive, which the provider does not take', () => idOf(zip()), 'document', 'document.asset_id'],
    ['a page, which the provider does not take', () => idOf(Buffer.from('<html>')), 'document', 'document.asset_id'],
  ])('%s', async (_what, make, type, field) => {
    const { status, body } = await send(type, { asset_id: await make() });
    expect([status, body.error.code, body.error.details[0].field]).toEqual([422, 'invalid_request', field]);
  });

  test('an image that is kept as a document may be too large for an image', async () => {
    const large = await storeAsset(
      { ...parts(channel), quotaBytes: 0 },
      { source: 'upload', createdBy: 'test', kind: 'document', stream: Readable.from(inPieces(jpeg(6 * 2 ** 20))) },
    );
    const { status, body } = await send('image', { asset_id: publicIdOf(large.storage_key) });
    expect([status, body.error.details[0].field]).toEqual([422, 'image.asset_id']);
    expect((await send('document', { asset_id: publicIdOf(large.storage_key) })).status).toBe(201);
  });

  test('an MP3 as a voice message: 422; as audio it is sent', async () => {
    const asset_id = await idOf(mp3());
    const { status, body } = await send('audio', { asset_id, voice: true });
    expect([status, body.error.details[0].field]).toEqual([422, 'audio.asset_id']);
    expect(body.error.message).toContain('audio/mpeg');
    for (const more of [{}, { voice: false }]) expect((await send('audio', { asset_id, ...more })).status).toBe(201);
  });

  test('another organization’s asset is not there', async () => {
    const tenant = await app.organization();
    const own = await app.connect({ tenant });
    const { status, body } = await send('image', { asset_id: await idOf(jpeg()) }, own);
    expect([status, body.error.details[0].field]).toEqual([422, 'image.asset_id']);
  });

  const inHeader = 'template.components[0].parameters[0].image';
  test.each([
    ['in two ways', 'image', { id: '1' }, 'image'],
    ['in two ways, in a template', 'template', { id: '1' }, inHeader],
    ['by what is no text, in a template', 'template', { asset_id: { toString: 1 } }, inHeader],
  ])('%s', async (_what, type, more, field) => {
    await app.storeTemplates(channel);
    const parts = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Hello' },
    ];
    await templateRows.change(app, { channel_id: channel.id, name: 'hello' }, { components: parts });
    const file = { asset_id: await idOf(jpeg()), ...more };
    const template = {
      name: 'hello',
      language: 'en_US',
      components: [{ type: 'header', parameters: [{ type: 'image', image: file }] }],
    };
    const { status, body } = await send(type, type === 'template' ? template : file);
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });
});
