import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RunState } from '../../../src/automation/states.ts';
import type { Role } from '../../../src/organizations/roles.ts';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, orderFor } from '../../support/bookings.ts';
import { channelWithTemplates, completeDraft, inState } from '../../support/campaign-drafts.ts';
import { type Definition, definitionOf, definitions } from '../../support/contract.ts';
import { sample, some } from '../../support/depth.ts';
import { exampleBody, makeParams, makeRecord } from '../../support/examples.ts';
import { automationRun, rule } from '../../support/factories/automation.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { deliveries } from '../../support/factories/deliveries.ts';
import { bearerToken, type Person, person, sessionHeaders, testPassword } from '../../support/factories/person.ts';
import { variant } from '../../support/factories/sold.ts';
import { owingOrder, paymentAccount, paymentRecords } from '../../support/payments.ts';
import { storedResponse } from '../../support/sent-flows.ts';
import { connectShipper, jne, menteng, orderToSend, weighedVariant } from '../../support/shipping.ts';
import { storedActs, storedMails, storedMemberships, storedSessions } from '../../support/stored/accounts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnections, storedOnboardings } from '../../support/stored/channels.ts';
import { storedRefunds } from '../../support/stored/commerce.ts';
import { storedExports } from '../../support/stored/contacts.ts';
import { storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';
import { storedMessages, storedTemplates } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
type Headers = Record<string, string>;
type Call = { params?: Record<string, string>; body?: unknown; headers?: Headers };

let tenant: Tenant;
let owner: Person;
beforeAll(async () => {
  tenant = app.tenant;
  owner = await person(app.em(), tenant.organizationId, 'owner');
});

const as = ({ userId }: Person) => sessionHeaders(app.em(), userId, app.base);
const member = (role: Role = 'viewer') => person(app.em(), tenant.organizationId, role);
const exported = async (): Promise<string> => {
  const { id } = (await app.call('contacts.exports.create', { key: tenant.key })).body.data;
  await storedExports.change(app, id, { state: 'succeeded', finished_at: now() });
  return id;
};
const onboarded = async (step: string, ...done: string[]): Promise<string> => {
  const { id } = (await app.call('onboarding.start', { key: tenant.key })).body;
  await storedOnboardings.change(app, id, { current_step: step, completed_steps: done });
  return id;
};
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const listening = async (): Promise<string> => {
  const body = { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] };
  return (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
};
const delivery = async (): Promise<string> => {
  const ids = { organizationId: tenant.organizationId, endpointId: await listening() };
  return (await deliveries((text, params) => app.rows(text, params), ids))[0]!;
};
const recovering = async (): Promise<string> => {
  const call = { key: tenant.key, params: { endpointID: await listening() }, body: { since: anHourAgo() } };
  return (await app.call('webhooks.endpoints.recover', call)).body.operation_id;
};
/** Approved, with the ids of both. */
const reviewed = async () => {
  const channel = await app.connect();
  await app.storeTemplates(channel);
  const { id } = await storedTemplates.one(app, { channel_id: channel.id, name: 'hello' });
  return { channelId: channel.id, templateID: id };
};
let made = 0;
const email = () => {
  made += 1;
  return `guest-${made}@example.com`;
};

/** A static one with a name of its own each time, without members. */
const segmentMade = async () => {
  made += 1;
  const body = { name: `Audited ${made}`, kind: 'static' };
  return { segmentID: (await app.call('segments.create', { key: tenant.key, body })).body.id };
};

/** Live. */
const ruleMade = async () => {
  const ruleID = await makeRecord(app, 'ruleID');
  expect((await app.call('automation.rules.publish', { key: tenant.key, params: { ruleID } })).status).toBe(200);
  return ruleID;
};

/** One that can be sent, in a state that no request leads to. */
const campaignIn = (status?: string) => async (): Promise<Call> => {
  const { id } = await completeDraft(app, await channelWithTemplates(app, tenant));
  if (status) await inState(app, id, status);
  return { params: { campaignID: id } };
};

/** Whose steps nothing takes. */
const runIn = (state: RunState) => async (): Promise<Call> => {
  const { id: ruleId } = await rule(app.em(), tenant.organizationId);
  const { id: contactId } = await contact(app.em(), tenant.organizationId);
  return { params: { runID: (await automationRun(app.em(), tenant.organizationId, { ruleId, contactId, state })).id } };
};

/** A kind of its own each time, with a field and a relation. */
const kindMade = async () => {
  made += 1;
  const [objectKind, fieldName, relationName] = [`audited_${made}`, 'size', 'people'];
  const fields = [
    { name: 'name', type: 'text' },
    { name: fieldName, type: 'number' },
  ];
  await app.call('crm.object-types.create', { key: tenant.key, body: { kind: objectKind, label: 'Audited', fields } });
  const relation = { name: relationName, inverse_name: objectKind, to_kind: 'contact', cardinality: 'many_to_many' };
  await app.call('crm.object-relations.create', { key: tenant.key, params: { objectKind }, body: relation });
  return { objectKind, fieldName, relationName };
};

/** Of a connected channel; the provider has it. */
const flowThere = async (status = 'draft') => {
  made += 1;
  const { id: channel_id } = await app.connect({ tenant });
  const body = { ...(exampleBody(definitionOf('flows.create')) as object), name: `Audited ${made}`, channel_id };
  const { id } = (await app.call('flows.create', { key: tenant.key, body })).body;
  await storedFlows.change(app, id, { provider_flow_id: `9${made}`, status });
  return id;
};

/** One that takes recipients. */
const drafted = async () => {
  const { id: channelId } = await channel(app.em(), tenant.organizationId);
  return { campaignID: (await campaign(app.em(), tenant.organizationId, { channelIds: [channelId] })).id };
};

/** What a call needs that the document's examples have not, nor make: records in some state, bodies that are new. */
const needs: Record<string, () => Promise<Call>> = {
  'auth.session.active-organization': async () => ({ body: { organization_id: tenant.organizationId } }),
  'auth.tokens.delete': async () => ({
    params: { tokenID: (await bearerToken(app.em(), tenant.organizationId, owner.userId)).id },
  }),
  'members.update': async () => ({ params: { memberID: (await member()).userId } }),
  'members.delete': async () => ({ params: { memberID: (await member()).userId } }),
  'invitations.create': async () => ({ body: { email: email(), role: 'viewer' } }),
  'channels.connect': async () => {
    const { phoneNumberId, wabaId, accessToken } = await app.account();
    return { body: { phone_number_id: phoneNumberId, waba_id: wabaId, access_token: accessToken } };
  },
  'contacts.merge': async () => ({
    params: { contactID: (await contact(app.em(), tenant.organizationId)).id },
    body: { contact_id: (await contact(app.em(), tenant.organizationId)).id },
  }),
  'campaigns.recipients.add': async () => ({
    params: await drafted(),
    body: { recipients: [{ contact_id: (await contact(app.em(), tenant.organizationId)).id }] },
  }),
  'campaigns.recipients.import': async () => ({ params: await drafted() }),
  'campaigns.recipients.export': async () => ({ params: await drafted() }),
  'onboarding.subscribe-webhook': async () => ({
    body: { phone_number_id: '1', progress_id: await onboarded('subscribe_webhook', 'exchange_token'), waba_id: '2' },
  }),
  'onboarding.register-phone': async () => ({
    params: { progressID: await onboarded('register_phone', 'exchange_token', 'subscribe_webhook') },
  }),
  'onboarding.sync-assets': async () => ({
    params: { progressID: await onboarded('sync_assets', 'exchange_token', 'subscribe_webhook', 'register_phone') },
  }),
  'campaigns.start': campaignIn(),
  'campaigns.pause': campaignIn('running'),
  'campaigns.resume': campaignIn('paused'),
  'campaigns.retry-failed': campaignIn('completed'),
  'crm.object-types.create': async () => {
    made += 1;
    return { body: { kind: `audited_${made}`, label: 'Audited' } };
  },
  'crm.object-types.update': async () => ({ params: { objectKind: (await kindMade()).objectKind } }),
  'crm.object-types.delete': async () => ({ params: { objectKind: (await kindMade()).objectKind } }),
  'crm.object-fields.create': async () => ({ params: { objectKind: (await kindMade()).objectKind } }),
  'crm.object-fields.update': async () => {
    const { objectKind, fieldName } = await kindMade();
    return { params: { objectKind, fieldName } };
  },
  'crm.object-fields.delete': async () => {
    const { objectKind, fieldName } = await kindMade();
    return { params: { objectKind, fieldName } };
  },
  'crm.object-relations.create': async () => {
    const { objectKind } = await kindMade();
    const body = { name: 'talks', inverse_name: `talked_${objectKind}`, to_kind: 'conversation', cardinality: 'many_to_many' };
    return { params: { objectKind }, body };
  },
  'crm.object-relations.delete': async () => {
    const { objectKind, relationName } = await kindMade();
    return { params: { objectKind, relationName } };
  },
  'crm.records.export': async () => ({ params: { objectKind: (await kindMade()).objectKind } }),
  'crm.records.import': async () => ({ params: { objectKind: (await kindMade()).objectKind }, body: 'size\n7\n' }),
  'contacts.exports.file': async () => ({ params: { exportID: await exported() } }),
  'contacts.exports.delete': async () => ({ params: { exportID: await exported() } }),
  'channels.update': async () => ({ params: { channelID: (await app.connect()).id } }),
  'channels.delete': async () => ({ params: { channelID: (await app.connect()).id } }),
  'channels.flow-encryption.rotate': async () => ({ params: { channelID: (await app.connect()).id } }),
  'channels.disconnect': async () => ({ params: { channelID: (await app.connect()).id } }),
  'channels.reconnect': async () => ({ params: { channelID: (await app.connect()).id } }),
  'channels.rotate-token': async () => {
    const { id, accessToken } = await app.connect();
    return { params: { channelID: id }, body: { access_token: accessToken } };
  },
  'templates.create': async () => {
    const { channelId } = await reviewed();
    const components = [{ type: 'BODY', text: 'Thank you' }];
    const body = { channel_id: channelId, name: 'thanks', language: 'en_US', category: 'utility', components };
    return { body };
  },
  'templates.update': async () => ({ params: { templateID: (await reviewed()).templateID } }),
  'templates.delete': async () => ({ params: { templateID: (await reviewed()).templateID } }),
  'templates.duplicate': async () => {
    const { templateID } = await reviewed();
    const components = [{ type: 'BODY', text: 'Thank you' }];
    await storedTemplates.change(app, templateID, { components });
    return { params: { templateID }, body: { channel_id: (await app.connect()).id } };
  },
  'flows.flow-json.replace': async () => {
    const body = { name: 'Own', category: 'other', flow_json: {} };
    return { params: { flowID: (await app.call('flows.create', { key: tenant.key, body })).body.id } };
  },
  'flows.responses.delete': async () => {
    const body = { name: 'Answered', category: 'other', flow_json: {} };
    const flowID = (await app.call('flows.create', { key: tenant.key, body })).body.id;
    const channel = await app.connect({ tenant });
    const { data } = (await app.text(channel, (await app.conversation(channel)).phone)).body;
    return { params: { flowID, responseID: await storedResponse(app, flowID, data.id) } };
  },
  'flows.import': async () => ({ body: { channel_id: (await app.connect({ tenant })).id } }),
  'flows.push': async () => ({ params: { flowID: await flowThere() } }),
  'flows.publish': async () => ({ params: { flowID: await flowThere() } }),
  'flows.sync': async () => ({ params: { flowID: await flowThere() } }),
  'flows.deprecate': async () => ({ params: { flowID: await flowThere('published') } }),
  'flows.preview': async () => ({ params: { flowID: await flowThere() } }),
  'flows.delete': async () => ({ params: { flowID: await flowThere() } }),
  'flows.versions.restore': async () => {
    const body = { name: 'Old', category: 'other', flow_json: {} };
    const flowID = (await app.call('flows.create', { key: tenant.key, body })).body.id;
    const { id: versionID } = await storedFlowVersions.one(app, { flow_id: flowID });
    await app.call('flows.update', { key: tenant.key, params: { flowID }, body: { flow_json: { version: '7.2' } } });
    return { params: { flowID, versionID } };
  },
  'commerce.shipping-quotes.create': async () => {
    await connectShipper(app, { tenant });
    const items = [{ variant_id: await weighedVariant(app, tenant.organizationId), quantity: 1 }];
    return { body: { destination: { area_id: menteng }, items } };
  },
  'commerce.shipments.create': async () => {
    await connectShipper(app, { tenant });
    return { params: { orderID: await orderToSend(app, {}, { tenant }) } };
  },
  'commerce.shipments.cancel': async () => {
    await connectShipper(app, { tenant });
    const orderID = await orderToSend(app, {}, { tenant });
    const { body } = await app.call('commerce.shipments.create', { key: tenant.key, params: { orderID }, body: jne });
    return { params: { orderID, shipmentID: body.id } };
  },
  'commerce.shipments.settle': async () => {
    const { id } = await connectShipper(app, { tenant });
    const orderID = await orderToSend(app, {}, { tenant });
    const wanted = { ...jne, connection_id: id };
    const { body } = await app.call('commerce.shipments.create', { key: tenant.key, params: { orderID }, body: wanted });
    await app.call('connections.delete', { key: tenant.key, params: { connectionID: id } });
    return { params: { orderID, shipmentID: body.id }, body: { status: 'cancelled' } };
  },
  'commerce.draft-orders.convert': async () => {
    const items = [{ variant_id: (await variant(app, { organizationId: tenant.organizationId })).id, quantity: 1 }];
    const { body } = await app.call('commerce.draft-orders.create', {
      key: tenant.key,
      body: { items, currency: 'USD', customer_phone: '+16505551234' },
    });
    return { params: { draftOrderID: body.id } };
  },
  'commerce.payment-sessions.create': async () => {
    await paymentAccount(app, 'stripe', { tenant, isTold: false });
    return { params: { orderID: await owingOrder(app, { tenant }) } };
  },
  'commerce.payments.create': async () => ({ params: { orderID: await owingOrder(app, { tenant }) } }),
  'commerce.refunds.create': async () => {
    const orderID = await owingOrder(app, { tenant });
    const body = { amount: 150_000, method: 'cash' };
    await app.call('commerce.payments.create', { key: tenant.key, params: { orderID }, body });
    return { params: { orderID } };
  },
  'commerce.refunds.settle': async () => {
    const orderID = await owingOrder(app, { tenant });
    const { refundID } = await paymentRecords(app, orderID);
    await storedRefunds.change(app, refundID, { status: 'pending', asked_at: now() });
    const { connection_id } = await storedRefunds.one(app, refundID);
    const deleted = { deleted_at: now(), credentials: null, is_default: false, status: 'disconnected' };
    await storedConnections.change(app, connection_id, deleted);
    return { params: { orderID, refundID } };
  },
  'commerce.orders.booking-calendar-sync': async () => {
    const { serviceId } = await bookable(app, tenant);
    const orderID = await orderFor(app, tenant, { status: 'confirmed' });
    expect((await book(app, tenant, orderID, { service_id: serviceId, starts_at: at(3) })).status).toBe(201);
    return { params: { orderID } };
  },
  'automation.rules.pause': async () => ({ params: { ruleID: await ruleMade() } }),
  'automation.rules.resume': async () => {
    const ruleID = await ruleMade();
    await app.call('automation.rules.pause', { key: tenant.key, params: { ruleID } });
    return { params: { ruleID } };
  },
  'automation.rules.run': async () => ({
    params: { ruleID: await ruleMade() },
    body: { subject: { type: 'contact', id: await makeRecord(app, 'contactID') } },
  }),
  'automation.runs.cancel': runIn('running'),
  'automation.runs.retry': runIn('failed'),
  'automation.secrets.put': async () => ({ params: { secretName: 'AUDITED' } }),
  'automation.secrets.delete': async () => {
    const params = { secretName: 'AUDITED' };
    await app.call('automation.secrets.put', {
      key: tenant.key,
      params,
      body: { value: 'a long token', hosts: ['example.com'] },
    });
    return { params };
  },
  'automation.events.create': async () => ({ body: { name: 'told', contact_id: await makeRecord(app, 'contactID') } }),
  'segments.create': async () => {
    made += 1;
    return { body: { name: `Audited ${made}`, kind: 'dynamic' } };
  },
  'segments.update': async () => {
    made += 1;
    return { params: await segmentMade(), body: { name: `Audited again ${made}` } };
  },
  'segments.delete': async () => ({ params: await segmentMade() }),
  'segments.members.add': async () => ({
    params: await segmentMade(),
    body: { contact_ids: [await makeRecord(app, 'contactID')] },
  }),
  'segments.members.remove': async () => {
    const { segmentID } = await segmentMade();
    const contactID = await makeRecord(app, 'contactID');
    const body = { contact_ids: [contactID] };
    await app.call('segments.members.add', { key: tenant.key, params: { segmentID }, body });
    return { params: { segmentID, contactID } };
  },
  'webhooks.deliveries.replay': async () => ({ params: { deliveryID: await delivery() } }),
  'webhooks.endpoints.recover': async () => ({ params: { endpointID: await listening() }, body: { since: anHourAgo() } }),
  'webhooks.endpoints.replay': async () => ({ params: { endpointID: await listening() }, body: { since: anHourAgo() } }),
  'webhooks.endpoints.cancel': async () => ({ params: { endpointID: await listening() } }),
  'operations.cancel': async () => ({ params: { operationID: await recovering() } }),
  'operations.pause': async () => ({ params: { operationID: await recovering() } }),
  'operations.resume': async () => {
    const operationID = await recovering();
    await app.call('operations.pause', { key: tenant.key, params: { operationID } });
    return { params: { operationID } };
  },
  'messages.cancel': async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = (await app.text(channel, phone, { send_at: sendAt })).body.data;
    return { params: { messageID: id } };
  },
  'messages.fetch-file': async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone)).body.data;
    const { content } = await app.message(id);
    await storedMessages.change(app, id, { content: { ...content, media: { status: 'failed' } } });
    return { params: { messageID: id } };
  },
  'messages.retry': async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone)).body.data;
    await storedMessages.change(app, id, { status: 'failed' });
    await storedJobs.change(app, { subject_id: id }, { state: 'failed' });
    return { params: { messageID: id } };
  },
};

