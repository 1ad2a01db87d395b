import { newId } from '../support/provider-body.ts';
import type { Examples, Json } from './fixtures.ts';

/** In the form of the provider's examples, and of our own making: what they are run through runs without them too. */
const to = '{{Recipient-Phone-Number}}';
const base = { messaging_product: 'whatsapp', to };

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
  endpoint('{Flow-ID}/publish/post/responses/200', 'publish', { success: true }),
  ...[100, 104, 190, 200, 803].map((code) => endpoint('{Phone-Number-ID}/get/responses/400', `code ${code}`, refusal(code))),
  ...[2, 4, 17, 80007].map((code) =>
    endpoint('{Phone-Number-ID}/get/responses/500', `code ${code}`, refusal(code, { is_transient: true })),
  ),
];
