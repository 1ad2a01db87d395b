import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contactReferences } from '../../../src/contacts/references.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, type Reply, useApp } from '../../support/app.ts';
import { presentBackends } from '../../support/backends.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { filesIn, pdf } from '../../support/media.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { redisTexts } from '../../support/redis.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Unmistakable, and long enough not to stand anywhere by chance. */
const digits = '4915755500123';
const name = 'Zubeneschamali Quixworth';
const email = 'zubeneschamali.quixworth@example.com';
const userId = 'DE.77003399114422';
const externalId = 'ZQ-customer-0815-4711';
const filename = `${name}.pdf`;
const secrets = [digits, name, email, userId, externalId];
const person = { phone_number: `+${digits}`, name, email, external_source: 'shop', external_id: externalId };

describe.each(presentBackends().map((make) => [make.backendName, make.queueUrl] as const))('on %s', (_name, queueUrl) => {
  const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '500', ...(queueUrl && { QUEUE_URL: queueUrl }) } });
  let receiver: Receiver;
  let channel: Channel;
  let contactID: string;
  /** Requests with an Idempotency-Key, to be made again. */
  const keyed: [string, () => Promise<Reply>][] = [];

  const everywhere = async () => [...(await databaseTexts(app)), ...(await redisTexts())];
  const once = async (operationId: string, more: object): Promise<Body> => {
    const headers = { 'idempotency-key': operationId };
    const ask = () => app.call(operationId, { ...more, headers });
    const { status, body } = await ask();
    expect([operationId, status < 300]).toEqual([operationId, true]);
    keyed.push([operationId, ask]);
    return body.data;
  };
  const other = async (): Promise<string> => {
    const body = { external_source: 'shop', external_id: randomUUID() };
    return (await app.call('contacts.create', { body })).body.data.id;
  };
  const writesIn = (text: string) => sendsIn({ message: { type: 'text', text: { body: text } } });
  const sendsIn = async (sent: object) => {
    const { message_id } = await app.control('POST', '/inbound', {
      phone_number_id: channel.phoneNumberId,
      contact: { profile: { name }, wa_id: digits, user_id: userId },
      ...sent,
    });
    await waitFor('the message', async () => {
      const [row] = await app.rows('select 1 from messages where provider_message_id = $1', [message_id]);
      return row !== undefined;
    });
  };
  const countOf = async (table: string, column: string) =>
    (await app.one(`select count(*)::int as n from ${table} where ${column} = $1`, [contactID])).n as number;

  beforeAll(async () => {
    receiver = await startReceiver();
    // A receiver that answers with what it was sent leaves the person in the log of attempts too.
    receiver.answer(({ raw }) => ({ headers: { 'x-echo': encodeURIComponent(raw) } }));
    const event_types = ['contact.created', 'contact.updated', 'contact.deleted', 'message.new', 'message.status_update'];
    await app.call('webhooks.endpoints.create', { body: { url: receiver.url, event_types } });
    channel = await app.connect();
    await app.storeTemplates(channel);
    const earlier = await other();
    await writesIn('Hello?');
    contactID = (await once('contacts.create', { body: person })).id;
    const params = { contactID };
    await once('contacts.notes.create', { params, body: { body: `${name} called from ${digits}` } });
    await once('contacts.tags.assign', { params, body: { name: 'vip' } });
    const text = { channel_id: channel.id, to: `+${digits}`, type: 'text', text: { body: 'Hello' } };
    const { id } = await once('messages.send', { body: text });
    await app.messageIn(id, 'read');
    await writesIn(`I am ${name}`);
    await sendsIn({
      message: { type: 'document', document: { filename } },
      media: { mime_type: 'application/pdf', base64: pdf().toString('base64') },
    });
    await waitFor('the file', async () => (await app.rows('select 1 from media_assets')).length === 1);
    await waitFor('the deliveries', () => receiver.ofType('message.new').length === 3);
    await refer(earlier, await other());
    const exported = (await app.call('contacts.exports.create', { body: { search: name } })).body.data;
    await waitFor(
      'the export',
      async () =>
        (await app.rows(`select 1 from contact_exports where id = $1 and state = 'succeeded'`, [exported.id])).length > 0,
    );
    await app.idle();
  });
  afterAll(() => receiver.close());

  /** A row through each reference that the requests above did not make. */
  async function refer(earlier: string, later: string) {
    const insert = (table: string, columns: object) =>
      app.rows(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1::jsonb)`, [
        JSON.stringify({
          id: randomUUID(),
          organization_id: app.tenant.organizationId,
          created_at: new Date().toISOString(),
          updated_at: new Date().toISOString(),
          contact_id: contactID,
          ...columns,
        }),
      ]);
    const permission = { channel: 'email', source: name, proof: email, reason: '', actor: 'x', changed_at: '2026-01-01' };
    await insert('contact_consents', { ...permission, status: 'granted' });
    await insert('contact_suppressions', { channel: 'email', reason: 'complaint' });
    await insert('contact_permission_history', { ...permission, kind: 'consent', state: 'granted' });
    const blocked = { address: digits, phone: digits, user_id: userId, status: 'blocked', blocked_at: '2026-01-01' };
    await insert('contact_blocks', { ...blocked, channel_id: channel.id });
    await insert('contact_duplicates', { other_id: later, reason: 'same_person' });
    await insert('contact_duplicates', { contact_id: earlier, other_id: contactID, reason: 'same_person' });
    await insert('contact_merges', { merged_id: randomUUID(), actor: 'x', gone_conversations: [] });
    await app.rows(
      'update conversations set profile_name = $2, profile_username = $2, profile_phone = $3, profile_user_id = $4 where contact_id = $1',
      [contactID, name, digits, userId],
    );
  }

  test('before: the person stands in many places, and every reference is used', async () => {
    const found = leaks(await everywhere(), secrets);
    const places = [
      'contacts',
      'contact_notes',
      'conversations',
      'messages',
      'events',
      'provider_webhooks',
      'webhook_attempts',
      'contact_export_chunks',
    ];
    for (const place of places) expect([place, found.some((leak) => leak.endsWith(` public.${place}`))]).toEqual([place, true]);
    for (const { table, column } of contactReferences)
      expect([table, column, (await countOf(table, column)) > 0]).toEqual([table, column, true]);
  });

  test('deleted: at once nobody has the address, and nothing refers to the contact', async () => {
    expect((await app.call('contacts.delete', { params: { contactID } })).status).toBe(204);
    expect((await app.call('contacts.get', { params: { contactID } })).status).toBe(404);
    expect((await app.call('contacts.get-by-phone', { params: { phone: digits } })).status).toBe(404);
    expect((await app.call('contacts.delete', { params: { contactID } })).status).toBe(404);
    for (const { table, column, erase } of contactReferences)
      expect([table, column, erase === 'withdraw' || (await countOf(table, column)) === 0]).toEqual([table, column, true]);
  });

  test('what was said stays, without the person', async () => {
    const rows = await app.rows('select direction, contact_id, to_phone, from_phone, content from messages order by created_at');
    const blank = { contact_id: null, to_phone: '', from_phone: '' };
    expect(rows).toEqual([
      { direction: 'inbound', ...blank, content: { body: 'Hello?' } },
      { direction: 'outbound', ...blank, content: { body: 'Hello', preview_url: undefined } },
      { direction: 'inbound', ...blank, content: { body: `I am ${name}` } },
      { direction: 'inbound', ...blank, content: { mime_type: 'application/pdf', media: { status: 'gone' } } },
    ]);
    const { items } = (await app.call('messages.list')).body;
    expect(items.map((message: Body) => [message.contact_id, message.to_phone])).toEqual([1, 2, 3, 4].map(() => [null, '']));
  });

  test('after the job the person stands nowhere but in what was said', async () => {
    await waitFor('the job', async () => (await app.rows('select 1 from contact_erasures')).length === 0);
    await waitFor('contact.deleted', () => receiver.ofType('contact.deleted').length === 1);
    await app.idle();
    expect([await app.rows('select 1 from media_assets'), filesIn(app.mediaFolder)]).toEqual([[], []]);
    expect(leaks(await everywhere(), secrets)).toEqual([`${name} in public.messages`]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
    const events = await app.events(contactID);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['contact.created', 'contact.deleted']));
    for (const { data } of events) expect([data.contact_id, data.name ?? '']).toEqual([contactID, '']);
  });

  test('a request that is repeated: 404, nobody is made and nothing is sent', async () => {
    const before = await app.counts();
    const sends = (await app.sends(channel)).length;
    expect(keyed.map(([operationId]) => operationId)).toHaveLength(4);
    for (const [operationId, ask] of keyed) {
      const { status, body, headers } = await ask();
      expect([operationId, status, body.error.code]).toEqual([operationId, 404, 'not_found']);
      expect(headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await app.counts()).toEqual(before);
    expect(await app.sends(channel)).toHaveLength(sends);
  });

  test('who comes back is somebody new, and still suppressed', async () => {
    const { status, body } = await app.call('contacts.create', { body: person });
    expect([status, body.data.id === contactID, body.data.tags]).toEqual([201, false, []]);
    const rows = await app.rows(
      'select channel, reason, expires_at from contact_suppressions where contact_id = $1 order by channel',
      [body.data.id],
    );
    expect(rows).toEqual([
      { channel: 'email', reason: 'complaint', expires_at: null },
      { channel: 'messaging_app', reason: 'blocked', expires_at: null },
    ]);
  });
});