const audited = definitions.filter(({ audit }) => audit);

/** A right call of an audited endpoint, by the owner's session: everything is open to it. */
async function rightCall(definition: Definition) {
  const { operationId, params, example, holdsSecret, isIdempotent } = definition;
  const session = await as(owner);
  const needed = needs[operationId] ?? (async () => params && { params: await makeParams(app, definition) });
  const call: Call = { ...(example.body !== undefined && { body: exampleBody(definition) }), ...(await needed()) };
  const headers = { ...session.headers, ...(isIdempotent && { 'idempotency-key': `once-${session.sessionId}` }) };
  return { session, holdsSecret, ask: () => app.call(operationId, { ...call, key: null, headers }), call };
}

/** Every text in a value that is long enough to be a secret and no id or time. */
const secretsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? /^[\w+/=-]{12,}$/.test(value) && !/^[0-9a-f-]{36}$/.test(value)
      ? [value]
      : []
    : value && typeof value === 'object'
      ? Object.entries(value).flatMap(([name, inner]) => (/token|key|secret|password/.test(name) ? secretsIn(inner) : []))
      : [];

test('there are audited endpoints', () => {
  expect(audited.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining([
      'auth.logout',
      'auth.tokens.create',
      'organization.update',
      'members.update',
      'members.delete',
      'invitations.create',
      'api-keys.create',
      'api-keys.rotate',
      'messages.retry',
    ]),
  );
});

