import { beforeAll, expect, test } from '@jest/globals';
import { eraseContactJob } from '../../../src/contacts/erasure/jobs.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { erasureRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows, unmatchedStatusRows } from '../../support/work/provider-webhooks.ts';

const app = useApp({ env: { WEBHOOK_TIMEOUT_MS: '300' } });
/** Digits, of who is forgotten and of who is not. */
const [erased, stays] = ['4915755500456', '4915755500457'];
const idWith = (digits: string) => `wamid.${Buffer.from(`\u001c\u0018${digits}\u0015\u0002`, 'latin1').toString('base64')}`;
let channel: Channel;
let messageId: string;
let erasureId: string;

const bodies = async (): Promise<string[]> =>
  (await providerWebhookRows.all(app, {}, ['body'])).map(({ body }) => body.toString('utf8'));
const erasures = () => erasureRows.count(app);
const unmatched = async () =>
  (await unmatchedStatusRows.all(app, {}, ['provider_message_id', 'state'], { id: 'asc' })).map((row) => [
    row.provider_message_id,
    row.state,
  ]);

/** No worker runs yet: what the provider says and what is to be sent waits. */
beforeAll(async () => {
  channel = await app.connect();
  const { contactId } = await app.conversation(channel, erased);
  await app.conversation(channel, stays);
  messageId = (await app.text(channel, erased)).body.data.id;
  for (const phone of [erased, stays]) {
    await app.webhook(bodyFor(channel, inboundFrom(phone, { id: idWith(phone) })));
    const broken = inboundFrom(phone, { timestamp: 'never' });
    await app.webhook(bodyFor(channel, broken));
    for (const state of ['dropped', 'matched'])
      await unmatchedStatusRows.add(app, {
        organization_id: app.tenant.organizationId,
        channel_id: channel.id,
        provider_message_id: idWith(phone),
        status: {} as never,
        state: state as 'waiting',
      });
  }
  expect((await app.call('contacts.delete', { params: { contactID: contactId } })).status).toBe(204);
  ({ id: erasureId } = await erasureRows.one(app, {}, ['id']));
  const { addresses } = await erasureRows.one(app, {}, ['addresses']);
  expect(addresses).not.toContain(erased);
  await app.startWorkers();
});

test('what a provider said before is applied first, and then goes; what it said of others stays', async () => {
  expect(await bodies()).toHaveLength(4);
  await waitFor('the end of the erasure', async () => (await erasures()) === 0);
  const left = await bodies();
  expect(left).toHaveLength(2);
  for (const body of left) expect([body.includes(stays), body.includes(erased)]).toEqual([true, false]);
  // They wrote before they were forgotten, and are somebody new now.
  expect(await messageRows.one(app, { provider_message_id: idWith(erased) }, ['from_phone'])).toEqual({
    from_phone: erased,
  });
  expect(await unmatched()).toEqual([
    [idWith(stays), 'dropped'],
    [idWith(stays), 'matched'],
  ]);
});

test('a message that waited is not sent', async () => {
  await app.messageIn(messageId, 'failed');
  expect(JSON.stringify(await app.sends(channel))).not.toContain(erased);
});

test('again: nothing', async () => {
  // The templates of the channel, too.
  await app.idle();
  const before = await app.counts();
  await app.web.deps.ledger.transact({}, async (tx) => {
    tx.enqueue(eraseContactJob, app.tenant.organizationId, { erasure_id: erasureId });
  });
  await app.idle();
  expect(await app.counts()).toEqual(before);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

test('a status that still looks for its message is waited for', async () => {
  const [phone] = ['4915755500458'];
  const { contactId } = await app.conversation(channel, phone);
  await unmatchedStatusRows.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: channel.id,
    provider_message_id: idWith(phone!),
    status: {} as never,
    state: 'waiting',
  });
  await app.call('contacts.delete', { params: { contactID: contactId } });
  const jobIsPutOff = `select 1 from jobs where name = 'contacts.erase' and run_at > created_at + interval '500 ms'`;
  await waitFor('the wait', async () => (await app.rows(jobIsPutOff)).length === 1);
  expect(await erasures()).toBe(1);
  await unmatchedStatusRows.change(app, { state: 'waiting' }, { state: 'dropped' });
  await waitFor('the end of the erasure', async () => (await erasures()) === 0);
  expect((await unmatched()).map(([id]) => id)).not.toContain(idWith(phone!));
});

test('what was said in a conversation that a merge ended is theirs too', async () => {
  const [old, young] = ['4915755500459', '4915755500460'];
  const ids: string[] = [];
  for (const phone of [old, young]) {
    ids.push((await app.conversation(channel, phone)).contactId);
    await app.webhook(bodyFor(channel, inboundFrom(phone)));
  }
  const messageEvents = async () =>
    (await eventRows.all(app, {}, ['data'])).filter(({ data }) => [old, young].includes(data.from_phone as string));
  await waitFor('both messages', async () => (await messageEvents()).length === 2);
  await app.idle();
  const merge = { params: { contactID: ids[0]! }, body: { contact_id: ids[1] } };
  expect((await app.call('contacts.merge', merge)).status).toBe(200);
  expect((await app.call('contacts.delete', { params: { contactID: ids[0]! } })).status).toBe(204);
  await waitFor('the end of the erasure', async () => (await erasures()) === 0);
  expect(await messageEvents()).toEqual([]);
});
