import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedMerges } from '../../support/stored/contacts.ts';

const app = useApp();
let contactID: string;

beforeAll(async () => {
  contactID = (await contact(app.em(), app.tenant.organizationId, { name: 'Ada' })).id;
});

const put = (channel: string, body: object, id = contactID) =>
  app.call('contacts.consents.put', { params: { contactID: id, channel }, body });
const list = async (query = {}) => (await app.call('contacts.consents.list', { params: { contactID }, query })).body;
const history = async () =>
  (await app.call('contacts.permission-history.list', { params: { contactID } })).body.data.filter(
    ({ kind }: { kind: string }) => kind === 'consent',
  );

describe('put', () => {
  test.each(['messaging_app', 'email', 'sms', 'voice'])(
    '%s: each change once, in the list and in the history',
    async (channel) => {
      const before = [(await history()).length, (await app.events(contactID)).length];
      const granted = await put(channel, { status: 'granted', source: 'checkout', proof: 'record 7' });
      expect([granted.status, granted.body.data]).toEqual([
        200,
        { channel, status: 'granted', source: 'checkout', proof: 'record 7', changed_at: expect.any(String) },
      ]);
      expect((await put(channel, { status: 'granted', source: 'checkout', proof: 'record 7' })).body).toEqual(granted.body);
      const denied = await put(channel, { status: 'denied' });
      expect(denied.body.data).toMatchObject({ status: 'denied', source: '', proof: '' });
      expect((await list()).data).toContainEqual(denied.body.data);
      const changes = await history();
      expect(changes).toHaveLength(before[0]! + 2);
      expect(changes[0]).toMatchObject({ channel, state: 'denied', reason: '', expires_at: null, source: '' });
      expect(changes[1]).toMatchObject({
        state: 'granted',
        source: 'checkout',
        proof: 'record 7',
        actor: `key:${app.tenant.keyId}`,
      });
      const events = (await app.events(contactID)).slice(before[1]);
      expect(events).toEqual(
        [1, 2].map(() => ({ type: 'contact.updated', data: expect.objectContaining({ name: 'Ada', changed: ['consents'] }) })),
      );
    },
  );

  test('a better proof of the same is a change too', async () => {
    await put('sms', { status: 'pending' });
    const length = (await history()).length;
    await put('sms', { status: 'pending', proof: 'signed form' });
    expect((await history()).slice(0, -length)).toEqual([expect.objectContaining({ state: 'pending', proof: 'signed form' })]);
  });

  test.each([
    ['no status', {}, 'status'],
    ['a status nobody knows', { status: 'maybe' }, 'status'],
    ['a channel in the body', { status: 'granted', channel: 'sms' }, 'channel'],
    ['a proof that is an object', { status: 'granted', proof: {} }, 'proof'],
    ['an endless source', { status: 'granted', source: 'x'.repeat(201) }, 'source'],
  ])('%s: 422, and nothing changed', async (_what, body, field) => {
    const before = await app.counts();
    const refused = await put('messaging_app', body);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
    expect(await app.counts()).toEqual(before);
  });

  test.each(['all', 'fax', 'Email'])('the channel %s is none: 404', async (channel) => {
    expect((await put(channel, { status: 'granted' })).status).toBe(404);
  });
});

test('nobody’s contact: 404 for both, and the survivor of a merge is named', async () => {
  const merged = uuidv7();
  for (const id of [merged, 'nobody']) {
    expect((await put('email', { status: 'granted' }, id)).status).toBe(404);
    expect((await app.call('contacts.consents.list', { params: { contactID: id } })).status).toBe(404);
  }
  await storedMerges.add(app, {
    organization_id: app.tenant.organizationId,
    merged_id: merged,
    contact_id: contactID,
    actor: 'system',
  });
  const { body } = await put('email', { status: 'granted' }, merged);
  expect(body.error.details[0]).toMatchObject({ code: 'merged', value: contactID });
});

test('another organization’s contact: 404, and nothing stored', async () => {
  const stranger = await app.organization();
  const before = await app.counts();
  const options = { key: stranger.key, params: { contactID, channel: 'email' } };
  expect((await app.call('contacts.consents.put', { ...options, body: { status: 'granted' } })).status).toBe(404);
  expect((await app.call('contacts.consents.list', options)).status).toBe(404);
  expect(await app.counts()).toEqual(before);
});

test('the list has pages', async () => {
  for (const channel of ['messaging_app', 'email', 'sms', 'voice']) await put(channel, { status: 'granted', source: 'page' });
  const first = await list({ limit: 3, include_total: true });
  expect([first.data.length, first.meta.has_more, first.meta.total]).toEqual([3, true, 4]);
  const rest = await list({ limit: 3, cursor: first.meta.next_cursor });
  expect([...first.data, ...rest.data].map(({ channel }) => channel).sort()).toEqual(['email', 'messaging_app', 'sms', 'voice']);
});
