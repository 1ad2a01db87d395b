import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contactReferences } from '../../../src/contacts/references.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, type Reply, useApp } from '../../support/app.ts';
import { presentBackends } from '../../support/backends.ts';
import { at, bookable } from '../../support/bookings.ts';
import { automationRun, rule, stepOf } from '../../support/factories/automation.ts';
import { variant } from '../../support/factories/sold.ts';
import { dealRow } from '../../support/factories/task-objects.ts';
import { databaseTexts, leaks } from '../../support/leaks.ts';
import { filesIn, pdf } from '../../support/media.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { redisTexts } from '../../support/redis.ts';
import { allErased, storedExports, storedSuppressions } from '../../support/stored/contacts.ts';
import { storedHistory } from '../../support/stored/crm.ts';
import { storedConversations, storedMediaAssets, storedMessages } from '../../support/stored/messaging.ts';
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
      const [row] = await storedMessages.all(app, { provider_message_id: message_id });
      return row !== undefined;
    });
  };
  const countOf = async (table: string, column: string) =>
    (await app.one(`select count(*)::int as n from ${table} where ${column} = $1`, [contactID])).n as number;

  /** A member of one segment, and sought by another. */
  async function inSegments() {
    const { id } = (await app.call('segments.create', { body: { name: 'Guests', kind: 'static' } })).body;
    await app.call('segments.members.add', { params: { segmentID: id }, body: { contact_ids: [contactID] } });
    const filters = [
      { field: 'email', operator: 'in', value: [email, 'other@example.com'] },
      { field: 'phone_number', value: `+${digits}` },
      { field: 'custom_fields.no', value: Number(digits) },
    ];
    await app.call('segments.create', { body: { name: 'One person', kind: 'dynamic', search: name, filters } });
  }

  /** An order with its booking and its discount, and a draft of another. */
  async function bought() {
    const { serviceId } = await bookable(app, app.tenant);
    const { id } = await variant(app, { kind: 'service', serviceId });
    await app.call('commerce.discounts.create', { body: { code: 'ERASED', kind: 'percent', value: 1_000 } });
    const order = {
      ...{ contact_id: contactID, customer_name: name, customer_phone: `+${digits}`, notes: `For ${name}` },
      ...{ items: [{ variant_id: id, quantity: 1 }], currency: 'USD', discount_code: 'ERASED' },
      booking: { service_id: serviceId, starts_at: at(3) },
    };
    await once('commerce.draft-orders.create', { body: order });
    await once('commerce.orders.create', { body: order });
  }

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
    await inSegments();
    const text = { channel_id: channel.id, to: `+${digits}`, type: 'text', text: { body: 'Hello' } };
    const { id } = await once('messages.send', { body: text });
    await app.messageIn(id, 'read');
    await sendsIn({
      message: {
        type: 'text',
        text: { body: `I am ${name}` },
        context: { forwarded: true },
        referral: { source_id: '9', ctwa_clid: `click-of-${digits}` },
        errors: [{ code: 131052, title: `The file of ${digits}` }],
      },
    });
    await sendsIn({ message: { type: 'reaction', reaction: { message_id: `wamid.${digits}`, emoji: '👍' } } });
    // The kind is known and its content is missing: the message is kept as it came.
    await sendsIn({ message: { type: 'location', referral: { ctwa_clid: `click-of-${digits}` } } });
    await sendsIn({
      message: { type: 'document', document: { filename } },
      media: { mime_type: 'application/pdf', base64: pdf().toString('base64') },
    });
    await waitFor('the file', async () => (await storedMediaAssets.count(app)) === 1);
    await waitFor('the deliveries', () => receiver.ofType('message.new').length === 5);
    await refer(earlier, await other());
    await makeTasks();
    const deal = {
      title: `Renewal of ${name}`,
      contacts: [{ contact_id: contactID, role: email }],
      custom_fields: { of: digits },
    };
    expect((await app.call('crm.deals.create', { body: deal })).status).toBe(201);
    await bought();
    const exported = (await app.call('contacts.exports.create', { body: { search: name } })).body.data;
    await waitFor('the export', async () => (await storedExports.count(app, { id: exported.id, state: 'succeeded' })) > 0);
    await app.idle();
  });
  afterAll(() => receiver.close());

  /** Tasks about the person: one about nobody else, one about a deal too, one about their conversation. */
  const tasks: Record<'alone' | 'withDeal' | 'ofConversation', string> = { alone: '', withDeal: '', ofConversation: '' };
  let dealId: string;
  const spelled = `+${digits.slice(0, 2)} (${digits.slice(2, 5)}) ${digits.slice(5, 9)}-${digits.slice(9)}`;
  const written = (words: string) => ({
    type: 'prosemirror',
    json: {
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [{ type: 'text', text: words, marks: [{ type: 'link', attrs: { href: `mailto:${email}` } }] }],
        },
      ],
    },
  });
  async function makeTasks() {
    const person = { object_kind: 'contact', object_id: contactID };
    const create = async (title: string, targets: object[]) => {
      const words = `Ask ${name.toUpperCase()} or ${email} at ${spelled}`;
      const body = { title, description_rich: written(words), due_at: '2030-01-01', targets };
      const headers = { 'idempotency-key': randomUUID() };
      const ask = () => app.call('crm.tasks.create', { body, headers });
      const reply = await ask();
      expect(reply.status).toBe(201);
      if (targets[0] === person) keyed.push(['crm.tasks.create', ask]);
      return reply.body.id as string;
    };
    dealId = await dealRow((text, params) => app.rows(text, params), app.tenant.organizationId);
    const { id } = await storedConversations.one(app, { contact_id: contactID });
    tasks.alone = await create(`Call ${name}`, [person]);
    tasks.withDeal = await create(`Call ${name} again`, [person, { object_kind: 'deal', object_id: dealId }]);
    tasks.ofConversation = await create(`Answer ${digits}`, [{ object_kind: 'conversation', object_id: id }]);
    const change = { title: `Offer for Quixworth`, due_at: '2031-01-01' };
    expect((await app.call('crm.tasks.update', { params: { taskID: tasks.withDeal }, body: change })).status).toBe(200);
    const buyer = { params: { dealID: dealId, contactID }, body: { role: 'Buyer' } };
    expect((await app.call('crm.deals.contacts.put', buyer)).status).toBe(200);
    const objectKind = 'company';
    const fields = { name: `Works of ${name}`, email };
    const company = await app.call('crm.records.create', { params: { objectKind }, body: { fields } });
    const link = { objectKind, recordID: company.body.id, relationName: 'contacts', otherID: contactID };
    expect((await app.call('crm.records.relations.link', { params: link })).status).toBe(200);
  }

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
    const file = {
      kind: 'document',
      source: 'inbound',
      mime_type: 'application/pdf',
      declared_type: '',
      size_bytes: 1,
      sha256: '',
    };
    const storage_key = `${app.tenant.organizationId}/${randomUUID()}`;
    await insert('media_assets', { ...file, storage_key, file_name: `${name}.pdf`, created_by: '' });
    const { id: messageId } = await app.one('select id from messages where contact_id = $1 limit 1', [contactID]);
    await app.rows(
      `insert into flow_responses (id, organization_id, message_id, contact_id, conversation_id, channel_id, response, client_token)
       select uuidv7(), organization_id, id, contact_id, conversation_id, channel_id, jsonb_build_object('name', $2::text), $2
         from messages
        where id = $1`,
      [messageId, name],
    );
    await app.rows(
      `with c as (
         insert into campaigns (organization_id, id, name) select organization_id, uuidv7(), 'Spring' from messages where id = $1 returning id)
       insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, parameters)
       select m.organization_id, uuidv7(), c.id, m.contact_id, m.channel_id, jsonb_build_object('name', $2::text)
         from c, messages m
        where m.id = $1`,
      [messageId, name],
    );
    await inRuns();
    await insert('contact_merges', { merged_id: randomUUID(), actor: 'x', gone_conversations: [] });
    await storedConversations.change(
      app,
      { contact_id: contactID },
      { profile_name: name, profile_username: name, profile_phone: digits, profile_user_id: userId },
    );
  }

  /** What rules did for the person: of an ended run and of one that waits, and one that was about their deal. */
  async function inRuns() {
    const { organizationId } = app.tenant;
    const conditions = { field: 'contact.phone_number', value: `+${digits}` };
    const { id: ruleId } = await rule(app.em(), organizationId, { status: 'paused', definition: { conditions } });
    const deal = (await app.call('crm.deals.create', { body: { title: 'Big', contacts: [{ contact_id: contactID }] } })).body.id;
    for (const given of [
      { contactId: contactID },
      { contactId: contactID, state: 'running' as const },
      { subjectType: 'deal', subjectId: deal },
    ]) {
      const { id } = await automationRun(app.em(), organizationId, { ruleId, vars: { name, digits }, ...given });
      await stepOf(app.em(), organizationId, id, { input: { text: `Dear ${name}` }, output: { to: email } });
    }
    await app.call('automation.events.create', { body: { contact_id: contactID, name: 'trial_started', data: { of: name } } });
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
      'crm_tasks',
      'deals',
      'deal_contacts',
      'crm_history',
      'records',
      'record_values',
      'flow_responses',
      'segments',
      'campaign_recipients',
      'automation_rules',
      'automation_rule_versions',
      'automation_runs',
      'automation_steps',
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
    const rows = await storedMessages.all(
      app,
      {},
      { columns: ['direction', 'contact_id', 'to_phone', 'from_phone', 'content'], orderBy: 'created_at' },
    );
    const blank = { contact_id: null, to_phone: '', from_phone: '' };
    expect(rows).toEqual([
      { direction: 'inbound', ...blank, content: { body: 'Hello?' } },
      { direction: 'outbound', ...blank, content: { body: 'Hello', preview_url: undefined } },
      { direction: 'inbound', ...blank, content: { body: `I am ${name}`, forwarded: true } },
      { direction: 'inbound', ...blank, content: { emoji: '👍' } },
      { direction: 'inbound', ...blank, content: { raw: { type: 'location', timestamp: expect.any(String) } } },
      { direction: 'inbound', ...blank, content: { mime_type: 'application/pdf', media: { status: 'gone' } } },
    ]);
    const { items } = (await app.call('messages.list')).body;
    expect(items.map((message: Body) => [message.contact_id, message.to_phone])).toEqual(
      [1, 2, 3, 4, 5, 6].map(() => [null, '']),
    );
  });

  test('after the job the person stands nowhere but in what was said', async () => {
    await waitFor('the job', () => allErased(app));
    await waitFor('contact.deleted', () => receiver.ofType('contact.deleted').length === 1);
    await app.idle();
    expect(await storedMediaAssets.count(app)).toBe(0);
    expect(filesIn(app.mediaFolder)).toEqual([]);
    expect(leaks(await everywhere(), secrets)).toEqual([`${name} in public.messages`]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
    const events = await app.events(contactID);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['contact.created', 'contact.deleted']));
    for (const { data } of events) expect([data.contact_id, data.name ?? '']).toEqual([contactID, '']);
  });

  test('a task about nobody else is gone; the words of the others do not name the person, and the deal stays', async () => {
    const taskOf = (id: string) => app.call('crm.tasks.get', { params: { taskID: id } });
    expect((await taskOf(tasks.alone)).status).toBe(404);
    expect((await app.events(tasks.alone)).map(({ type }) => type)).toEqual(['task.created', 'task.deleted']);
    const { body } = await taskOf(tasks.withDeal);
    expect(body).toMatchObject({
      title: 'Offer for [removed]',
      description: 'Ask [removed] or [removed] at [removed]',
      description_rich: { plain_text: 'Ask [removed] or [removed] at [removed]' },
      targets: [{ object_kind: 'deal', object_id: dealId }],
    });
    expect(JSON.stringify(body.description_rich.json)).toContain('mailto:[removed]');
    expect((await taskOf(tasks.ofConversation)).body).toMatchObject({ title: 'Answer [removed]', targets: [{}] });
    const { items } = (await app.call('crm.tasks.history', { params: { taskID: tasks.withDeal } })).body;
    expect(items[0]).toMatchObject({ actor: 'system', changes: { targets: { from: [contactID], to: [] } } });
    expect(items.slice(1).map(({ changes }: Body) => changes.title)).toEqual([
      { from: 'Call [removed] again', to: 'Offer for [removed]' },
      { from: null, to: 'Call [removed] again' },
    ]);
    expect(await storedHistory.count(app, { object_id: tasks.alone })).toBe(0);
    expect(JSON.stringify([body, items])).not.toMatch(new RegExp(name.split(' ').join('|'), 'i'));
  });

  test('a request that is repeated: 404, nobody is made and nothing is sent', async () => {
    const before = await app.counts();
    const sends = (await app.sends(channel)).length;
    expect(keyed.map(([operationId]) => operationId)).toHaveLength(8);
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
    const rows = await storedSuppressions.all(
      app,
      { contact_id: body.data.id },
      { columns: ['channel', 'reason', 'expires_at'], orderBy: 'channel' },
    );
    expect(rows).toEqual([
      { channel: 'email', reason: 'complaint', expires_at: null },
      { channel: 'messaging_app', reason: 'blocked', expires_at: null },
    ]);
  });
});
