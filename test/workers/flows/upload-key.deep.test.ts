import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { keyAtProvider } from '../../support/flow-exchange.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelRows } from '../../support/work/channels.ts';
import { flowKeyRows } from '../../support/work/flows.ts';
import { jobRows } from '../../support/work/jobs.ts';

const app = useApp({ workers: true });
let channel: Channel;
beforeEach(async () => {
  channel = await app.connect();
});

const path = () => `${channel.phoneNumberId}/whatsapp_business_encryption`;
const fault = (method: string, fault: object) => app.control('POST', '/faults', { match: { path: path(), method }, ...fault });
const uploads = async (): Promise<Body[]> => (await app.control('GET', `/requests?method=POST&path=${path()}`)).requests;
const rotate = (headers: Record<string, string> = {}) =>
  app.call('channels.flow-encryption.rotate', { params: { channelID: channel.id }, headers });
const keys = () => flowKeyRows.all(app, { channel_id: channel.id }, ['state', 'public_key', 'uploaded_at'], { state: 'asc' });
const states = async () => (await keys()).map(({ state }) => state);
const uploaded = () => waitFor('the key', async () => (await states()).join() === 'current', 20_000);

const atProvider = () => keyAtProvider(app, channel);

describe('flows.upload-key', () => {
  test('an answer that was lost: the provider has the key, and is not given another', async () => {
    await fault('POST', { kind: 'drop_after' });
    await rotate();
    await uploaded();
    expect(await uploads()).toHaveLength(1);
    expect((await keys())[0]!.public_key).toBe(await atProvider());
  }, 30_000);

  test('a request that was lost: uploaded by the next try', async () => {
    await fault('POST', { kind: 'drop_before' });
    await rotate();
    await uploaded();
    expect((await keys())[0]!.public_key).toBe(await atProvider());
  }, 30_000);

  test('a second run of a job that is done changes nothing', async () => {
    const { headers } = await rotate({ prefer: 'wait=20' });
    const before = await keys();
    const id = headers.get('operation-id');
    await jobRows.change(app, id!, { state: 'queued', finished_at: null });
    await app.idle();
    expect(await keys()).toEqual(before);
    expect(await uploads()).toHaveLength(1);
  }, 30_000);

  test('refused: the operation fails, and the next rotation uploads the same key', async () => {
    await fault('POST', { kind: 'status', status: 400, code: 100 });
    const { status, body } = await rotate({ prefer: 'wait=20' });
    expect([status, body.error.code]).toEqual([422, 'provider_refused']);
    const [left] = await keys();
    expect(left).toMatchObject({ state: 'uploading', uploaded_at: null });
    expect((await rotate({ prefer: 'wait=20' })).status).toBe(200);
    const [now] = await keys();
    expect([now!.state, now!.public_key]).toEqual(['current', left!.public_key]);
  }, 30_000);

  test('a refused token stops the channel; the job waits until it is connected again', async () => {
    await fault('GET', { kind: 'status', status: 401, code: 190 });
    await rotate();
    await waitFor('the channel to stop', async () => {
      const { status } = await channelRows.one(app, channel.id, ['status']);
      return status === 'auth_error';
    });
    expect(await states()).toEqual(['uploading']);
    await app.call('channels.update', { params: { channelID: channel.id }, body: { access_token: channel.accessToken } });
    await uploaded();
  }, 30_000);

  test('of a channel that was deleted meanwhile: the operation fails', async () => {
    await fault('GET', { kind: 'status', status: 503, times: 2 });
    const { headers } = await rotate();
    await app.call('channels.delete', { params: { channelID: channel.id } });
    const id = headers.get('operation-id')!;
    await waitFor('its end', async () => (await jobRows.one(app, id)).state === 'failed', 20_000);
    expect((await jobRows.one(app, id!)).error!.code).toBe('channel_deleted');
  }, 30_000);
});
