import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { catalogue } from '../../../src/platform/events/catalogue.ts';
import { useApp } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedDeliveries, storedDeliveryAttempts, storedEndpoints } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

async function endpoint(url = receiver.url): Promise<{ id: string; secret: string }> {
  // Subscribed to something else: a test comes all the same.
  return (await app.call('webhooks.endpoints.create', { body: { url, event_types: ['template.status_update'] } })).body;
}
const ask = (id: string, headers?: Record<string, string>, key?: string) =>
  app.call('webhooks.endpoints.test', { params: { endpointID: id }, headers, key });

describe('test', () => {
  test('200 {} as soon as it is queued; then it arrives, signed', async () => {
    const { id, secret } = await endpoint();
    receiver.answer({});
    const { status, body, headers } = await ask(id);
    expect([status, body]).toEqual([200, {}]);
    const [delivered] = await waitFor(
      'the test',
      () => receiver.ofType('webhook.test').length > 0 && receiver.ofType('webhook.test'),
    );
    const signed = new Webhook(secret).verify(delivered!.raw, delivered!.headers as Record<string, string>);
    expect(signed).toMatchObject({
      id: delivered!.headers['webhook-id'],
      type: 'webhook.test',
      organization_id: app.tenant.organizationId,
      data: { endpoint_id: id, organization_id: app.tenant.organizationId },
    });
    const operationID = headers.get('operation-id')!;
    await waitFor('its operation', async () => {
      const reply = await app.call('operations.get', { params: { operationID } });
      return reply.body.status === 'succeeded';
    });
  });

  test('no body is needed, and an empty object does no harm', async () => {
    const { id } = await endpoint();
    const path = `/v1/settings/developer/webhooks/endpoints/${id}/test`;
    for (const body of [undefined, '', '{}']) {
      const reply = await app.raw('POST', path, { body, headers: { 'content-type': 'application/json' } });
      expect([reply.status, reply.body]).toEqual([200, {}]);
    }
    expect((await app.raw('POST', path, { body: '{"a":1}', headers: { 'content-type': 'application/json' } })).status).toBe(422);
  });

  test.each(['message.new', 'commerce.order.updated', 'endpoint.disabled', 'contacts.imported'])(
    'of type %s: the example of the documentation, and in the list of events a test',
    async (type) => {
      const { id, secret } = await endpoint();
      receiver.answer({});
      const reply = await app.call('webhooks.endpoints.test', { params: { endpointID: id }, body: { type } });
      expect([reply.status, reply.body]).toEqual([200, {}]);
      const [delivered] = await waitFor('the test', () => receiver.ofType(type).length > 0 && receiver.ofType(type));
      const { example } = catalogue.find((one) => one.type === type)!;
      const { organizationId } = app.tenant;
      const data = 'organization_id' in example ? { ...example, organization_id: organizationId } : example;
      const signed = new Webhook(secret).verify(delivered!.raw, delivered!.headers as Record<string, string>);
      expect(signed).toEqual({
        id: delivered!.headers['webhook-id'],
        type,
        timestamp: expect.any(String),
        organization_id: organizationId,
        data,
      });
      const event = await storedEvents.one(app, delivered!.headers['webhook-id'], ['type', 'subject_id', 'data']);
      const test = { endpoint_id: id, organization_id: organizationId, sends: { type, data } };
      expect(event).toEqual({ type: 'webhook.test', subject_id: id, data: test });
    },
  );

  test.each(['message.*', '*', 'message.lost', '', null])('of type %j: 422', async (type) => {
    const { id } = await endpoint();
    const { status, body } = await app.call('webhooks.endpoints.test', { params: { endpointID: id }, body: { type } });
    expect([status, body.error.details[0].field]).toEqual([422, 'type']);
  });

  test("with Prefer: wait the receiver's refusal is a 422, and the operation has failed; one try only", async () => {
    const { id } = await endpoint();
    receiver.answer({ status: 500 });
    const { status, body, headers } = await ask(id, { prefer: 'wait=10' });
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'endpoint_refused', '500']);
    const operation = await app.call('operations.get', { params: { operationID: headers.get('operation-id')! } });
    expect(operation.body).toMatchObject({ name: 'webhooks.deliver', status: 'failed', error: { provider_code: '500' } });
    // Only this endpoint's: what an earlier test sent may still be arriving.
    expect(receiver.received.filter((delivery) => JSON.stringify(delivery).includes(id))).toHaveLength(1);
    const delivery = await storedDeliveries.one(app, { endpoint_id: id }, ['id', 'state', 'attempts']);
    expect(delivery.state).toBe('failed');
    expect(delivery.attempts).toBe(1);
    expect((await storedDeliveryAttempts.one(app, { delivery_id: delivery.id })).trigger).toBe('test');
  });

  test('a receiver nobody can reach is a refusal too', async () => {
    const { id } = await endpoint('http://127.0.0.1:1/');
    const { status, body } = await ask(id, { prefer: 'wait=10' });
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'endpoint_refused', 'connect']);
  });

  test('with Prefer: wait and a receiver that takes it: 200 {}', async () => {
    const { id } = await endpoint();
    receiver.answer({ status: 204 });
    const { status, body, headers } = await ask(id, { prefer: 'wait=10' });
    expect([status, body, headers.get('preference-applied')]).toEqual([200, {}, 'wait=10']);
  });

  test('a disabled endpoint: 422', async () => {
    const { id } = await endpoint();
    await storedEndpoints.change(app, id, { enabled: false });
    const { status, body } = await ask(id);
    expect([status, body.error.code]).toEqual([422, 'endpoint_disabled']);
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('%s: 404', async (id) => {
    expect((await ask(id)).body.error.message).toBe('Webhook endpoint not found');
  });

  test("another organization's: 404, and nothing is sent", async () => {
    const { id } = await endpoint();
    const { key } = await app.organization();
    expect((await ask(id, {}, key)).status).toBe(404);
    expect(await storedDeliveries.count(app, { endpoint_id: id })).toBe(0);
  });
});