describe('every audited endpoint', () => {
  const cases = audited.map((definition): [string, Definition] => [definition.operationId, definition]);

  test.each(sample(cases, 90))(
    '%s leaves one row that says who did what to which record, and from where',
    async (operationId, definition) => {
      const { session, ask, call } = await rightCall(definition);
      const reply = await ask();
      expect(reply.status).toBeLessThan(300);
      const acts = await actsOf(app, reply);
      expect(acts).toEqual([
        {
          organization_id: tenant.organizationId,
          actor: `user:${owner.userId}`,
          action: operationId,
          subject: expect.stringMatching(new RegExp(`^${definition.audit}:[\\w-]{2,98}$`)),
          address: expect.stringContaining('127.0.0.1'),
          details: acts[0]?.details,
        },
      ]);
      const id = acts[0]!.subject.split(':')[1];
      const shown = [...Object.values(call.params ?? {}), reply.body?.id, reply.body?.data?.id].filter(Boolean);
      expect([...(shown.length > 0 ? shown : [id]), tenant.organizationId, session.sessionId]).toContain(id);
      for (const secret of [...secretsIn(reply.body), ...secretsIn(call.body), session.token])
        expect(JSON.stringify(acts)).not.toContain(secret);
      if (!definition.isIdempotent) return;
      const again = await ask();
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([reply.status, 'true']);
      expect(await actsOf(app, again)).toEqual([]);
    },
  );

  test.each(some(cases, 20, 0))('%s is not done when its row cannot be written', async (_operationId, definition) => {
    const { ask } = await rightCall(definition);
    const before = await app.counts();
    await app.rows('alter table audit_log add constraint closed check (false) not valid');
    try {
      expect((await ask()).status).toBe(500);
      expect(await app.counts()).toEqual(before);
    } finally {
      await app.rows('alter table audit_log drop constraint closed');
    }
  });

  test.each(some(cases, 20, 1).filter(([, { scope }]) => scope.includes(':')))(
    '%s refused leaves none',
    async (_operationId, definition) => {
      const { call } = await rightCall(definition);
      const { key } = await app.key(tenant.organizationId, ['audit:read']);
      const before = await app.counts();
      const reply = await app.call(definition.operationId, { ...call, key });
      expect(reply.status).toBe(403);
      expect(await app.counts()).toEqual(before);
    },
  );
});

