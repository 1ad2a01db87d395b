import { isDeepStrictEqual } from 'node:util';
import { createEndpoint } from './endpoint.ts';
import { inbound } from './inbound.ts';
import { read, send } from './messages.ts';
import { contactAnswers } from './provider.ts';
import { chapterOn, Missing, type Play, request, type Stage } from './stage.ts';
import { untilNothing } from './wait.ts';
import { webhooksOf } from './webhooks.ts';

const type = 'flow.response_received';
const filledIn = { rating: '3', comment: 'Fresh and early' };
const flow_token = 'order-4711';

/** A form, from the message that opens it to its answer with the words that the person saw. */
export const playFlow: Play = async (stage, onEndpoint) => {
  const chapter = chapterOn(stage);
  await chapter('Your app says where its webhooks go', async () => onEndpoint(await createEndpoint(stage)));
  // First of all, since a form is allowed only for 24 hours after the contact wrote.
  await chapter('A contact writes', () => inbound(stage, 'My order has come'));
  const form = await chapter('Your app sends a form', () => send(stage, formOf(stage), 'flow, flow_token order-4711'));
  await chapter('The contact fills it in', () => answer(stage, form.id));
  return {
    sent: [form.id],
    received: 2,
    rest: { what: 'Form', outcome: 'answered', note: 'its answers at /v1/flows/{id}/responses' },
  };
};

const formOf = ({ installation }: Stage) => ({
  type: 'interactive',
  interactive: {
    type: 'flow',
    body: { text: 'How was your order?' },
    action: { name: 'flow', parameters: { flow_id: installation.flow.id, flow_cta: 'Tell us', flow_token } },
  },
});

type Response = { message_id: string; response: object; answers: { label: string; text: string }[] };

async function answer(stage: Stage, formId: string) {
  const { receiver, timeline, installation } = stage;
  const { data: form } = await read(stage, formId, ({ status }) => `the form is ${status}`);
  const at = await contactAnswers(stage, form.provider_message_id, filledIn);
  timeline.add({ at, from: 'contact', to: 'provider', what: 'the form', note: `"${filledIn.comment}"` });
  const arrival = () => receiver.arrivals.find((each) => each.type === type);
  await untilNothing(() => (arrival() ? [] : [`the webhook ${type}`]), stage);
  const { aboutId, response } = arrival()!;
  await webhooksOf(stage, aboutId, ['message.new', type]);
  if (!isDeepStrictEqual(response, { ...filledIn, flow_token }))
    throw new Missing(`The answer in the webhook: it was ${JSON.stringify(response)}`);
  const path = `/v1/flows/${installation.flow.id}/responses?limit=1`;
  const { items } = await request<{ items: Response[] }>(stage, path, 200, {}, ({ status, body }) => ({
    what: `${status}`,
    note: body.items[0]?.answers.map(({ label, text }) => `${label}: ${text}`).join(', '),
  }));
  if (items[0]?.message_id !== aboutId) throw new Missing(`The answer ${aboutId} in the list of the flow's responses`);
}
