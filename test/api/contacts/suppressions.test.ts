import { beforeEach, describe, expect, test } from '@jest/globals';
import { hashesOf } from '../../../src/contacts/permission/suppressed-addresses.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { testSecrets } from '../../support/secrets.ts';
import { storedSuppressedAddresses, storedSuppressions } from '../../support/stored/contacts.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp();
let contactID: string;
let phone: string;

beforeEach(async () => {
  ({ id: contactID, phone } = await contact(app.em(), app.tenant.organizationId));
});

const create = (body: object, id = contactID) => app.call('contacts.suppressions.create', { params: { contactID: id }, body });
const list = async () => (await app.call('contacts.suppressions.list', { params: { contactID } })).body.data;
const remove = (suppressionID: string, id = contactID) =>
  app.call('contacts.suppressions.delete', { params: { contactID: id, suppressionID } });
const states = async () =>
  (await app.call('contacts.permission-history.list', { params: { contactID } })).body.data.map(
    ({ state, reason }: Record<string, string>) => `${state} ${reason}`,
  );
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('create or update', () => {
  test('201 for a new one, 200 for another reason or end, and the same again changes nothing', async () => {
    const made = await create({ channel: 'all', reason: 'unsubscribed' });
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ channel: 'all', reason: 'unsubscribed', expires_at: null });
    const again = await create({ channel: 'all', reason: 'unsubscribed' });
    expect([again.status, again.body]).toEqual([200, made.body]);
    const expiresAt = inAnHour();
    const changed = await create({ channel: 'all', reason: 'complaint', expires_at: expiresAt });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({ id: made.body.data.id, reason: 'complaint', expires_at: expiresAt });
    expect(await list()).toEqual([changed.body.data]);
    expect(await states()).toEqual(['suppressed complaint', 'suppressed unsubscribed']);
    expect((await app.events(contactID)).map(({ data }) => data.changed)).toEqual([['suppressions'], ['suppressions']]);
  });

  test.each(['messaging_app', 'email', 'sms', 'voice'])('%s has one of its own', async (channel) => {
    await create({ channel: 'all', reason: 'manual' });
    expect((await create({ channel, reason: 'bounced' })).status).toBe(201);
    expect(await list()).toHaveLength(2);
  });

  test('one that has expired is not listed, cannot be deleted, and the next is a new one', async () => {
    const { id } = (await create({ channel: 'sms', reason: 'bounced', expires_at: inAnHour() })).body.data;
    await storedSuppressions.change(app, id, { expires_at: ago(1, 'ms') });
    expect(await list()).toEqual([]);
    expect((await remove(id)).status).toBe(404);
    const next = await create({ channel: 'sms', reason: 'bounced' });
    expect([next.status, next.body.data.id === id]).toEqual([201, false]);
  });

  test('twenty at once are one', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create({ channel: 'all', reason: 'manual' })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await states()).toEqual(['suppressed manual']);
  });

  test.each([
    ['an end in the past', { channel: 'all', reason: 'manual', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an end that is none', { channel: 'all', reason: 'manual', expires_at: 'tomorrow' }, 'expires_at'],
    ['an end without its zone', { channel: 'all', reason: 'manual', expires_at: '2999-01-01T00:00:00' }, 'expires_at'],
    ['an end on no day', { channel: 'all', reason: 'manual', expires_at: '2999-02-30' }, 'expires_at'],
    ['no channel', { reason: 'manual' }, 'channel'],
    ['a channel nobody has', { channel: 'fax', reason: 'manual' }, 'channel'],
    ['no reason', { channel: 'all' }, 'reason'],
    ['a reason of one’s own', { channel: 'all', reason: 'rude' }, 'reason'],
    ['something else', { channel: 'all', reason: 'manual', note: 'x' }, 'note'],
  ])('%s: 422, and nothing stored', async (_what, body, field) => {
    const before = await app.counts();
    const refused = await create(body);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
    expect(await app.counts()).toEqual(before);
  });
});