describe('what is kept besides', () => {
  const last = (reply: Reply) => actsOf(app, reply);
  const login = (password: string, who: Person) => app.call('auth.login', { key: null, body: { email: who.email, password } });

  test('a login, where its session begins', async () => {
    const reply = await login(testPassword, owner);
    const { id } = await app.one('select id from sessions where user_id = $1 order by created_at desc limit 1', [owner.userId]);
    expect(await last(reply)).toEqual([
      expect.objectContaining({
        organization_id: tenant.organizationId,
        actor: `user:${owner.userId}`,
        action: 'auth.login',
        subject: `session:${id}`,
      }),
    ]);
  });

  test('a failed one, in each organization of the user; none of a user nobody knows', async () => {
    const other = await app.organization();
    const both = await member();
    await storedMemberships.add(app, { organization_id: other.organizationId, user_id: both.userId, role: 'viewer' });
    const acts = await last(await login('not the right one', both));
    expect(acts.map(({ organization_id: id }) => id).sort()).toEqual([tenant.organizationId, other.organizationId].sort());
    for (const act of acts)
      expect(act).toMatchObject({ action: 'auth.login-failed', actor: `user:${both.userId}`, details: null });
    expect(JSON.stringify(acts)).not.toContain('not the right one');
    const unknown = await app.call('auth.login', { key: null, body: { email: email(), password: testPassword } });
    expect(await last(unknown)).toEqual([]);
  });

  test('a changed password', async () => {
    const subject = await member();
    const { headers } = await as(subject);
    const change = (current: string) =>
      app.call('auth.me.password', {
        key: null,
        headers,
        body: { current_password: current, new_password: 'a garden of seven lamps' },
      });
    expect(await last(await change('not the right one'))).toEqual([]);
    const acts = await last(await change(testPassword));
    expect(acts).toEqual([
      expect.objectContaining({
        organization_id: tenant.organizationId,
        action: 'auth.password.change',
        subject: `user:${subject.userId}`,
      }),
    ]);
    expect(JSON.stringify(acts)).not.toMatch(/lamps|staple/);
  });

  test('a password reset, asked for and done', async () => {
    const subject = await member();
    const asked = await app.call('auth.password-reset.request', { key: null, body: { email: subject.email } });
    const mail = await storedMails.one(app, { recipient: subject.email }, ['token']);
    const token = app.web.deps.secrets.open(mail.token);
    const done = await app.call('auth.password-reset.confirm', {
      key: null,
      body: { token, new_password: 'a garden of seven lamps' },
    });
    for (const [reply, action] of [
      [asked, 'auth.password-reset.request'],
      [done, 'auth.password-reset.confirm'],
    ] as const) {
      const acts = await last(reply);
      expect(acts).toEqual([
        expect.objectContaining({ organization_id: tenant.organizationId, action, subject: `user:${subject.userId}` }),
      ]);
      expect(JSON.stringify(acts)).not.toContain(token);
    }
    const unknown = await app.call('auth.password-reset.request', { key: null, body: { email: email() } });
    expect(await last(unknown)).toEqual([]);
  });

  test('a change of organization, in the one the user comes to', async () => {
    const other = await app.organization();
    const both = await member('owner');
    await storedMemberships.add(app, { organization_id: other.organizationId, user_id: both.userId, role: 'viewer' });
    const { headers, sessionId } = await as(both);
    await storedSessions.change(app, sessionId, { organization_id: tenant.organizationId });
    const body = { organization_id: other.organizationId };
    const reply = await app.call('auth.session.active-organization', { key: null, headers, body });
    expect(await last(reply)).toEqual([
      expect.objectContaining({
        organization_id: other.organizationId,
        action: 'auth.session.active-organization',
        subject: `organization:${other.organizationId}`,
      }),
    ]);
    const stranger = await app.organization();
    const refused = await app.call('auth.session.active-organization', {
      key: null,
      headers,
      body: { organization_id: stranger.organizationId },
    });
    expect([refused.status, await last(refused)]).toEqual([403, []]);
  });

  test('a key, a token and a session each have their own name', async () => {
    const rename = async (headers: Headers) =>
      (await last(await app.call('organization.update', { key: null, headers, body: { name: 'Test' } })))[0]?.actor;
    expect(await rename({ 'x-api-key': tenant.key })).toBe(`key:${tenant.keyId}`);
    const { headers: token } = await bearerToken(app.em(), tenant.organizationId, owner.userId);
    expect(await rename(token)).toBe(`user:${owner.userId}`);
    expect(await rename((await as(owner)).headers)).toBe(`user:${owner.userId}`);
  });
});

