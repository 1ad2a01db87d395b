import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { jpeg } from '../../support/media.ts';
import { forgetJobs } from '../../support/stored/api-jobs.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { ago } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const quotaBytes = 100_000;
const app = useApp({ workers: true, workerEnv: { MEDIA_QUOTA_BYTES: String(quotaBytes) } });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const again = (messageID: string) => app.call('messages.fetch-file', { params: { messageID } });
const mediaIs = (providerId: string, status: string): Promise<Body> =>
  waitFor(`a file that is ${status}`, async () => {
    const [row] = await storedMessages.all(app, { provider_message_id: providerId });
    return row?.content.media?.status === status && row;
  });
const use = (bytes: number) =>
  app.rows(
    `insert into media_usage (organization_id, bytes, assets) values ($1, $2, 1)
       on conflict (organization_id) do update set bytes = excluded.bytes`,
    [app.tenant.organizationId, bytes],
  );
/** Its file met a full storage. */
async function withoutRoom() {
  await use(quotaBytes);
  const { message_id: providerId } = await app.control('POST', '/inbound', {
    phone_number_id: channel.phoneNumberId,
    message: { type: 'image', image: {} },
    contact: { profile: { name: 'Person' }, wa_id: app.phone() },
    media: { mime_type: 'image/jpeg', base64: jpeg(20_000).toString('base64') },
  });
  const { id } = await mediaIs(providerId, 'failed');
  await app.idle();
  return { providerId, id };
}

describe('a file that met the full storage', () => {
  test('is fetched when it is asked for again, once there is room', async () => {
    const { providerId, id } = await withoutRoom();
    await use(0);
    const { status, body } = await again(id);
    expect([status, body.data.content.media]).toEqual([200, { status: 'pending' }]);
    const { content } = await mediaIs(providerId, 'stored');
    expect(content.asset_id).toEqual(expect.any(String));
    const stays = await again(id);
    expect([stays.status, stays.body.data.content.media.status]).toEqual([200, 'stored']);
    await app.idle();
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('is fetched after its failed job was purged too', async () => {
    const { providerId, id } = await withoutRoom();
    await forgetJobs(app, id);
    await use(0);
    const answers = await Promise.all([again(id), again(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await mediaIs(providerId, 'stored');
    await app.idle();
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('fails again while there is no room', async () => {
    const { providerId, id } = await withoutRoom();
    expect((await again(id)).status).toBe(200);
    await app.idle();
    await mediaIs(providerId, 'failed');
  });
});

/** As a fetch ends that the provider answers so. */
async function ended(status: string) {
  const found = await withoutRoom();
  await forgetJobs(app, found.id);
  const { content } = await app.message(found.id);
  await storedMessages.change(app, found.id, { content: { ...content, media: { status } } });
  return found;
}

test('a file that the provider did not have is asked for again, while it may have it', async () => {
  const { providerId, id } = await ended('gone');
  await use(0);
  const answers = await Promise.all([again(id), again(id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await mediaIs(providerId, 'stored');
  await app.idle();
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

describe('refused', () => {
  const refused = { status: 409, body: { error: { code: 'conflict' } } };

  test('a file that is too large: 409', async () => {
    expect(await again((await ended('too_large')).id)).toMatchObject(refused);
  });

  test.each([
    ['is too old', { created_at: ago(32, 'day') }],
    ['has no contact', { contact_id: null }],
  ])('a file that is gone, of a message that %s: 409', async (_what, change) => {
    const { id } = await ended('gone');
    await storedMessages.change(app, id, change);
    expect(await again(id)).toMatchObject(refused);
  });

  test('a message without a file: 409; one nobody has: 404', async () => {
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone)).body.data;
    expect((await again(id)).status).toBe(409);
    expect((await again('0193ffff-3a0e-7cc4-8f4e-0242ac120004')).status).toBe(404);
  });
});
