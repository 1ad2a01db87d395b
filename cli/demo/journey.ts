import { createEndpoint } from './endpoint.ts';
import { inbound, inboundRefused } from './inbound.ts';
import { repeat, send } from './messages.ts';
import type { Stage } from './stage.ts';

export type Played = { sent: string[]; received: number };

/** The whole conversation, a chapter at a time. `onEndpoint` hears of the endpoint as soon as there is one to clean up. */
export async function play(stage: Stage, onEndpoint: (id: string) => void): Promise<Played> {
  const { timeline, installation } = stage;
  const chapter = async <Result>(title: string, work: () => Promise<Result>) => {
    timeline.chapter(title);
    try {
      return await work();
    } finally {
      timeline.show();
    }
  };
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
  return { sent: [text.id, template.id], received: 2 };
}
