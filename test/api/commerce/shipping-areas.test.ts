import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { connectShipper, fault, menteng, type ShipperAccount } from '../../support/shipping.ts';
import { storedConnections } from '../../support/stored/channels.ts';

const app = useApp();
let shipper: ShipperAccount;
beforeAll(async () => {
  shipper = await connectShipper(app);
});

const search = (text: string, more: object = {}) =>
  app.call('commerce.shipping-areas.list', { query: { search: text, ...more } });
const asked = async () => (await app.control('GET', '/requests?path=/shipper/v1/maps/areas')).requests.length;

test('areas as the shipper has them; a day long it is not asked again', async () => {
  const before = await asked();
  const { status, body } = await search('Menteng');
  expect(status).toBe(200);
  expect(body.items).toEqual([
    {
      id: menteng,
      name: 'Menteng, Jakarta Pusat, DKI Jakarta. 10310',
      province: 'DKI Jakarta',
      city: 'Jakarta Pusat',
      district: 'Menteng',
      postal_code: '10310',
    },
  ]);
  expect((await search('  menTENG ')).body).toEqual(body);
  expect(await asked()).toBe(before + 1);
  expect((await search('nowhere at all')).body).toEqual({ items: [] });
});

test('a search needs two letters and no more than a hundred', async () => {
  for (const text of ['', 'a', ' a ', 'x'.repeat(101)]) expect((await search(text)).status).toBe(422);
});

test('a shipper that is away or slow is a 503 with a time, and is asked anew', async () => {
  await fault(app, 'status', '/v1/maps', { status: 500 });
  const away = await search('Serpong');
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
  await fault(app, 'delay', '/v1/maps', { delay_ms: 4_000 });
  expect((await search('Serpong')).status).toBe(503);
  expect((await search('Serpong')).body.items).toHaveLength(1);
});

test('one organization has two at once, and the eleventh that waits is told so', async () => {
  await fault(app, 'delay', '/v1/maps', { delay_ms: 700, times: 20 });
  const replies = await Promise.all(Array.from({ length: 14 }, (_, index) => search(`Bandung ${'x'.repeat(index + 1)}`)));
  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(2);
  await app.control('DELETE', '/faults').catch(() => undefined);
});

test('no connection is a 422; one that is refused stops, and is a 409', async () => {
  const { key, organizationId } = await app.organization();
  const ask = () => app.call('commerce.shipping-areas.list', { key, query: { search: 'Gubeng' } });
  expect(await ask()).toMatchObject({ status: 422, body: { error: { code: 'connection_required' } } });
  expect(await search('Gubeng', { connection_id: organizationId })).toMatchObject({ status: 422 });
  const other = await connectShipper(app, { tenant: { key, organizationId, keyId: '' } });
  await app.control('POST', '/shipper-accounts', { api_key: other.apiKey, is_revoked: true });
  expect(await ask()).toMatchObject({ status: 409, body: { error: { code: 'connection_unavailable' } } });
  expect(await storedConnections.one(app, other.id, ['status'])).toEqual({ status: 'auth_error' });
  expect(await storedConnections.one(app, shipper.id, ['status'])).toEqual({ status: 'connected' });
  expect(await app.events(other.id)).toMatchObject([{ type: 'connection.status_update', data: { status: 'auth_error' } }]);
});
