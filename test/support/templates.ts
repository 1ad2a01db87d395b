import { isDeepStrictEqual } from 'node:util';
import type { App, Body, Channel } from './app.ts';
import { waitFor } from './wait-for.ts';

export const body = (text = 'Hi {{1}}, welcome.', example: object = { body_text: [['Ada']] }) => ({
  type: 'BODY',
  text,
  ...(text.includes('{{') && { example }),
});

let made = 0;
/** A body for POST /v1/templates with a name of its own. */
export const definition = (channel: Channel, more: object = {}) => {
  made += 1;
  return {
    channel_id: channel.id,
    name: `template_${made}`,
    language: 'en_US',
    category: 'utility',
    components: [body()],
    ...more,
  };
};

export const templateOf = async (app: App, templateID: string): Promise<Body> =>
  (await app.call('templates.get', { params: { templateID } })).body;

/** Waits for what stays. */
export const templateIs = (app: App, templateID: string, wanted: object): Promise<Body> =>
  waitFor(`template ${JSON.stringify(wanted)}`, async () => {
    const template = await templateOf(app, templateID);
    return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(template[name], value)) && template;
  });

/** Made, reviewed and approved. */
export async function approved(app: App, channel: Channel, more: object = {}): Promise<Body> {
  const { body: template } = await app.call('templates.create', { body: definition(channel, more) });
  return templateIs(app, template.id, { status: 'approved', doing: null });
}

/** What the provider was asked about templates of a channel's account, reads apart. */
export const asked = async (app: App, { wabaId }: Channel): Promise<[string, Body, number][]> =>
  (await app.control('GET', `/requests?path=${wabaId}/message_templates`)).requests
    .filter(({ method }: Body) => method !== 'GET')
    .map(({ method, body: sent, status }: Body) => [method, sent, status]);

export const statusUpdates = async (app: App, id: string): Promise<Body[]> => (await app.events(id)).map(({ data }) => data);
