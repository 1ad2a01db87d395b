import { beforeAll, describe, expect, test } from '@jest/globals';
import { fetchFileJob } from '../../../src/messaging/files/jobs.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { filesIn, jpeg, pdf, webp } from '../../support/media.ts';
import { bodyFor, newId, textFrom } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelRows } from '../../support/work/channels.ts';
import { jobRows, poolRows, redispatchNow } from '../../support/work/jobs.ts';
import { assetRows, fetchRows, messageRows } from '../../support/work/messages.ts';
import { movedBack } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const messageOf = (providerId: string): Promise<Body> => messageRows.one(app, { provider_message_id: providerId });
const assetsOf = (messageId: string): Promise<Body[]> =>
  assetRows.all(app, { message_id: messageId }, [
    'id',
    'kind',
    'source',
    'mime_type',
    'declared_type',
    'size_bytes',
    'file_name',
    'contact_id',
  ]);
const jobOf = (messageId: string): Promise<Body> => app.jobOf(messageId);
const updates = async (conversationId: string) =>
  (await app.events(conversationId)).filter(({ type }) => type === 'message.updated').map(({ data }) => data.cause);
/** What the sandbox was asked for a file: its address, or the file itself. */
const asked = async (path: string): Promise<Body[]> => (await app.control('GET', `/requests?method=GET&path=${path}`)).requests;

/** A person sends a file; the message as it is stored at first. */
async function sendsFile(type: string, mimeType: string, bytes: Buffer, more: object = {}, on = channel) {
  const phone = app.phone();
  const { message_id: providerId } = await app.control('POST', '/inbound', {
    phone_number_id: on.phoneNumberId,
    message: { type, [type]: more },
    contact: { profile: { name: 'Person' }, wa_id: phone },
    media: { mime_type: mimeType, base64: bytes.toString('base64') },
  });
  const message = await waitFor('the message', async () => {
    const [row] = await messageRows.all(app, { provider_message_id: providerId });
    return row;
  });
  return { phone, providerId: providerId as string, message };
}
const stored = (providerId: string) =>
  waitFor('the message', async () => (await messageRows.count(app, { provider_message_id: providerId })) > 0);
const settled = (providerId: string) =>
  waitFor('the file to be settled', async () => {
    const message = await messageOf(providerId);
    return message.content.media?.status !== 'pending' && message;
  });
const nextFault = (fault: object) => app.control('POST', '/faults', { kind: 'status', ...fault });

describe('the file of a received message', () => {
  test('is stored, and the message names it', async () => {
    const bytes = jpeg(200_000);
    const { providerId } = await sendsFile('image', 'image/jpeg', bytes, { caption: 'Look' });
    const message = await settled(providerId);
    const [asset] = await assetsOf(message.id);
    expect(asset).toMatchObject({
      kind: 'image',
      source: 'inbound',
      mime_type: 'image/jpeg',
      size_bytes: '200000',
      contact_id: message.contact_id,
    });
    expect(message.content).toMatchObject({
      caption: 'Look',
      mime_type: 'image/jpeg',
      asset_id: Buffer.from(`${channel.tenant.organizationId}/${asset.id}`).toString('base64url'),
      media: { status: 'stored', mime_type: 'image/jpeg', bytes: 200_000 },
    });
    expect(await updates(message.conversation_id)).toEqual(['media_stored']);
    const shown = await app.call('messages.get', { params: { messageID: message.id } });
    expect(shown.body.data.content.asset_id).toBe(message.content.asset_id);
    await waitFor('the job to end', async () => (await jobOf(message.id)) === undefined);
    expect(await fetchRows.count(app, { message_id: message.id })).toBe(0);
  });

  test.each([
    ['document', 'application/pdf', pdf(), { filename: 'a.pdf' }, { kind: 'document', file_name: 'a.pdf' }],
    ['document', 'image/jpeg', jpeg(6 * 2 ** 20), { filename: 'large.jpg' }, { kind: 'document', mime_type: 'image/jpeg' }],
    ['document', 'application/pdf', pdf(), { filename: '../in\u202Evoice.pdf' }, { file_name: 'invoice.pdf' }],
    ['sticker', 'image/webp', webp(90_000), {}, { kind: 'sticker' }],
    ['image', 'image/jpeg', Buffer.from('<html><script>alert(1)</script>'), {}, { kind: 'document', mime_type: 'text/html' }],
  ])('a %s of %s is stored as what it is', async (type, mimeType, bytes, more, expected) => {
    const { providerId } = await sendsFile(type, mimeType, bytes, more);
    const { id, content } = await settled(providerId);
    expect(content.media.status).toBe('stored');
    expect(await assetsOf(id)).toEqual([expect.objectContaining(expected)]);
  });

  test('of the phone app is fetched too', async () => {
    const { providerId } = await sendsFile('image', 'image/jpeg', jpeg());
    const { content } = await settled(providerId);
    const echo = {
      ...textFrom('1'),
      id: newId(),
      to: app.phone(),
      type: 'image',
      image: { id: content.id, mime_type: 'image/jpeg' },
    };
    await app.webhook(bodyFor(channel, { message_echoes: [echo] }, 'smb_message_echoes'));
    await stored(echo.id);
    const message = await settled(echo.id);
    expect([message.direction, message.content.media.status]).toEqual(['outbound', 'stored']);
  });

  test('a message without one has no job and no mark', async () => {
    const phone = app.phone();
    await app.inbound(channel, phone);
    const [message] = await messageRows.all(app, { from_phone: phone }, ['id', 'content']);
    expect(message!.content).toEqual({ body: 'hi' });
    expect(await jobRows.count(app, { subject_id: message!.id })).toBe(0);
  });
});

