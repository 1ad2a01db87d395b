import { phoneNumberId, user } from '../sandbox/house.ts';
import type { Send } from './sends.ts';

const base = { phoneNumberId, to: `+${user}` };
const words = { bodyText: 'Choose', footerText: 'Thanks' };
const link = 'https://example.com/file';
const buttons = [
  { id: 'yes', title: 'Yes' },
  { id: 'no', title: 'No' },
];
const picture = { type: 'image' as const, image: { link } };
const ofType = (type: string, more: object = {}) => ({ type: 'interactive', interactive: { type, ...more } });

export const interactiveSends: Send[] = [
  [
    'messages.sendInteractiveButtons',
    'buttons under a text',
    (m) => m.sendInteractiveButtons({ ...base, ...words, header: { type: 'text', text: 'Head' }, buttons }),
    ofType('button', { action: { buttons: buttons.map((reply) => ({ type: 'reply', reply })) } }),
  ],
  [
    'messages.sendInteractiveButtons',
    'buttons under an image by id',
    (m, { image }) => m.sendInteractiveButtons({ ...base, ...words, header: { type: 'image', image: { id: image } }, buttons }),
    ofType('button', { header: { type: 'image' } }),
  ],
  [
    'messages.sendInteractiveButtons',
    'buttons under a video',
    (m, { video }) => m.sendInteractiveButtons({ ...base, ...words, header: { type: 'video', video: { id: video } }, buttons }),
    ofType('button', { header: { type: 'video' } }),
  ],
  [
    'messages.sendInteractiveButtons',
    'buttons under a document',
    (m) => m.sendInteractiveButtons({ ...base, ...words, header: { type: 'document', document: { link } }, buttons }),
    ofType('button', { header: { type: 'document', document: { link } } }),
  ],
  [
    'messages.sendInteractiveList',
    'list',
    (m) =>
      m.sendInteractiveList({
        ...base,
        ...words,
        header: { type: 'text', text: 'Head' },
        buttonText: 'Open',
        sections: [
          { title: 'One', rows: [{ id: '1', title: 'First', description: 'of all' }] },
          { title: 'Two', rows: [{ id: '2', title: 'Second' }] },
        ],
      }),
    ofType('list', { action: { button: 'Open' } }),
  ],
  [
    'messages.sendInteractiveCtaUrl',
    'link',
    (m) => m.sendInteractiveCtaUrl({ ...base, ...words, header: picture, parameters: { displayText: 'Open', url: link } }),
    ofType('cta_url', { action: { name: 'cta_url', parameters: { display_text: 'Open', url: link } } }),
  ],
  [
    'messages.sendInteractiveFlow',
    'flow that is published',
    (m) =>
      m.sendInteractiveFlow({
        ...base,
        ...words,
        header: { type: 'text', text: 'Head' },
        parameters: {
          flowId: '1',
          flowCta: 'Start',
          flowToken: 'T',
          flowAction: 'navigate',
          flowActionPayload: { screen: 'A', data: { x: 1 } },
        },
      }),
    ofType('flow', { action: { parameters: { flow_id: '1', flow_message_version: '3', flow_action_payload: { screen: 'A' } } } }),
  ],
  [
    'messages.sendInteractiveFlow',
    'flow that is a draft',
    (m) =>
      m.sendInteractiveFlow({
        ...base,
        bodyText: 'Try',
        parameters: { flowId: '2', flowCta: 'Start', mode: 'draft', flowAction: 'data_exchange' },
      }),
    ofType('flow', { action: { parameters: { mode: 'draft', flow_action: 'data_exchange' } } }),
  ],
  [
    'messages.sendInteractiveProduct',
    'product, with words and without',
    async (m) => {
      await m.sendInteractiveProduct({ ...base, ...words, catalogId: '1', productRetailerId: 'sku' });
      return m.sendInteractiveProduct({ ...base, catalogId: '1', productRetailerId: 'sku' });
    },
    ofType('product', { action: { catalog_id: '1', product_retailer_id: 'sku' } }),
  ],
  [
    'messages.sendInteractiveProductList',
    'products',
    (m) =>
      m.sendInteractiveProductList({
        ...base,
        ...words,
        header: { type: 'text', text: 'Head' },
        catalogId: '1',
        sections: [{ title: 'One', productItems: [{ productRetailerId: 'sku' }] }],
      }),
    ofType('product_list', { action: { sections: [{ product_items: [{ product_retailer_id: 'sku' }] }] } }),
  ],
  [
    'messages.sendInteractiveCatalogMessage',
    'catalogue',
    (m) => m.sendInteractiveCatalogMessage({ ...base, bodyText: 'Browse', parameters: { thumbnailProductRetailerId: 'sku' } }),
    ofType('catalog_message', { action: { parameters: { thumbnail_product_retailer_id: 'sku' } } }),
  ],
  [
    'messages.sendInteractiveAddress',
    'address',
    (m) =>
      m.sendInteractiveAddress({
        ...base,
        ...words,
        parameters: { country: 'IN', values: { name: 'Ada' }, savedAddresses: [{ id: '1', value: { city: 'Pune' } }] },
      }),
    ofType('address_message', { action: { parameters: { country: 'IN', saved_addresses: [{ id: '1' }] } } }),
  ],
  [
    'messages.sendInteractiveLocationRequest',
    'a question for the place',
    (m) => m.sendInteractiveLocationRequest({ ...base, ...words, parameters: { requestMessage: 'Where are you?' } }),
    ofType('location_request_message', { action: { name: 'send_location' } }),
  ],
  [
    'messages.sendInteractiveCallPermission',
    'a question for leave to call',
    async (m) => {
      await m.sendInteractiveCallPermission({ ...base, ...words, parameters: { phoneNumber: '+15550100001' } });
      return m.sendInteractiveCallPermission({ ...base, parameters: { phoneNumber: '+15550100001' } });
    },
    ofType('call_permission_request', { action: { name: 'call_permission_request' } }),
  ],
  [
    'messages.sendInteractiveCarousel',
    'cards with links',
    (m) =>
      m.sendInteractiveCarousel({
        ...base,
        bodyText: 'Look',
        cards: [0, 1].map((cardIndex) => ({
          cardIndex,
          header: picture,
          bodyText: 'Card',
          action: { displayText: 'View', url: link },
        })),
      }),
    ofType('carousel', { action: { cards: [{ card_index: 0, action: { name: 'cta_url' } }, { card_index: 1 }] } }),
  ],
  [
    'messages.sendInteractiveCarousel',
    'cards with quick replies, a picture by id and a film',
    (m, { image, video }) =>
      m.sendInteractiveCarousel({
        ...base,
        bodyText: 'Look',
        cards: [
          { cardIndex: 0, header: { type: 'image', image: { id: image } }, action: { buttons: [{ id: 'a', title: 'A' }] } },
          { cardIndex: 1, header: { type: 'video', video: { id: video } }, action: { buttons: [{ id: 'b', title: 'B' }] } },
        ],
      }),
    ofType('carousel', { action: { cards: [{ action: { buttons: [{ type: 'quick_reply' }] } }, {}] } }),
  ],
  [
    'messages.sendInteractiveRaw',
    'an interactive of its own making',
    (m) =>
      m.sendInteractiveRaw({
        ...base,
        interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [{ type: 'reply', reply: buttons[0]! }] } },
      }),
    ofType('button'),
  ],
];
