import { buildTemplatePayload, buildTemplateSendPayload, type TemplateDefinition } from '@kapso/whatsapp-cloud-api';
import type { MediaIds } from './sends.ts';

type Definition = Parameters<typeof TemplateDefinition.buildTemplateDefinition>[0];
type Components = Definition['components'];
// biome-ignore lint/suspicious/noExplicitAny: what the client's three ways of building a template have in common is not exported
type Payload = any;

/** What the template has, its definition, and a message that fills it. */
export type TemplateSend = [what: string, definition: Definition, payload: (media: MediaIds) => Payload, arrives?: object];

const link = 'https://example.com/file';
const handle = { headerHandle: ['4::aW1hZ2UvanBn:x'] };
const text = (value: string) => ({ type: 'text' as const, text: value });
const send = buildTemplateSendPayload;

const utility = (components: Components, more: Partial<Definition> = {}): Definition => ({
  name: 'conformance',
  language: 'en_US',
  category: 'UTILITY',
  components,
  ...more,
});
const marketing = (...components: Components): Definition => utility(components, { category: 'MARKETING' });
const body: Components[number] = { type: 'BODY', text: 'Your order is ready' };
const named = { name: 'conformance', language: 'en_US' };
const header = (format: 'IMAGE' | 'VIDEO' | 'DOCUMENT') => utility([{ type: 'HEADER', format, example: handle }, body]);
const withButton = (button: object) => marketing(body, { type: 'BUTTONS', buttons: [button] } as Components[number]);