describe('a fetch', () => {
  test('asks for a new link at each try', async () => {
    await nextFault({ match: { path: '/attachments' }, status: 404, code: 100, times: 2 });
    const before = (await asked('/attachments')).length;
    const { providerId } = await sendsFile('image', 'image/jpeg', jpeg());
    const { content } = await settled(providerId);
    expect(content.media.status).toBe('stored');
    expect(await asked(content.id)).toHaveLength(3);
    const links = (await asked('/attachments')).slice(before);
    expect(new Set(links.map(({ query }: Body) => query)).size).toBe(3);
  });

  test('that runs again after the file was stored, but before its end, stores nothing more', async () => {
    const { providerId } = await sendsFile('image', 'image/jpeg', jpeg());
    const { id, content, conversation_id } = await settled(providerId);
    await waitFor('the job to end', async () => (await jobOf(id)) === undefined);
    const files = filesIn(app.mediaFolder).length;
    const requests = (await asked(content.id)).length;
    const { asset_id, ...unsettled } = content;
    const { organizationId } = channel.tenant;
    await messageRows.change(app, id, { content: { ...unsettled, media: { status: 'pending' } } });
    await fetchRows.add(app, { organization_id: organizationId, message_id: id });
    await app.web.deps.ledger.transact({}, async (tx) => tx.enqueue(fetchFileJob, organizationId, { message_id: id }));
    expect((await settled(providerId)).content.asset_id).toBe(asset_id);
    expect([filesIn(app.mediaFolder).length, (await asked(content.id)).length]).toEqual([files, requests]);
    expect(await assetsOf(id)).toHaveLength(1);
    expect(await updates(conversation_id)).toEqual(['media_stored', 'media_stored']);
  });

  test('of a file the provider does not have says so, once', async () => {
    const phone = app.phone();
    const id = newId();
    const message = { ...textFrom(phone), id, text: undefined, type: 'image', image: { id: '404404', mime_type: 'image/jpeg' } };
    await app.webhook(bodyFor(channel, { contacts: [{ wa_id: phone }], messages: [message] }));
    await stored(id);
    const { content, conversation_id, id: ours } = await settled(id);
    expect(content.media).toEqual({ status: 'gone' });
    expect(content.asset_id).toBeUndefined();
    expect(await updates(conversation_id)).toEqual(['media_failed']);
    await waitFor('the job to end', async () => (await jobOf(ours)) === undefined);
  });

  test('of an id that is no id asks for nothing', async () => {
    const phone = app.phone();
    const id = newId();
    const message = { ...textFrom(phone), id, text: undefined, type: 'image', image: { id: '../me', mime_type: 'image/jpeg' } };
    await app.webhook(bodyFor(channel, { contacts: [{ wa_id: phone }], messages: [message] }));
    await app.idle();
    expect((await messageOf(id)).content).toEqual({ id: '../me', mime_type: 'image/jpeg' });
  });

  test('of a file that is larger than its kind may be says so', async () => {
    const { providerId } = await sendsFile('sticker', 'image/webp', webp(150_000));
    const { content, id } = await settled(providerId);
    expect(content.media).toEqual({ status: 'too_large' });
    expect(await assetsOf(id)).toEqual([]);
  });

  test('that is refused is a failed job; a retry by hand stores the file', async () => {
    await nextFault({ match: { method: 'GET', path: '/4' }, status: 400, code: 3 });
    const { providerId } = await sendsFile('image', 'image/jpeg', jpeg());
    const { id, content, conversation_id } = await settled(providerId);
    expect(content.media).toEqual({ status: 'failed' });
    const job = await waitFor('the failed job', async () => {
      const row = await jobOf(id);
      return row?.state === 'failed' && row;
    });
    await retryJob(app.web.deps.ledger.transact, job.id);
    expect((await settledAs(providerId, 'stored')).asset_id).toBeDefined();
    expect(await updates(conversation_id)).toEqual(['media_failed', 'media_stored']);
  });

  test('with a refused token stops the channel; the file is not lost', async () => {
    const own = await app.connect();
    await nextFault({ match: { path: '/attachments' }, status: 401, code: 190 });
    const { message, providerId } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
    await waitFor('the channel to stop', async () => {
      const { status } = await channelRows.one(app, own.id, ['status']);
      return status === 'auth_error';
    });
    const job = await waitFor('the job to wait', async () => {
      const row = await jobOf(message.id);
      return new Date(row.run_at).getTime() > Date.now() + 60_000 && row;
    });
    expect([job.attempts, (await messageOf(providerId)).content.media]).toEqual([0, { status: 'pending' }]);
    // Slow files must not hold the other jobs of their organization.
    const pool = await poolRows.one(app, { organization_id: own.tenant.organizationId, id: job.pool }, ['width']);
    expect([job.pool, pool.width]).toEqual(['files', 8]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
    await jobRows.remove(app, job.id);
    const findings = await checkJobs(app.web.deps.database);
    expect(JSON.stringify(findings)).toContain(message.id);
  });
});

const settledAs = (providerId: string, status: string): Promise<Body> =>
  waitFor(`the file to be ${status}`, async () => {
    const { content } = await messageOf(providerId);
    return content.media.status === status && content;
  });

test('a contact that is merged while its file is fetched: the other one gets the file', async () => {
  const own = await app.connect();
  const other = await app.conversation(own);
  await app.control('POST', '/faults', { kind: 'delay', match: { method: 'GET', path: '/attachments' }, delay_ms: 700 });
  const before = (await asked('/attachments')).length;
  const { message, providerId } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
  await waitFor('the fetch', async () => (await asked('/attachments')).length > before);
  const { status } = await app.call('contacts.merge', {
    key: own.tenant.key,
    params: { contactID: message.contact_id! },
    body: { contact_id: other.contactId },
  });
  expect(status).toBe(200);
  expect((await settled(providerId)).content.media).toMatchObject({ status: 'stored' });
  expect(await assetsOf(message.id)).toMatchObject([{ contact_id: other.contactId }]);
});

test('a channel that was disconnected by hand: its files are fetched, for its token is good', async () => {
  const own = await app.connect();
  expect((await app.call('channels.disconnect', { params: { channelID: own.id } })).status).toBe(200);
  const { providerId } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
  expect((await settled(providerId)).content.media).toMatchObject({ status: 'stored' });
  expect((await channelRows.one(app, own.id)).status).toBe('disconnected');
});

test('a channel whose token cannot be decrypted: its files wait as those of a stopped one', async () => {
  const own = await app.connect();
  await channelRows.change(app, own.id, { access_token: 'unknown.a.b.c' });
  const { message } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
  await waitFor('the job to wait', async () => new Date((await jobOf(message.id)).run_at).getTime() > Date.now() + 60_000);
  expect((await messageOf(message.provider_message_id!)).content.media.status).toBe('pending');
});

describe('a contact that is erased', () => {
  test('while its file waits gets none, and nothing waits any more', async () => {
    const own = await app.connect();
    await channelRows.change(app, own.id, { status: 'restricted' });
    const { message } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
    await waitFor('the job to wait', async () => new Date((await jobOf(message.id)).run_at).getTime() > Date.now() + 60_000);
    await app.call('contacts.delete', { params: { contactID: message.contact_id! } });
    await redispatchNow(app, { subject_id: message!.id });
    await waitFor('the job to end', async () => (await jobOf(message.id)) === undefined);
    expect((await app.message(message.id)).content.media).toEqual({ status: 'gone' });
    expect(await fetchRows.count(app, { message_id: message.id })).toBe(0);
    expect(await assetsOf(message.id)).toEqual([]);
  });

  test('or not: a file that a stopped channel did not fetch for a month is gone', async () => {
    const own = await app.connect();
    await channelRows.change(app, own.id, { status: 'restricted' });
    const { message, providerId } = await sendsFile('image', 'image/jpeg', jpeg(), {}, own);
    await waitFor('the job to wait', async () => new Date((await jobOf(message.id)).run_at).getTime() > Date.now() + 60_000);
    await messageRows.change(app, message.id, { created_at: movedBack('created_at', '32 days') });
    await redispatchNow(app, { subject_id: message!.id });
    expect((await settled(providerId)).content.media).toEqual({ status: 'gone' });
  });

  test('has no file any more', async () => {
    const { providerId } = await sendsFile('image', 'image/jpeg', jpeg());
    const { contact_id, id } = await settled(providerId);
    await app.call('contacts.delete', { params: { contactID: contact_id } });
    const { content } = await app.message(id);
    expect(content.media).toEqual({ status: 'gone' });
    expect(content.asset_id).toBeUndefined();
    expect(await assetsOf(id)).toEqual([]);
  });
});
