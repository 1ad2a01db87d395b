import { newId } from '../support/provider-body.ts';
import type { Examples, Json } from './fixtures.ts';

/** In the form of the provider's examples, and of our own making: what they are run through runs without them too. */
const to = '{{Recipient-Phone-Number}}';
const base = { messaging_product: 'whatsapp', to };

const body = { text: 'Choose' };
const ownInteractives: Examples = {
  'a link under a picture': {
    type: 'cta_url',
    header: { type: 'image', image: { id: '<IMAGE_OBJECT_ID>' } },
    body,
    action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } },
  },
  'a product': { type: 'product', action: { catalog_id: '1', product_retailer_id: 'sku' } },
  products: {
    type: 'product_list',
    header: { type: 'text', text: 'Ours' },
    body,
    action: { catalog_id: '1', sections: [{ title: 'One', product_items: [{ product_retailer_id: 'sku' }] }] },
  },
  'a question for the place': { type: 'location_request_message', body, action: { name: 'send_location' } },
  'a catalogue': { type: 'catalog_message', body, action: { name: 'catalog_message' } },
  'a list without a title': {
    type: 'list',
    body,
    action: { button: 'Open', sections: [{ rows: [{ id: '1', title: 'One' }] }] },
  },
};

export const ownMessages: Examples = {
  'text without a type': { ...base, text: { body: 'See https://example.com', preview_url: true } },
  'an answer with a picture': {
    ...base,
    type: 'image',
    image: { id: '<IMAGE_OBJECT_ID>' },
    context: { message_id: 'wamid.before' },
  },
  'a document by address': {
    ...base,
    recipient_type: 'individual',
    type: 'document',
    document: { link: '<http(s)://document-url>' },
  },
  buttons: {
    ...base,
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Choose' },
      action: { buttons: [{ type: 'reply', reply: { id: '<ID>', title: '<TITLE>' } }] },
    },
  },
  'a reaction': { ...base, type: 'reaction', reaction: { message_id: 'wamid.before', emoji: '👍' } },
  'a reaction taken back': { ...base, type: 'reaction', reaction: { message_id: 'wamid.before', emoji: '' } },
  'a location': { ...base, type: 'location', location: { latitude: -33.45, longitude: 0, name: 'Here', address: '1 Road' } },
  'a card': { ...base, type: 'contacts', contacts: [{ name: { formatted_name: 'Ada L', first_name: 'Ada' } }] },
  'a voice message': { ...base, type: 'audio', audio: { link: '<http(s)://audio-url>', voice: true } },
  ...Object.fromEntries(
    Object.entries(ownInteractives).map(([name, interactive]) => [name, { ...base, type: 'interactive', interactive }]),
  ),
  'a template alone': { ...base, type: 'template', template: { name: 'hello', language: { code: 'en_US' } } },
  'a template with a button and a policy': {
    ...base,
    type: 'template',
    template: {
      name: 'order',
      language: { code: 'language-and-locale-code', policy: 'deterministic' },
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'http(s)://the-image-url' } }] },
        { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
        { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'x' }] },
      ],
    },
  },
};

export const ownAnswers: Examples = {
  'a message that was taken': {
    messaging_product: 'whatsapp',
    contacts: [{ input: '+1650', wa_id: '1650' }],
    messages: [{ id: 'wamid.taken' }],
  },
};

const webhook = (value: Json) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '7',
      changes: [
        {
          field: 'messages',
          value: { messaging_product: 'whatsapp', metadata: { phone_number_id: '106540352242922' }, ...value },
        },
      ],
    },
  ],
});

export const ownWebhooks: Examples = {
  'two messages in one body': webhook({
    contacts: [{ profile: { name: 'Ada' }, wa_id: '16505550001' }],
    messages: [
      { from: '16505550001', id: newId(), timestamp: '1750000000', type: 'text', text: { body: 'One' } },
      { from: '16505550001', id: newId(), timestamp: '1750000001', type: 'location', location: { latitude: 1, longitude: 2 } },
    ],
  }),
};

const endpoint = (path: string, name: string, body: Json) => ({ endpoint: `/{Version}/${path}`, name, body });
const refusal = (code: number, more: object = {}) => ({
  error: { message: `Refused ${code}`, type: 'OAuthException', code, ...more },
});

export const ownEndpoints: Json[] = [
  endpoint('{Phone-Number-ID}/media/post/requestBody', 'upload', {
    file: '@/files/a.ogg;type=ogg',
    messaging_product: 'whatsapp',
  }),
  endpoint('{Phone-Number-ID}/register/post/requestBody', 'register', { messaging_product: 'whatsapp', pin: '111222' }),
  endpoint('{WABA-ID}/message_templates/post/requestBody', 'create', {
    name: '<TEMPLATE_NAME>',
    language: 'de',
    category: 'MARKETING',
    components: [{ type: 'body', text: 'Hallo' }],
  }),
  endpoint('{Phone-Number-ID}/block_users/post/requestBody', 'block', {
    messaging_product: 'whatsapp',
    block_users: [{ user: '+1' }],
  }),
  endpoint('{Media-ID}/get/responses/200', 'media', { id: '1', url: 'x', mime_type: 'x', sha256: 'x', file_size: '1' }),
  endpoint('{Phone-Number-ID}/get/responses/200', 'a number', {
    id: '1',
    display_phone_number: '+1 555-0100',
    verified_name: 'Us',
  }),
  endpoint('{WABA-ID}/message_templates/get/responses/200', 'templates', {
    data: [{ id: '1', name: 'n', language: 'de', status: 'APPROVED', category: 'UTILITY', components: [] }],
    paging: { cursors: { before: 'a', after: 'b' } },
  }),
  endpoint('{WABA-ID}/subscribed_apps/post/requestBody', 'subscribe', {}),
  endpoint('{WABA-ID}/subscribed_apps/post/responses/200', 'subscribed', { success: true }),
  endpoint('{WABA-ID}/subscribed_apps/get/responses/200', 'one app', {
    data: [{ whatsapp_business_api_data: { id: '1234567890123456', name: 'Ours', link: 'https://example.com' } }],
  }),
  endpoint('{WABA-ID}/subscribed_apps/get/responses/200', 'no app', { data: [] }),
  endpoint('{Flow-ID}/publish/post/responses/200', 'publish', { success: true }),
  ...[100, 104, 190, 200, 803].map((code) => endpoint('{Phone-Number-ID}/get/responses/400', `code ${code}`, refusal(code))),
  ...[2, 4, 17, 80007].map((code) =>
    endpoint('{Phone-Number-ID}/get/responses/500', `code ${code}`, refusal(code, { is_transient: true })),
  ),
];
