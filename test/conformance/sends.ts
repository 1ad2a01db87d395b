import type { SendMessageResponse, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { phoneNumberId, user } from '../sandbox/house.ts';

/** Ids of what was uploaded before. */
export type MediaIds = Record<'image' | 'video' | 'audio' | 'document' | 'sticker', string>;

/** The method, what is sent by it, the call, and what of it must arrive in the provider's words. */
export type Send = [
  method: string,
  what: string,
  send: (messages: WhatsAppClient['messages'], media: MediaIds) => Promise<SendMessageResponse>,
  arrives: object,
];

const to = `+${user}`;
const base = { phoneNumberId, to };
const link = 'https://example.com/file';
const wamid = 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI';

export const plainSends: Send[] = [
  ['messages.sendText', 'text', (m) => m.sendText({ ...base, body: 'Hi' }), { type: 'text', text: { body: 'Hi' } }],
  [
    'messages.sendText',
    'text with a preview',
    (m) => m.sendText({ ...base, body: link, previewUrl: true }),
    { text: { body: link, preview_url: true } },
  ],
  [
    'messages.sendText',
    'an answer, with callback data',
    (m) => m.sendText({ ...base, body: 'Hi', contextMessageId: wamid, bizOpaqueCallbackData: 'ours' }),
    { context: { message_id: wamid }, biz_opaque_callback_data: 'ours' },
  ],
  [
    'messages.sendText',
    'text to a user id',
    (m) => m.sendText({ phoneNumberId, recipient: 'US.13491208655302741918', body: 'Hi' }),
    { recipient: 'US.13491208655302741918' },
  ],
  [
    'messages.sendText',
    'text to a parent user id',
    (m) => m.sendText({ phoneNumberId, recipient: 'US.ENT.13491208655302741918', body: 'Hi' }),
    { recipient: 'US.ENT.13491208655302741918' },
  ],
  [
    'messages.sendText',
    'text to a phone and a user id',
    (m) => m.sendText({ ...base, recipient: 'US.13491208655302741918', body: 'Hi' }),
    { to, recipient: 'US.13491208655302741918' },
  ],
  [
    'messages.sendImage',
    'image by id',
    (m, { image }) => m.sendImage({ ...base, image: { id: image, caption: 'Look' } }),
    { type: 'image', image: { caption: 'Look' } },
  ],
  ['messages.sendImage', 'image by link', (m) => m.sendImage({ ...base, image: { link } }), { type: 'image', image: { link } }],
  ['messages.sendAudio', 'audio by id', (m, { audio }) => m.sendAudio({ ...base, audio: { id: audio } }), { type: 'audio' }],
  [
    'messages.sendAudio',
    'voice by link',
    (m) => m.sendAudio({ ...base, audio: { link, voice: true } }),
    { audio: { link, voice: true } },
  ],
  [
    'messages.sendDocument',
    'document by id',
    (m, { document }) => m.sendDocument({ ...base, document: { id: document, filename: 'a.pdf', caption: 'Bill' } }),
    { type: 'document', document: { filename: 'a.pdf', caption: 'Bill' } },
  ],
  [
    'messages.sendDocument',
    'document by link',
    (m) => m.sendDocument({ ...base, document: { link, filename: 'a.pdf' } }),
    { document: { link, filename: 'a.pdf' } },
  ],
  [
    'messages.sendVideo',
    'video by id',
    (m, { video }) => m.sendVideo({ ...base, video: { id: video, caption: 'Clip' } }),
    { type: 'video', video: { caption: 'Clip' } },
  ],
  ['messages.sendVideo', 'video by link', (m) => m.sendVideo({ ...base, video: { link } }), { video: { link } }],
  [
    'messages.sendSticker',
    'sticker by id',
    (m, { sticker }) => m.sendSticker({ ...base, sticker: { id: sticker } }),
    { type: 'sticker' },
  ],
  ['messages.sendSticker', 'sticker by link', (m) => m.sendSticker({ ...base, sticker: { link } }), { sticker: { link } }],
  [
    'messages.sendLocation',
    'location',
    (m) => m.sendLocation({ ...base, location: { latitude: -33.45, longitude: -70.66, name: 'Here', address: 'CL' } }),
    { type: 'location', location: { latitude: -33.45, longitude: -70.66, name: 'Here', address: 'CL' } },
  ],
  [
    'messages.sendContacts',
    'contacts, all of one',
    (m) =>
      m.sendContacts({
        ...base,
        contacts: [
          {
            name: { formattedName: 'Ada L', firstName: 'Ada', lastName: 'L', prefix: 'Dr' },
            birthday: '1990-01-31',
            phones: [{ phone: to, type: 'WORK', waId: user }],
            emails: [{ email: 'ada@example.com', type: 'WORK' }],
            addresses: [{ street: '1 Road', city: 'Town', country: 'US', countryCode: 'us', type: 'HOME' }],
            org: { company: 'Engines', department: 'D', title: 'T' },
            urls: [{ url: link, type: 'WORK' }],
          },
        ],
      }),
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada L', first_name: 'Ada' }, phones: [{ wa_id: user }] }] },
  ],
  [
    'messages.sendReaction',
    'reaction',
    (m) => m.sendReaction({ ...base, reaction: { messageId: wamid, emoji: '👍' } }),
    { type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } },
  ],
  [
    'messages.sendReaction',
    'reaction taken back',
    (m) => m.sendReaction({ ...base, reaction: { messageId: wamid, emoji: '' } }),
    { reaction: { message_id: wamid, emoji: '' } },
  ],
  [
    'messages.sendRaw',
    'a body of its own making',
    (m) => m.sendRaw({ phoneNumberId, payload: { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'raw' } } }),
    { type: 'text', text: { body: 'raw' } },
  ],
];