describe('the list', () => {
  let own: Tenant;
  let acts: Body[];
  const list = (query: Record<string, string | number | boolean> = {}, key = own.key) =>
    app.call('audit-log.list', { key, query });
  const rename = (name: string) => app.call('organization.update', { key: own.key, body: { name } });

  beforeAll(async () => {
    own = await app.organization();
    await rename('One');
    await app.call('api-keys.create', { key: own.key, body: { name: 'Till', scopes: ['messages:read'] } });
    await storedActs.add(app, {
      organization_id: own.organizationId,
      actor: 'cli',
      action: 'api-keys.create',
      subject: 'api_key:x',
      address: '',
    });
    await rename('Two');
    acts = (await list()).body.items;
  });

  test('newest first, as it was done', () => {
    expect(acts.map(({ actor, action }) => [actor, action])).toEqual([
      [`key:${own.keyId}`, 'organization.update'],
      ['cli', 'api-keys.create'],
      [`key:${own.keyId}`, 'api-keys.create'],
      [`key:${own.keyId}`, 'organization.update'],
    ]);
    expect(acts[2]).toEqual({
      id: expect.any(String),
      actor: `key:${own.keyId}`,
      action: 'api-keys.create',
      subject: expect.stringMatching(/^api_key:[0-9a-f-]{36}$/),
      address: expect.stringContaining('127.0.0.1'),
      request_id: expect.any(String),
      details: { name: 'Till', scopes: ['messages:read'] },
      created_at: expect.any(String),
    });
    expect(acts[1]).toMatchObject({ request_id: null, details: null, address: '' });
  });

  test.each([1, 2, 3])('in pages of %i', async (limit) => {
    const seen: Body[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list({ limit, include_total: true, ...(cursor && { cursor }) });
      expect(body.meta.total).toBe(4);
      seen.push(...body.items);
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(seen).toEqual(acts);
  });

  test('by actor or by action at once, whatever the organization counts meanwhile; by both, or counted, in its place', async () => {
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const held = app.web.deps.reads.dear(own.organizationId, () => gate);
    let ended = 0;
    const queries: Record<string, string | boolean>[] = [{ actor: 'cli', action: 'api-keys.create' }, { include_total: true }];
    const dear = queries.map(async (query) => {
      const reply = await list(query);
      ended += 1;
      return reply;
    });
    expect((await list({ actor: 'cli' })).body.items).toEqual([acts[1]]);
    expect((await list({ action: 'organization.update' })).body.items).toEqual([acts[0], acts[3]]);
    for (let read = 0; read < 5; read += 1) await list({ actor: 'cli' });
    expect(ended).toBe(0);
    goOn();
    await held;
    expect((await Promise.all(dear)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('by actor, by action, by both; a cursor is of one question', async () => {
    const ask = async (query: Record<string, string | number>) => (await list(query)).body.items;
    expect(await ask({ actor: 'cli' })).toEqual([acts[1]]);
    expect(await ask({ action: 'organization.update' })).toEqual([acts[0], acts[3]]);
    expect(await ask({ action: 'api-keys.create', actor: `key:${own.keyId}` })).toEqual([acts[2]]);
    expect(await ask({ action: 'api-keys' })).toEqual([]);
    const { body } = await list({ action: 'organization.update', limit: 1 });
    const cursor = body.meta.next_cursor;
    expect((await list({ action: 'organization.update', limit: 1, cursor })).body.items).toEqual([acts[3]]);
    const others: Record<string, string>[] = [{}, { action: 'api-keys.create' }, { action: 'organization.update', actor: 'cli' }];
    for (const other of others) expect((await list({ ...other, limit: 1, cursor })).status).toBe(400);
  });

  test.each([
    ['actor', `user:${'x'.repeat(200)}`],
    ['action', ''],
    ['organization_id', 'x'],
    ['since', '2026-01-01'],
  ])('%s=%s is a 422', async (name, value) => {
    const reply = await list({ [name]: value });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, name]);
  });

  test("never another organization's, nor the operator's", async () => {
    await storedActs.add(app, {
      organization_id: null,
      actor: 'operator:root',
      action: 'queues.pause-or-resume',
      subject: '/',
      address: '',
    });
    const questions: Record<string, string>[] = [{}, { actor: `key:${tenant.keyId}` }, { actor: 'operator:root' }];
    for (const query of questions) {
      const { items } = (await list({ ...query, limit: 100 })).body;
      expect(items).toEqual(Object.keys(query).length === 0 ? acts : []);
    }
    const { headers } = await as(await person(app.em()));
    expect((await app.call('audit-log.list', { key: null, headers })).status).toBe(403);
  });

  test('is read by admins and owners, and reading leaves no row', async () => {
    for (const [role, status] of [
      ['owner', 200],
      ['admin', 200],
      ['agent', 403],
      ['viewer', 403],
    ] as const) {
      const { headers } = await as(await person(app.em(), own.organizationId, role));
      const reply = await app.call('audit-log.list', { key: null, headers });
      expect([reply.status, await actsOf(app, reply)]).toEqual([status, []]);
    }
  });
});

test('no row of all these tests holds a secret', async () => {
  const rows = await storedActs.all(app);
  expect(rows.length).toBeGreaterThan(20);
  const text = JSON.stringify(rows);
  for (const pattern of [/k[kt]_[0-9A-Za-z]{38}/, /whsec_/, /argon2/, /staple|lamps/, /token-\d{10}/, /@example\.com/])
    expect(text).not.toMatch(pattern);
});
