import { newId } from '../support/provider-body.ts';

type Json = Record<string, unknown>;
/** What a person or the provider may send in: the message as it comes, its type in our words, its content there. */
export type InboundKind = [what: string, message: Json, type: string, content: Json];

const context = { from: '15550100001', id: 'wamid.before' };
const media = (mime_type: string, more: Json = {}): Json => ({ id: '7007', mime_type, sha256: 'c2hhMjU2', ...more });
const interactive = (what: string, type: string, reply: Json): InboundKind => {
  const content = { type, [type]: reply };
  return [what, { type: 'interactive', interactive: content, context }, 'interactive', content];
};
const plain = (what: string, type: string, content: Json, more: Json = {}): InboundKind => [
  what,
  { type, [type]: content, ...more },
  type,
  content,
];

const card = { name: { formatted_name: 'Bo B', first_name: 'Bo' }, phones: [{ phone: '+1 650', wa_id: '1650', type: 'CELL' }] };
const unsupported = { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] };

/** Every kind the provider documents, in payloads of our own. */
export const inboundKinds: InboundKind[] = [
  plain('text', 'text', { body: 'Is it there in blue? 💙' }),
  plain('text, an answer that was passed on', 'text', { body: 'See' }, { context: { ...context, forwarded: true } }),
  plain(
    'text about a product',
    'text',
    { body: 'How much?' },
    { context: { ...context, referred_product: { catalog_id: '1', product_retailer_id: 'sku' } } },
  ),
  plain(
    'text from an advertisement',
    'text',
    { body: 'Tell me more' },
    { referral: { source_url: 'https://example.com/ad', source_id: '9', source_type: 'ad', ctwa_clid: 'A-1' } },
  ),
  plain('text that went from chat to chat', 'text', { body: 'Read this' }, { context: { frequently_forwarded: true } }),
  plain('image from a post', 'image', media('image/jpeg'), {
    referral: { source_url: 'https://example.com/post', source_id: '8', source_type: 'post', headline: 'New' },
  }),
  plain('image that the provider could not fetch', 'image', media('image/jpeg'), {
    errors: [{ code: 131052, title: 'Media download error', error_data: { details: 'Failed to download' } }],
  }),
  plain('image', 'image', media('image/jpeg', { caption: 'Here' })),
  plain('video', 'video', media('video/mp4')),
  plain('voice', 'audio', media('audio/ogg; codecs=opus', { voice: true })),
  plain('document', 'document', media('application/pdf', { filename: 'a.pdf' })),
  plain('sticker', 'sticker', media('image/webp', { animated: true })),
  plain('location', 'location', { latitude: 52.5, longitude: 13.4, name: 'Berlin', address: '1 Road' }),
  ['contacts', { type: 'contacts', contacts: [card] }, 'contacts', { contacts: [card] }],
  plain('reaction', 'reaction', { message_id: 'wamid.before', emoji: '👍' }),
  plain('reaction taken back', 'reaction', { message_id: 'wamid.before' }),
  plain('button of a template', 'button', { payload: 'STOP', text: 'Stop' }, { context }),
  interactive('button of a message', 'button_reply', { id: 'yes', title: 'Yes' }),
  interactive('row of a list', 'list_reply', { id: 'row', title: 'Row', description: 'The first' }),
  interactive('flow that was filled in', 'nfm_reply', {
    name: 'flow',
    body: 'Sent',
    response_json: '{"flow_token":"T","rating":"5"}',
  }),
  plain('order', 'order', {
    catalog_id: '1',
    text: 'Quickly',
    product_items: [{ product_retailer_id: 'sku', quantity: 2, item_price: 5, currency: 'EUR' }],
  }),
  plain('a new number', 'system', { body: 'User A changed from 1 to 2', wa_id: '12195550002', type: 'user_changed_number' }),
  plain('a new identity', 'system', { body: 'User A changed', identity: 'x', type: 'customer_identity_changed' }),
  plain('an edit of what we do not have', 'edit', {
    original_message_id: 'wamid.unknown',
    message: { type: 'text', text: { body: 'Blue' }, context: { id: 'wamid.before' } },
  }),
  plain('a deletion of what we do not have', 'revoke', { original_message_id: 'wamid.unknown' }),
  ['what the provider cannot show', unsupported, 'unsupported', { raw: unsupported }],
  [
    'a type of tomorrow',
    { type: 'hologram', hologram: { depth: 3 } },
    'unsupported',
    { raw: { type: 'hologram', hologram: { depth: 3 } } },
  ],
];

/** The message with an id, a sender and a time. */
export const inboundMessage = (from: string, message: Json): Json => ({
  from,
  id: newId(),
  timestamp: String(Math.floor(Date.now() / 1_000)),
  ...message,
});