test('a remembered one that comes with an address: the one that lasts longer counts, and one that is over is none', async () => {
  const remember = async (address: string, channel: string, expiresAt: string | null) =>
    storedSuppressedAddresses.add(app, {
      organization_id: app.tenant.organizationId,
      hash: hashesOf(testSecrets, app.tenant.organizationId, [{ type: 'email', source: '', value: address }])[0],
      channel,
      reason: 'complaint',
      expires_at: expiresAt,
    });
  const address = `${uuidv7()}@example.com`;
  const expires_at = inAnHour();
  const { id } = (await create({ channel: 'sms', reason: 'manual', expires_at })).body.data;
  await storedSuppressions.change(app, id, { expires_at: ago(1, 'ms') });
  await create({ channel: 'email', reason: 'manual', expires_at });
  await create({ channel: 'voice', reason: 'manual' });
  await remember(address, 'sms', expires_at);
  await remember(address, 'email', null);
  await remember(address, 'voice', expires_at);
  const identity = { params: { contactID }, body: { type: 'email', value: address } };
  expect((await app.call('contacts.identities.create', identity)).status).toBe(201);
  const reasons = (await list()).map((row: Record<string, string>) => [row.channel, row.reason, row.expires_at]).sort();
  expect(reasons).toEqual([
    ['email', 'complaint', null],
    ['sms', 'complaint', expires_at],
    ['voice', 'manual', null],
  ]);
  expect((await states()).slice(0, 2)).toEqual(['suppressed complaint', 'suppressed complaint']);
  await storedSuppressedAddresses.remove(app, {});
});

describe('delete', () => {
  test('204, then 404; the history keeps both, consent stays', async () => {
    await app.call('contacts.consents.put', { params: { contactID, channel: 'sms' }, body: { status: 'denied' } });
    const { id } = (await create({ channel: 'sms', reason: 'manual' })).body.data;
    expect([(await remove(id)).status, (await remove(id)).status]).toEqual([204, 404]);
    expect(await list()).toEqual([]);
    expect(await states()).toEqual(['lifted manual', 'suppressed manual', 'denied ']);
    expect((await app.events(contactID)).at(-1)?.data.changed).toEqual(['suppressions']);
  });

  test('what is remembered of it under the contact’s addresses goes too, and nothing else', async () => {
    const { organizationId } = app.tenant;
    const { id } = (await create({ channel: 'messaging_app', reason: 'unsubscribed' })).body.data;
    const [hash] = hashesOf(testSecrets, organizationId, [{ type: 'phone', source: '', value: phone }]);
    const [other] = hashesOf(testSecrets, organizationId, [{ type: 'phone', source: '', value: '+16505550000' }]);
    for (const [of, channel] of [
      [hash, 'messaging_app'],
      [hash, 'email'],
      [other, 'messaging_app'],
    ])
      await storedSuppressedAddresses.add(app, { organization_id: organizationId, hash: of, channel, reason: 'manual' });
    expect((await remove(id)).status).toBe(204);
    const left = await app.rows('select channel, hash = $1 as own from suppressed_addresses order by channel', [hash]);
    expect(left).toEqual([
      { channel: 'email', own: true },
      { channel: 'messaging_app', own: false },
    ]);
  });

  test('another contact’s: 404, and it stays', async () => {
    const { id } = (await create({ channel: 'all', reason: 'manual' })).body.data;
    const other = await contact(app.em(), app.tenant.organizationId);
    expect((await remove(id, other.id)).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });
});

test('nobody’s contact, and another organization’s: 404, and nothing stored', async () => {
  const { id } = (await create({ channel: 'all', reason: 'manual' })).body.data;
  const stranger = await app.organization();
  const before = await app.counts();
  for (const [key, of] of [
    [app.tenant.key, uuidv7()],
    [app.tenant.key, 'nobody'],
    [stranger.key, contactID],
  ]) {
    const options = { key, params: { contactID: of!, suppressionID: id } };
    expect((await app.call('contacts.suppressions.list', options)).status).toBe(404);
    expect(
      (await app.call('contacts.suppressions.create', { ...options, body: { channel: 'sms', reason: 'manual' } })).status,
    ).toBe(404);
    expect((await app.call('contacts.suppressions.delete', options)).status).toBe(404);
    expect((await app.call('contacts.permission-history.list', options)).status).toBe(404);
  }
  expect(await app.counts()).toEqual(before);
});
