import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, newId, textFrom } from '../../support/provider-body.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const lookUp = (body: object, on = channel) => app.call('channels.contacts.lookup', { params: { channelID: on.id }, body });

/** A person writes; `contact` is how the provider names them. */
async function writes(contact: { wa_id?: string; user_id?: string; profile?: object }, more: object = {}, on = channel) {
  const { wa_id, user_id } = contact;
  const message = {
    ...textFrom(wa_id ?? ''),
    ...(!wa_id && { from: undefined }),
    ...(user_id && { from_user_id: user_id }),
    ...more,
  };
  expect((await app.webhook(bodyFor(on, { contacts: [contact], messages: [message] }))).status).toBe(200);
  await app.idle();
}

describe('who wrote to the channel', () => {
  test('is shown as its provider named them, by phone and by user id', async () => {
    const phone = app.phone();
    await writes({ wa_id: phone, user_id: `US.${phone}`, profile: { name: 'Sheena', username: '@sheena' } });
    const { status, body } = await lookUp({ phone });
    expect([status, body.data]).toEqual([
      200,
      {
        channel_id: channel.id,
        phone: `+${phone}`,
        user_id: `US.${phone}`,
        username: '@sheena',
        name: 'Sheena',
        last_seen_at: expect.any(String),
      },
    ]);
    expect((await lookUp({ phone: `+${phone}` })).body).toEqual(body);
    expect((await lookUp({ user_id: `US.${phone}` })).body).toEqual(body);
  });

  test('without a phone: by the user id alone', async () => {
    const user_id = `US.${app.phone()}`;
    await writes({ user_id, profile: { name: 'Ann', username: '@ann' } });
    expect((await lookUp({ user_id })).body.data).toMatchObject({ phone: '', user_id, username: '@ann', name: 'Ann' });
  });

  test('what is not told again stays, what is told otherwise replaces it', async () => {
    const phone = app.phone();
    const user_id = `US.${phone}`;
    await writes({ wa_id: phone, user_id, profile: { name: 'Bo', username: '@bo' } });
    await writes({ user_id, profile: { name: 'Bob' } });
    expect((await lookUp({ phone })).body.data).toMatchObject({ phone: `+${phone}`, user_id, username: '@bo', name: 'Bob' });
  });

  test('an odd profile is no reason to lose the person', async () => {
    const phone = app.phone();
    await writes({ wa_id: phone, profile: { name: 'a\u0000b', username: { toString: '' } } });
    expect((await lookUp({ phone })).body.data).toMatchObject({ name: 'a\ufffdb', username: '' });
  });

  test('what the owner sends from the phone app tells nothing of the person', async () => {
    const phone = app.phone();
    const echo = { from: '1', to: phone, id: newId(), timestamp: '1700000000', type: 'text', text: { body: 'x' } };
    await app.webhook(bodyFor(channel, { message_echoes: [echo] }, 'smb_message_echoes'));
    await app.idle();
    expect((await app.call('contacts.get-by-phone', { params: { phone } })).status).toBe(200);
    expect((await lookUp({ phone })).status).toBe(404);
  });
});

describe('a contact without a name', () => {
  const nameOf = async (phone: string) => (await app.call('contacts.get-by-phone', { params: { phone } })).body.data;

  test('is called as they call themselves, once, and it is told', async () => {
    const phone = app.phone();
    const { data } = (await app.call('contacts.create', { body: { phone_number: phone } })).body;
    await writes({ wa_id: phone, profile: { name: '  ' } });
    expect((await nameOf(phone)).name).toBe('');
    for (const name of [' Cleo ', 'Cleopatra']) await writes({ wa_id: phone, profile: { name } });
    expect((await nameOf(phone)).name).toBe('Cleo');
    const renamed = (await app.events(data.id)).filter(({ data: { changed } }) => changed?.includes('name'));
    expect(renamed.map(({ type, data: { name } }) => [type, name])).toEqual([['contact.updated', 'Cleo']]);
  });

  test('one with a name keeps it', async () => {
    const phone = app.phone();
    await app.call('contacts.create', { body: { phone_number: phone, name: 'Dora of the shop' } });
    await writes({ wa_id: phone, profile: { name: 'Dora' } });
    expect((await nameOf(phone)).name).toBe('Dora of the shop');
    expect((await lookUp({ phone })).body.data.name).toBe('Dora');
  });
});

describe('is refused', () => {
  test('nobody who never wrote to this channel: 404', async () => {
    const phone = app.phone();
    const other = await app.connect();
    await writes({ wa_id: phone, profile: { name: 'Eve' } }, {}, other);
    expect((await lookUp({ phone }, other)).status).toBe(200);
    for (const body of [{ phone }, { phone: app.phone() }, { user_id: 'US.nobody' }]) {
      const reply = await lookUp(body);
      expect([reply.status, reply.body.error.message]).toEqual([404, 'Contact not found']);
    }
  });

  test('a channel that is malformed, missing or foreign: 404', async () => {
    const foreign = await app.connect({ tenant: await app.organization() });
    const phone = app.phone();
    await writes({ wa_id: phone }, {}, foreign);
    for (const channelID of ['x', '01932d5f-3a0e-7cc4-8f4e-0242ac120099', foreign.id]) {
      const { status, body } = await app.call('channels.contacts.lookup', { params: { channelID }, body: { phone } });
      expect([status, body.error.message]).toEqual([404, 'Channel not found']);
    }
  });

  test.each([
    ['neither', {}],
    ['both', { phone: '+16505551234', user_id: 'US.1' }],
    ['a phone that is none', { phone: 'x' }],
    ['an empty user id', { user_id: ' ' }],
    ['more than is asked', { user_id: 'US.1', name: 'x' }],
  ])('%s: 422', async (_what, body) => {
    expect((await lookUp(body)).status).toBe(422);
  });
});
