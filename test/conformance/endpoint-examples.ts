import { type Answer, type House, phoneNumberId, token, wabaId } from '../sandbox/house.ts';
import { endpointFlow, goodFlow } from '../support/flows.ts';
import type { Json } from './fixtures.ts';

export { phoneNumberId };

/** `method /object/part request|status`, with what the example has for a body. */
export type Example = { key: string; name: string; method: string; parts: string[]; status: number; body: Json };

const objects: Record<string, string> = {
  '{Phone-Number-ID}': 'number',
  '{WABA-ID}': 'waba',
  '{Media-ID}': 'media',
  '{Flow-ID}': 'flow',
};

/** An example's endpoint reads `/{Version}/{Object-ID}/part/method/requestBody` or `…/method/responses/status`. */
export function exampleOf({ endpoint, name, body }: { endpoint: string; name: string; body: Json }): Example {
  const match = /^\/\{Version\}\/(\{[\w-]+\})((?:\/\w+)*)\/(get|post|delete)\/(?:(requestBody)|responses\/(\d{3}))$/.exec(
    endpoint,
  );
  const [, object = '', more = '', method = '', isRequest, status] = match ?? [];
  const kind = objects[object];
  if (!kind) throw new Error(`An endpoint of another form: ${endpoint}`);
  const key = `${method} /${kind}${more} ${isRequest ? 'request' : status}`;
  return { key, name, method: method.toUpperCase(), parts: [kind, ...more.split('/').slice(1)], status: Number(status), body };
}

/** The figures of a flow's endpoint: named in docs/sandbox.md. */
export const notThere = ({ key, name }: Example) => key.startsWith('get /flow ') && /\bMetric$/.test(name);

type Send = (path: string, example: Example) => Promise<Answer>;

/** Puts there what an example speaks of, and says where and how it is asked for. */
export async function prepareSandbox(
  house: House,
  { key, parts, method, name, body }: Example,
): Promise<{ path: string; send: Send }> {
  const ids: Record<string, string> = { number: phoneNumberId, waba: wabaId, flow: '21', media: '' };
  if (/^\w+ \/(flow\b|waba\/flows)/.test(key)) await putFlow(house, key);
  if (parts[0] === 'media') ids.media = await house.upload();
  const path = `/v23.0/${[ids[parts[0]!], ...parts.slice(1)].join('/')}`;
  if (key.startsWith('post /number/media'))
    return { path, send: (to) => upload(house, to, body.file ?? '@a.png;type=image/png') };
  if (key.startsWith('post /number/block_users'))
    for (const { user } of body.block_users) await house.openWindow(user.replace(/\D/g, ''));
  if (key.startsWith('delete /waba/message_templates')) return ask(`${path}?name=hello_kanal`);
  if (key.startsWith('get /number/whatsapp_business_profile')) {
    // The example has the fields one level deeper than the provider's guide and the clients do.
    const { business_profile: profile } = body.data[0];
    await house.ask('POST', path, profile);
    body.data[0] = profile;
    return ask(path);
  }
  if (key.startsWith('post /flow/assets')) return { path, send: (to) => uploadFlow(house, to) };
  if (key === 'get /flow 200') return ask(`${path}?fields=${Object.keys(body)}`);
  if (key === 'get /number 200' || key === 'get /waba/phone_numbers 200') return ask(path);
  const usual: Record<string, Json> = {
    'post /number/register 200': { messaging_product: 'whatsapp', pin: '123456' },
    'post /waba/subscribed_apps 200': { override_callback_uri: 'https://example.com/webhook', verify_token: 'x' },
    'post /waba/flows 200': { name: 'Another', categories: ['OTHER'] },
    'post /flow 200': { name: 'Renamed' },
    'post /waba/message_templates 200': {
      name: 'conformance',
      language: 'en_US',
      category: body.category,
      components: [{ type: 'BODY', text: name }],
    },
  };
  return ask(path, usual[key]);

  function ask(to: string, instead?: Json) {
    const send: Send = (_path, { body: given }) => house.ask(method, to, named(given ?? instead));
    return { path: to, send };
  }
}

const named = (body: Json): Json => (body?.name === '<TEMPLATE_NAME>' ? { ...body, name: 'template_name' } : body);

/** With a fault, so that an answer about it has all its fields; one that is published or deprecated has none. */
async function putFlow(house: House, key: string): Promise<void> {
  const isMove = /\/(publish|deprecate) /.test(key);
  const text = JSON.stringify(isMove ? goodFlow() : endpointFlow());
  await house.control('flows', {
    waba_id: wabaId,
    id: '21',
    name: 'Example',
    status: key.includes('/deprecate ') ? 'PUBLISHED' : 'DRAFT',
    flow_json: isMove ? text : text.replace('"TextHeading"', '"TextHeading","size":1'),
    endpoint_uri: 'https://example.com',
  });
}

async function uploadFlow(house: House, path: string): Promise<Answer> {
  const form = new FormData();
  form.set('name', 'flow.json');
  form.set('asset_type', 'FLOW_JSON');
  form.set('file', new File([JSON.stringify({ ...goodFlow(), colour: 'red' })], 'flow.json', { type: 'application/json' }));
  return post(house, path, form);
}

/** An example writes a file as curl does: `@/local/path/file.jpg;type=image/jpeg`. */
async function upload(house: House, path: string, written: string): Promise<Answer> {
  const [, name = '', type = ''] = /^@(?:.*\/)?([^;]+);type=(.+)$/.exec(written) ?? [];
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File(['x'], name, { type }));
  return post(house, path, form);
}

async function post(house: House, path: string, form: FormData): Promise<Answer> {
  const response = await fetch(house.url + path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
