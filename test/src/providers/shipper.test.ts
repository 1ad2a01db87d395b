import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { biteship } from '../../../src/providers/shipper/biteship.ts';
import { createShipperClient, type ShipperClient } from '../../../src/providers/shipper/client.ts';
import { saysGone } from '../../../src/providers/shipper/error-codes.ts';
import { isShipperSigned, readShipperHint } from '../../../src/providers/shipper/inbound.ts';
import { type NewShipperOrder, type Shipper, shipperStatuses } from '../../../src/providers/shipper/provider.ts';
import { statusOf } from '../../../src/providers/shipper/replies.ts';

type Answer = (req: IncomingMessage, res: ServerResponse, body: string) => void;
let server: Server;
let client: ShipperClient;
let shipper: Shipper;
let answers: Answer[] = [];
let asked: { method: string; url: string; authorization: string | undefined; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    asked.push({ method: req.method!, url: req.url!, authorization: req.headers.authorization, body });
    const next = answers.shift();
    if (next) next(req, res, body);
    else res.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shipper`;
  client = createShipperClient({ url, timeoutMs: 300 });
  shipper = biteship(client);
});
beforeEach(() => {
  answers = [];
  asked = [];
});
afterAll(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_req, res) =>
    void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const raw =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body);
const dropped: Answer = (_req, res) => void res.destroy();
const silent: Answer = () => undefined;

const credentials = { api_key: 'biteship_test.key' };
const address = { areaId: 'AREA', contactName: 'Ada', contactPhone: '+62811', address: 'Jl. 1' };
const items = [{ name: 'Tea', quantity: 2, weightGrams: 600, valueIdr: 100_000 }];
const order: NewShipperOrder = {
  reference: 'our-id',
  origin: { ...address, postalCode: '12430' },
  destination: address,
  courierCode: 'jne',
  serviceCode: 'reg',
  items,
  note: '',
};
const made = {
  success: true,
  object: 'order',
  id: 'there-1',
  draft_order_id: null,
  courier: { company: 'jne', type: 'reg', tracking_id: 'track-1', waybill_id: 'JNE1', link: 'https://track.example/1' },
  price: 12_000,
  currency: 'IDR',
  reference_id: 'our-id',
  status: 'confirmed',
};
const refusal = (code: number, error: string, details?: object) => ({ success: false, error, code, ...(details && { details }) });

const outcomeOf = async (call: () => Promise<unknown>): Promise<Error> =>
  call().then(
    () => {
      throw new Error('It went well');
    },
    (error) => error,
  );

describe('an order', () => {
  test('is asked for under our reference, with the key as it is', async () => {
    answers = [json(200, made)];
    expect(await shipper.createOrder(credentials, order)).toEqual({
      id: 'there-1',
      reference: 'our-id',
      draftOrderId: null,
      status: 'confirmed',
      priceIdr: 12_000,
      courierCode: 'jne',
      serviceCode: 'reg',
      trackingId: 'track-1',
      trackingNumber: 'JNE1',
      trackingUrl: 'https://track.example/1',
    });
    expect(asked).toMatchObject([{ method: 'POST', url: '/shipper/v1/orders', authorization: 'biteship_test.key' }]);
    expect(JSON.parse(asked[0]!.body)).toEqual({
      reference_id: 'our-id',
      origin_area_id: 'AREA',
      origin_postal_code: 12_430,
      origin_contact_name: 'Ada',
      origin_contact_phone: '+62811',
      origin_address: 'Jl. 1',
      destination_area_id: 'AREA',
      destination_contact_name: 'Ada',
      destination_contact_phone: '+62811',
      destination_address: 'Jl. 1',
      courier_company: 'jne',
      courier_type: 'reg',
      delivery_type: 'now',
      items: [{ name: 'Tea', quantity: 2, weight: 600, value: 100_000 }],
    });
  });

  test('of a reference that has one already is that one', async () => {
    const details = { order_id: 'there-1', waybill_id: 'JNE1', reference_id: 'our-id' };
    answers = [json(400, refusal(40_002_060, 'used', details)), json(200, made)];
    expect(await shipper.createOrder(credentials, order)).toMatchObject({ id: 'there-1', reference: 'our-id' });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /shipper/v1/orders',
      'GET /shipper/v1/orders/there-1',
    ]);
  });

  test.each([
    [409, refusal(40_909_999, 'Reference ID is already used')],
    [400, refusal(40_002_999, 'reference_id must be unique', { reference_id: 'our-id' })],
  ])('of a reference that is refused by %i without naming an order: nobody knows', async (status, body) => {
    answers = [json(status, body)];
    const error = await outcomeOf(() => shipper.createOrder(credentials, order));
    expect(error).toBeInstanceOf(ProviderUnknown);
    expect(error).toMatchObject({ providerCode: String(body.code) });
  });

  test('that the duplicate names, but that has another reference, is not ours', async () => {
    const details = { order_id: 'there-1', reference_id: 'our-id' };
    answers = [json(400, refusal(40_002_060, 'used', details)), json(200, { ...made, reference_id: 'theirs' })];
    const error = await outcomeOf(() => shipper.createOrder(credentials, order));
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error).toMatchObject({ providerCode: 'reference_taken' });
  });

  test.each(['javascript:alert(1)', 'http://track.example/1', 'https://user:pass@track.example/1', 'track'])(
    'keeps no tracking address like %s',
    async (link) => {
      answers = [json(200, { ...made, courier: { ...made.courier, link } })];
      expect((await shipper.readOrder(credentials, 'there-1')).trackingUrl).toBe('');
    },
  );

  test('without an id or with strange fields is no order', async () => {
    answers = [json(200, { success: true }), json(200, { ...made, price: 1.5, status: { of: 'nothing' }, courier: null })];
    expect(await outcomeOf(() => shipper.readOrder(credentials, 'x'))).toBeInstanceOf(ProviderFailed);
    expect(await shipper.readOrder(credentials, 'x')).toMatchObject({ priceIdr: null, status: undefined, trackingNumber: '' });
  });
});

type Kind = typeof ProviderRefused | typeof ProviderBusy | typeof ProviderUnknown | typeof ProviderFailed;
const rows: [what: string, answer: Answer, reading: Kind, writing: Kind, more?: object][] = [
  ['400 of the order', json(400, refusal(40_002_017, 'name')), ProviderRefused, ProviderRefused, { providerCode: '40002017' }],
  ['401', json(401, refusal(40_100_001, 'key')), ProviderRefused, ProviderRefused, { stopsChannel: 'auth_error' }],
  [
    '400, key not active',
    json(400, refusal(40_002_002, 'key')),
    ProviderRefused,
    ProviderRefused,
    { stopsChannel: 'auth_error' },
  ],
  ['403', json(403, refusal(40_300_001, 'access')), ProviderRefused, ProviderRefused, { stopsChannel: 'auth_error' }],
  ['402', json(402, refusal(40_200_001, 'no balance')), ProviderRefused, ProviderRefused, { stopsChannel: undefined }],
  ['404', json(404, refusal(40_003_001, 'gone')), ProviderRefused, ProviderRefused, { providerCode: '40003001' }],
  ['429 with a time', json(429, refusal(1, 'slow'), { 'retry-after': '7' }), ProviderBusy, ProviderBusy, { retryAfterMs: 7_000 }],
  ['429 without', raw(429, ''), ProviderBusy, ProviderBusy, { retryAfterMs: 2_000 }],
  ['429 for a day', raw(429, '', { 'retry-after': '86400' }), ProviderBusy, ProviderBusy, { retryAfterMs: 300_000 }],
  ['500 in its own words', json(500, refusal(50_000_001, 'oops')), ProviderFailed, ProviderUnknown],
  ['503 of a gateway', raw(503, '<html>'), ProviderFailed, ProviderUnknown],
  ['408', raw(408, ''), ProviderFailed, ProviderUnknown],
  ['a page', raw(200, '<html>hello'), ProviderFailed, ProviderUnknown],
  [
    'a redirect',
    raw(302, '', { location: 'http://127.0.0.1:1/' }),
    ProviderRefused,
    ProviderRefused,
    { providerCode: 'http_302' },
  ],
  ['a cut line', dropped, ProviderFailed, ProviderUnknown],
  ['no answer', silent, ProviderFailed, ProviderUnknown],
  ['3 MiB', raw(200, `"${'x'.repeat(3 * 1024 * 1024)}"`), ProviderFailed, ProviderUnknown],
];

describe('what the shipper answers is sorted', () => {
  test.each(rows)('%s', async (_what, answer, reading, writing, more = {}) => {
    const calls: [Kind, () => Promise<unknown>][] = [
      [reading, () => shipper.readOrder(credentials, 'there-1')],
      [reading, () => shipper.findAreas(credentials, 'Menteng')],
      [reading, () => shipper.verify(credentials)],
      [reading, () => shipper.rates(credentials, { origin: address, destination: address, items, couriers: ['jne'] })],
      [writing, () => shipper.createOrder(credentials, order)],
      [writing, () => shipper.cancelOrder(credentials, 'there-1', 'why')],
    ];
    for (const [kind, call] of calls) {
      answers = [answer];
      const error = await outcomeOf(call);
      expect(error.constructor).toBe(kind);
      expect(error).toMatchObject(more);
    }
  });

  test('nobody who listens is known to have done nothing', async () => {
    const nobody = createShipperClient({ url: 'http://127.0.0.1:1', timeoutMs: 300 });
    expect((await outcomeOf(() => biteship(nobody).createOrder(credentials, order))).constructor).toBe(ProviderFailed);
    nobody.close();
  });

  test('what is gone says so, and a refusal does not', async () => {
    answers = [json(404, refusal(40_003_001, 'gone')), raw(404, ''), json(400, refusal(40_002_017, 'name'))];
    const gone: boolean[] = [];
    while (answers.length > 0) gone.push(saysGone(await outcomeOf(() => shipper.readOrder(credentials, 'x'))));
    expect(gone).toEqual([true, true, false]);
  });
});

test('rates are those with a price in whole rupiah', async () => {
  const one = { courier_code: 'jne', courier_service_code: 'reg', courier_name: 'JNE', currency: 'IDR', price: 12_000 };
  const range = { shipment_duration_range: '2 - 3', shipment_duration_unit: 'days' };
  answers = [
    json(200, {
      success: true,
      pricing: [
        { ...one, ...range },
        { ...one, price: 1.5 },
        { ...one, price: -1 },
        { ...one, currency: 'USD' },
        { ...one, courier_code: '' },
        null,
      ],
    }),
  ];
  expect(await shipper.rates(credentials, { origin: address, destination: address, items, couriers: ['jne'] })).toEqual([
    { courierCode: 'jne', serviceCode: 'reg', courierName: 'JNE', serviceName: 'reg', duration: '2 - 3 days', priceIdr: 12_000 },
  ]);
});

test('areas are asked for in Indonesia', async () => {
  const area = {
    id: 'AREA',
    name: 'Menteng, Jakarta Pusat',
    administrative_division_level_1_name: 'DKI Jakarta',
    administrative_division_level_2_name: 'Jakarta Pusat',
    administrative_division_level_3_name: 'Menteng',
    postal_code: 10_310,
  };
  answers = [json(200, { success: true, areas: [area, { name: 'without an id' }] })];
  expect(await shipper.findAreas(credentials, 'Menteng')).toEqual([
    { id: 'AREA', name: area.name, province: 'DKI Jakarta', city: 'Jakarta Pusat', district: 'Menteng', postalCode: '10310' },
  ]);
  expect(asked[0]!.url).toBe('/shipper/v1/maps/areas?countries=ID&input=Menteng&type=single');
});

test('a parcel is tracked by its tracking id', async () => {
  const history = [{ status: 'picked', note: 'Picked', updated_at: '2026-11-21T10:00:00Z' }];
  answers = [json(200, { success: true, status: 'picked', waybill_id: 'JNE1', link: 'https://track.example/1', history })];
  expect(await shipper.track(credentials, 'track 1')).toEqual({
    status: 'picked',
    trackingNumber: 'JNE1',
    trackingUrl: 'https://track.example/1',
    history: [{ status: 'picked', note: 'Picked', at: '2026-11-21T10:00:00Z' }],
  });
  expect(asked[0]!.url).toBe('/shipper/v1/trackings/track%201');
});

test('all fourteen words are known in both of their spellings, and no other', () => {
  const camel = (word: string) => word.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  for (const status of shipperStatuses) {
    expect(statusOf(status)).toBe(status);
    expect(statusOf(camel(status))).toBe(status);
  }
  for (const word of ['lost', '', 7, null, {}]) expect(statusOf(word)).toBeUndefined();
});

describe('a webhook', () => {
  const body = Buffer.from('{"event":"order.status","order_id":"there-1","status":"picked"}');

  test('is proven by the secret in its header alone', () => {
    expect(isShipperSigned({ 'x-webhook-secret': 'secret' }, body, 'secret', 0)).toBe(true);
    for (const given of ['Secret', 'secret ', '', undefined])
      expect(isShipperSigned({ 'x-webhook-secret': given }, body, 'secret', 0)).toBe(false);
    expect(isShipperSigned({ 'x-webhook-secret': '' }, body, '', 0)).toBe(false);
  });

  test('hints at an order; broken JSON throws', () => {
    expect(readShipperHint(body)).toEqual({ event: 'order.status', orderId: 'there-1', status: 'picked' });
    for (const text of ['{}', '[]', 'null', '{"order_id":{"a":1}}']) expect(readShipperHint(Buffer.from(text))).toBeUndefined();
    expect(() => readShipperHint(Buffer.from('{'))).toThrow(SyntaxError);
  });
});
