import { expect } from '@jest/globals';
import type { App, Body, Channel, Tenant } from '../support/app.ts';
import { waitFor } from '../support/wait-for.ts';

type Json = Record<string, unknown>;
export type ExpectedMessage = { message: Json; type: string; content: Json };
/** How a body comes in: signed by the test, or by the sandbox. */
export type Route = 'a signed request' | "the sandbox's raw webhook";
export const routes: Route[] = ['a signed request', "the sandbox's raw webhook"];

/** A channel nothing has come in on, in an organization of its own. */
export async function freshChannel(app: App): Promise<Channel & { tenant: Tenant }> {
  const tenant = await app.organization();
  return app.connect({ tenant });
}

/** Brings a body in and waits until the worker has applied it, with no part broken. */
export async function applyBody(app: App, { tenant }: Channel, body: object, route: Route) {
  if (route === 'a signed request') expect((await app.webhook(body)).status).toBe(200);
  else expect(await app.control('POST', '/webhook?signature=good', body)).toEqual({ delivered: true, status: 200 });
  const row = await waitFor('the body to be applied', async () => {
    const [last] = await app.rows('select state, errors from provider_webhooks where organization_id = $1', [
      tenant.organizationId,
    ]);
    return last?.state !== 'received' && last;
  });
  expect(row).toEqual({ state: 'applied', errors: null });
}

/** What the provider says of a message outside its content, under the names it has in ours. */
const saidBeside = ({ context, referral, errors, identity }: Json): Json => {
  const { forwarded, frequently_forwarded, referred_product, from } = (context ?? {}) as Json;
  const all = { forwarded, frequently_forwarded, referred_product, referral, errors, context_from: from, identity };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

/** The rows and events of the channel are what these messages say, and nothing more. */
export async function expectApplied(app: App, { id: channelId, tenant }: Channel, expected: ExpectedMessage[], name: string) {
  const { organizationId } = tenant;
  const rows = await app.rows('select * from messages where organization_id = $1 order by id', [organizationId]);
  // What becomes of a file is not the provider's: test/workers/messaging/fetch-media.test.ts.
  const contentOf = ({ content: { media: _fetched, ...content } }: { content: Json }) => content;
  expect(rows.map((row: Body) => ({ ...row, content: contentOf(row), provider_at: new Date(row.provider_at) }))).toEqual(
    expected.map(({ message, type, content }) =>
      expect.objectContaining({
        channel_id: channelId,
        direction: 'inbound',
        status: 'received',
        type,
        content: content.raw ? { raw: expect.objectContaining(content.raw) } : { ...content, ...saidBeside(message) },
        from_phone: message.from ?? '',
        provider_message_id: message.id,
        context_id: (message.reaction as Json | undefined)?.message_id ?? (message.context as Json | undefined)?.id ?? null,
        provider_at: new Date(Number(message.timestamp) * 1_000),
      }),
    ),
  );
  const people = await app.rows('select name, phone_number from contacts where organization_id = $1', [organizationId]);
  // Who says that their number is another is known by that one.
  const phones = [...new Set(expected.map(({ message }) => `+${(message.system as Json | undefined)?.wa_id ?? message.from}`))];
  expect(people).toEqual(phones.map((phone_number) => ({ name, phone_number })));
  const events = (await app.events(organizationId)).filter(({ type }) => type === 'message.new');
  expect(events.map(({ data }) => data)).toEqual(
    rows.map(({ id, conversation_id, contact_id, type, from_phone }) => ({
      message_id: id,
      conversation_id,
      contact_id,
      channel_id: channelId,
      direction: 'inbound',
      from_phone,
      msg_type: type,
    })),
  );
}
