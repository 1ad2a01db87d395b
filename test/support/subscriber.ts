import type { App, Body, Channel, Tenant } from './app.ts';
import { bodyFor, inboundFrom } from './provider-body.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { waitFor } from './wait-for.ts';

/** An organization with a channel and a receiver of its own: its events reach no other endpoint. Close the receiver. */
export type Subscriber = {
  receiver: Receiver;
  tenant: Tenant;
  channel: Channel;
  /** Creates an endpoint of the receiver, for `message.new` unless `more` says otherwise. */
  subscribe(more?: object): Promise<Body>;
  /** Receives a text of a person, and waits until it is applied: the order of calls is the order of events. Returns the id of the message. */
  receiveText(phone: string, text?: string): Promise<string>;
};

export async function subscriber(app: App): Promise<Subscriber> {
  const receiver = await startReceiver();
  const tenant = await app.organization();
  const channel = await app.connect({ tenant });
  await app.idle();
  return {
    receiver,
    tenant,
    channel,
    async subscribe(more = {}) {
      const body = { url: receiver.url, event_types: ['message.new'], ...more };
      return (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body;
    },
    async receiveText(phone, text = 'hi') {
      const body = inboundFrom(phone, { text: { body: text } });
      await app.webhook(bodyFor(channel, body));
      const row = await waitFor('the message', async () => {
        const [one] = await app.rows('select id from messages where provider_message_id = $1', [body.messages[0]!.id]);
        return one;
      });
      return row.id;
    },
  };
}
