import { exampleCheckoutToken } from '../../src/commerce/orders/checkout-token.ts';
import type { App } from './app.ts';
import { definitionOf, definitions } from './contract.ts';
import { exampleBody, makeRecord, paramNamesOf } from './examples.ts';
import { automationRun } from './factories/automation.ts';
import { campaign } from './factories/campaign.ts';
import { bearerToken, person, sessionHeaders } from './factories/person.ts';
import { variant } from './factories/sold.ts';
import { dealRow } from './factories/task-objects.ts';
import { paymentRecords } from './payments.ts';
import { storedResponse } from './sent-flows.ts';
import { shippingRecords } from './shipping.ts';

/**
 * One record of each kind that the first organization has, by the name of the path's parameter: the walks' own, and for a parameter that is
 * not among them what the example of its endpoint makes.
 */
export async function ownedRecords(app: App): Promise<Record<string, string>> {
  const { organizationId } = app.tenant;
  const channel = await app.connect();
  await app.storeTemplates(channel);
  const conversation = await app.conversation(channel);
  const message = (await app.text(channel, conversation.phone)).body.data;
  await app.rows(`update messages set status = 'failed' where id = $1`, [message.id]);
  await app.rows(`update jobs set state = 'failed' where subject_id = $1`, [message.id]);
  const endpoint = await app.call('webhooks.endpoints.create', {
    body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  });
  const sync = await app.call('templates.sync', { params: { channelID: channel.id } });
  const { userId } = await person(app.em(), organizationId);
  await sessionHeaders(app.em(), userId, app.base);
  const token = await bearerToken(app.em(), organizationId, userId);
  const identity = await app.one('select id from contact_identities where contact_id = $1 limit 1', [conversation.contactId]);
  const params = { contactID: conversation.contactId };
  const tag = await app.call('contacts.tags.assign', { params, body: { name: 'Owned' } });
  // On a channel nothing is sent on, so that the walks of the others meet no refusal.
  const suppression = await app.call('contacts.suppressions.create', {
    params,
    body: { channel: 'voice', reason: 'manual' },
  });
  const delivery = await app.one(
    `with event as (
       insert into events (id, organization_id, type, subject_type, subject_id, data)
       values (uuidv7(), $1, 'message.sent', 'conversation', $2, '{}')
       returning id)
     insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, finished_at)
     select uuidv7(), $1, id, $3, 'failed', 1, clock_timestamp()
       from event
     returning id, event_id`,
    [organizationId, conversation.id, endpoint.body.id],
  );
  const template = await app.one(`select id from templates where channel_id = $1 and name = 'hello'`, [channel.id]);
  const dealID = await dealRow((text, params) => app.rows(text, params), organizationId);
  await app.call('events.cursors.create', { body: { name: 'owned-by-the-first' } });
  const [objectKind, fieldName, relationName] = ['owned_kind', 'owned_field', 'owned_relation'];
  const fields = [
    { name: 'name', type: 'text' },
    { name: fieldName, type: 'number' },
  ];
  await app.call('crm.object-types.create', { body: { kind: objectKind, label: 'Owned', fields } });
  const related = { name: relationName, inverse_name: 'owned', to_kind: 'contact', cardinality: 'many_to_many' };
  await app.call('crm.object-relations.create', { params: { objectKind }, body: related });
  const record = await app.call('crm.records.create', { params: { objectKind }, body: { fields: { name: 'Owned' } } });
  const rule = await app.call('automation.rules.create', { body: exampleBody(definitionOf('automation.rules.create')) });
  await app.call('automation.rules.publish', { params: { ruleID: rule.body.id } });
  const secretName = 'OWNED';
  await app.call('automation.secrets.put', { params: { secretName }, body: { value: 'of the first', hosts: ['example.com'] } });
  const flow = await app.call('flows.create', { body: exampleBody(definitionOf('flows.create')) });
  const responseID = await storedResponse(app, flow.body.id, message.id);
  const version = await app.one('select id from flow_versions where flow_id = $1', [flow.body.id]);
  const sold = await variant(app, { stock: 1_000 });
  const { id: campaignID } = await campaign(app.em(), organizationId, { channelIds: [channel.id] });
  const run = await automationRun(app.em(), organizationId, {
    ruleId: rule.body.id,
    state: 'failed',
    contactId: conversation.contactId,
  });
  const owned: Record<string, string> = {
    campaignID,
    productID: sold.productId,
    variantID: sold.id,
    recordID: record.body.id,
    otherID: conversation.contactId,
    value: 'owned',
    channelID: channel.id,
    messageID: message.id,
    endpointID: endpoint.body.id,
    deliveryID: delivery.id,
    eventID: delivery.event_id,
    cursorName: 'owned-by-the-first',
    operationID: sync.headers.get('operation-id')!,
    conversationID: conversation.id,
    contactID: conversation.contactId,
    identityID: identity.id,
    phone: conversation.phone,
    channel: 'voice',
    suppressionID: suppression.body.data.id,
    memberID: userId,
    tokenID: token.id,
    token: exampleCheckoutToken,
    keyID: app.tenant.keyId,
    tagID: tag.body.data.id,
    templateID: template.id,
    flowID: flow.body.id,
    responseID,
    versionID: version.id,
    dealID,
    objectKind,
    fieldName,
    relationName,
    ruleID: rule.body.id,
    versionNumber: '1',
    secretName,
    runID: run.id,
    ...(await shippingRecords(app)),
  };
  owned.orderID ??= await makeRecord(app, 'orderID', owned);
  Object.assign(owned, await paymentRecords(app, owned.orderID));
  const names = new Set(definitions.flatMap((definition) => paramNamesOf(definition)));
  for (const name of names) owned[name] ??= await makeRecord(app, name, owned);
  return owned;
}
