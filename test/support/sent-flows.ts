import type { App, Body, Channel } from './app.ts';
import { bookingDocument, flowAtProvider } from './factories/flow-at-provider.ts';
import { inboundFrom, newId } from './provider-body.ts';

type Given = Omit<Parameters<typeof flowAtProvider>[3], 'accountId'>;

/** A flow that stands here and at the sandbox. */
export async function flowOf(app: App, { id, tenant, wabaId }: Channel, given: Given = {}) {
  const flow = await flowAtProvider(app.em(), tenant.organizationId, id, { accountId: wabaId, ...given });
  if (flow.providerFlowId)
    await app.control('POST', '/flows', {
      waba_id: wabaId,
      id: flow.providerFlowId,
      name: flow.name,
      status: (given.status ?? 'published').toUpperCase(),
      flow_json: given.document ?? bookingDocument,
    });
  return flow;
}

export const flowMessage = (parameters: object, more: object = {}) => ({
  type: 'interactive',
  text: undefined,
  interactive: {
    type: 'flow',
    body: { text: 'Book a day' },
    action: { name: 'flow', parameters: { flow_cta: 'Book', ...parameters } },
  },
  ...more,
});

/** What a person's phone sends: `response` as an object, or as the text it is. */
export const answerFrom = (phone: string, response: object | string, { to, id = newId() }: { to?: string; id?: string } = {}) =>
  inboundFrom(phone, {
    id,
    text: undefined,
    ...(to && { context: { from: '1', id: to } }),
    type: 'interactive',
    interactive: {
      type: 'nfm_reply',
      nfm_reply: {
        name: 'flow',
        body: 'Sent',
        response_json: typeof response === 'string' ? response : JSON.stringify(response),
      },
    },
  });

export const responses = (app: App): Promise<Body[]> => app.rows('select * from flow_responses order by received_at, id');

/** An answer as it stands in its table, that came in any message. */
export async function storedResponse(app: App, flowId: string, messageId: string): Promise<string> {
  const { id } = await app.one(
    `insert into flow_responses (id, organization_id, flow_id, message_id, contact_id, conversation_id, channel_id, response)
     select uuidv7(), organization_id, $1, id, contact_id, conversation_id, channel_id, '{}'
       from messages
      where id = $2
     returning id`,
    [flowId, messageId],
  );
  return id;
}
