import { deal } from './deal.ts';
import { createEndpoint } from './endpoint.ts';
import { inbound, inboundRefused } from './inbound.ts';
import { repeat, send } from './messages.ts';
import { chapterOn, type Played, type Stage } from './stage.ts';

/** The whole conversation, a chapter at a time. `onEndpoint` hears of the endpoint as soon as there is one to clean up. */
export async function play(stage: Stage, onEndpoint: (id: string) => void): Promise<Played> {
  const { installation } = stage;
  const chapter = chapterOn(stage);
  await chapter('Your app says where its webhooks go', async () => onEndpoint(await createEndpoint(stage)));
  // First of all, since a free-form text is allowed only for 24 hours after the contact wrote.
  await chapter('A contact writes', () => inbound(stage, 'Hello, is my order ready?'));
  const answer = 'It is, come by any time';
  const text = await chapter('Your app answers with a text', () =>
    send(stage, { type: 'text', text: { body: answer } }, `text "${answer}"`),
  );
  await chapter('Your app is not sure it got through, and asks again', () => repeat(stage, text));
  const { name, language } = installation.template;
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
  const template = await chapter('Your app sends a template', () =>
    send(stage, { type: 'template', template: { name, language, components } }, `template ${name}`),
  );
  await chapter('The contact replies while your app is out of order', () => inboundRefused(stage, 'Thank you!'));
  await chapter('Your app makes a deal of it, and wins it', () => deal(stage));
  const rest = { what: 'Deal', outcome: 'won', note: 'with its history at /v1/crm/deals' };
  return { sent: [text.id, template.id], received: 2, rest };
}