export const templateSends: TemplateSend[] = [
  ['a body alone', utility([body]), () => send(named)],
  [
    'a body with text, money and a date',
    utility([{ type: 'BODY', text: '{{1}} {{2}} {{3}}', example: { bodyText: [['a', 'b', 'c']] } }]),
    () =>
      buildTemplatePayload({
        ...named,
        components: [
          {
            type: 'body',
            parameters: [
              text('Ada'),
              { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1_000 } },
              { type: 'date_time', date_time: { fallback_value: '25 Feb' } },
            ],
          },
        ],
      }),
    {
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada' },
            { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1_000 } },
            { type: 'date_time', date_time: { fallback_value: '25 Feb' } },
          ],
        },
      ],
    },
  ],
  [
    'named parameters',
    utility(
      [
        {
          type: 'BODY',
          text: 'Dear {{first_name}}',
          example: { bodyTextNamedParams: [{ paramName: 'first_name', example: 'Ada' }] },
        },
      ],
      { parameterFormat: 'NAMED' },
    ),
    () => send({ ...named, body: [{ ...text('Ada'), parameterName: 'first_name' }] }),
    { components: [{ parameters: [{ parameter_name: 'first_name' }] }] },
  ],
  [
    'a header of text',
    utility([{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { headerText: ['7'] } }, body]),
    () => send({ ...named, header: text('7') }),
  ],
  ['a header of an image by link', header('IMAGE'), () => send({ ...named, header: { type: 'image', image: { link } } })],
  ['an image by id', header('IMAGE'), ({ image }) => send({ ...named, header: { type: 'image', image: { id: image } } })],
  ['a header of a video', header('VIDEO'), ({ video }) => send({ ...named, header: { type: 'video', video: { id: video } } })],
  ['a document', header('DOCUMENT'), () => send({ ...named, header: { type: 'document', document: { link } } })],
  [
    'a header of a place',
    utility([{ type: 'HEADER', format: 'LOCATION' }, body]),
    () => send({ ...named, header: { type: 'location', location: { latitude: 1, longitude: '2', name: 'Here' } } }),
  ],
  ['a footer', utility([body, { type: 'FOOTER', text: 'Reply STOP to end' }]), () => send(named)],
  [
    'a quick reply',
    withButton({ type: 'QUICK_REPLY', text: 'Stop' }),
    () =>
      send({
        ...named,
        buttons: [{ type: 'button', subType: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'STOP' }] }],
      }),
    { components: [{ type: 'button', sub_type: 'quick_reply', index: 0 }] },
  ],
  [
    'a link with its end',
    withButton({ type: 'URL', text: 'Open', url: `${link}/{{1}}`, example: ['x'] }),
    () => send({ ...named, buttons: [{ type: 'button', subType: 'url', index: '0', parameters: [text('abc')] }] }),
  ],
  [
    'a phone number',
    withButton({ type: 'PHONE_NUMBER', text: 'Call', phoneNumber: '+15550100001' }),
    () => send({ ...named, buttons: [{ type: 'button', subType: 'phone_number', index: 0 }] }),
  ],
  [
    'a code to copy',
    withButton({ type: 'COPY_CODE', example: 'SALE' }),
    () =>
      send({
        ...named,
        buttons: [{ type: 'button', subType: 'copy_code', index: 0, parameters: [{ type: 'coupon_code', coupon_code: 'SALE' }] }],
      }),
    { components: [{ parameters: [{ type: 'coupon_code', coupon_code: 'SALE' }] }] },
  ],
  [
    'a flow',
    withButton({ type: 'FLOW', text: 'Start', flowId: '1', flowAction: 'navigate', navigateScreen: 'A' }),
    () =>
      send({
        ...named,
        buttons: [
          {
            type: 'button',
            subType: 'flow',
            index: 0,
            parameters: [{ type: 'action', action: { flow_token: 'T', flow_action_data: { step: 1 } } }],
          },
        ],
      }),
    { components: [{ parameters: [{ action: { flow_token: 'T', flow_action_data: { step: 1 } } }] }] },
  ],
  [
    'a catalogue',
    withButton({ type: 'CATALOG', text: 'Browse' }),
    () =>
      buildTemplatePayload({
        ...named,
        components: [
          {
            type: 'button',
            sub_type: 'catalog',
            index: 0,
            parameters: [{ type: 'action', action: { thumbnail_product_retailer_id: 'sku' } }],
          },
        ],
      }),
    { components: [{ sub_type: 'catalog' }] },
  ],
  [
    'several products',
    withButton({ type: 'MPM', text: 'Products' }),
    () => ({
      ...named,
      language: { code: 'en_US' },
      components: [{ type: 'button', subType: 'mpm', index: 0, parameters: [{ type: 'action', action: { sections: [] } }] }],
    }),
    { components: [{ sub_type: 'mpm' }] },
  ],
  [
    'an offer that ends',
    marketing(body, { type: 'LIMITED_TIME_OFFER', limitedTimeOffer: { text: 'Ends soon', hasExpiration: true } }),
    () => ({
      ...named,
      language: { code: 'en_US', policy: 'deterministic' },
      components: [
        {
          type: 'limited_time_offer',
          parameters: [{ type: 'limited_time_offer', limitedTimeOffer: { expirationTimeMs: 1_900_000_000_000 } }],
        },
      ],
    }),
    { components: [{ parameters: [{ limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } }] }] },
  ],
  ['a question for leave to call', marketing(body, { type: 'CALL_PERMISSION_REQUEST' }), () => send(named)],
  [
    'cards',
    marketing(body, {
      type: 'CAROUSEL',
      cards: [0, 1].map(() => ({
        components: [
          { type: 'HEADER', format: 'IMAGE', example: handle },
          { type: 'BODY', text: 'For {{1}}', example: { bodyText: [['you']] } },
          { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'More' }] },
        ],
      })),
    } as Components[number]),
    ({ image }) =>
      send({
        ...named,
        cards: [0, 1].map((cardIndex) => ({
          cardIndex,
          components: [
            { type: 'header' as const, parameters: [{ type: 'image' as const, image: { id: image } }] },
            { type: 'body' as const, parameters: [text('you')] },
            {
              type: 'button' as const,
              subType: 'quick_reply' as const,
              index: 0,
              parameters: [{ type: 'payload' as const, payload: 'MORE' }],
            },
          ],
        })),
      } as Parameters<typeof send>[0]),
    { components: [{ type: 'carousel', cards: [{ card_index: 0 }, { card_index: 1 }] }] },
  ],
  [
    'a code to log in with',
    utility(
      [
        { type: 'BODY', addSecurityRecommendation: true },
        { type: 'FOOTER', codeExpirationMinutes: 10 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otpType: 'COPY_CODE', text: 'Copy' }] },
      ],
      { category: 'AUTHENTICATION' },
    ),
    () =>
      send({
        ...named,
        body: [text('123456')],
        buttons: [{ type: 'button', subType: 'url', index: 0, parameters: [text('123456')] }],
      }),
  ],
];
