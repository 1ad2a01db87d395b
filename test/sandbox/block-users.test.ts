import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user } from './house.ts';

const house = useHouse();
const path = `/v23.0/${phoneNumberId}/block_users`;
const change = (method: string, users: unknown, more: object = {}) =>
  house.ask(method, path, { messaging_product: 'whatsapp', block_users: users, ...more });
const block = (...users: object[]) => change('POST', users);
const blocked = async (query = '') => (await house.get(path + query)).body;
const inbound = (contact: object, message: object = { text: { body: 'hello' } }) =>
  house.control('inbound', { phone_number_id: phoneNumberId, message, contact });
const entry = { input: `+${user}`, wa_id: user };
const failedWith = (code: number, more: object = {}) => ({
  input: expect.any(String),
  errors: [{ message: expect.any(String), code, error_data: { details: expect.any(String) } }],
  ...more,
});

describe('a number blocks', () => {
  test('who wrote to it, without a version in the path too, and twice does no harm', async () => {
    await house.openWindow();
    const wanted = { messaging_product: 'whatsapp', block_users: { added_users: [entry] } };
    expect(await block({ user: `+${user}` })).toMatchObject({ status: 200, body: wanted });
    const body = { messaging_product: 'whatsapp', block_users: [{ user: `+${user}` }] };
    expect((await house.ask('POST', `/${phoneNumberId}/block_users`, body)).body).toEqual(wanted);
    expect((await blocked()).data).toEqual([{ messaging_product: 'whatsapp', wa_id: user }]);
  });

  test('and delivers nothing they write, under either name, until they are unblocked', async () => {
    await inbound({ wa_id: user, user_id: 'US.1' });
    await house.settled();
    expect((await block({ user_id: 'US.1' })).body.block_users).toEqual({ added_users: [{ input: 'US.1', user_id: 'US.1' }] });
    expect((await blocked()).data).toEqual([{ messaging_product: 'whatsapp', wa_id: user }]);
    house.receiver.received.length = 0;
    for (const contact of [{ wa_id: user }, { user_id: 'US.1' }]) await inbound(contact);
    await house.settled();
    expect(house.receiver.received).toEqual([]);
    const removed = { messaging_product: 'whatsapp', block_users: { removed_users: [entry] } };
    for (const _twice of [1, 2])
      expect(await change('DELETE', [{ user: `+${user}` }])).toMatchObject({ status: 200, body: removed });
    await inbound({ user_id: 'US.1' });
    await house.settled();
    expect(house.receiver.received).toHaveLength(1);
    expect(await blocked()).toEqual({ data: [] });
  });

  test('nobody who has not written within 24 hours, and not itself; the others of the request it does', async () => {
    await house.openWindow();
    const longAgo = String(Math.floor(Date.now() / 1000) - 25 * 3_600);
    await inbound({ wa_id: '16505550002' }, { text: { body: 'once' }, timestamp: longAgo });
    const { status, body } = await block(
      { user: user },
      { user: '+16505550002' },
      { user_id: 'US.9' },
      { user: '+1 555-010-0001' },
    );
    expect([status, body.error]).toEqual([
      400,
      {
        message: '(#139100) Failed to block/unblock users',
        type: 'OAuthException',
        code: 139100,
        error_data: { details: 'Failed to block some users, see the block_users response list for details' },
        fbtrace_id: expect.any(String),
      },
    ]);
    expect(body.block_users).toEqual({
      added_users: [{ input: user, wa_id: user }],
      failed_users: [
        failedWith(131047, { input: '+16505550002', wa_id: '16505550002' }),
        failedWith(131047, { input: 'US.9', user_id: 'US.9' }),
        failedWith(131021, { wa_id: '15550100001' }),
      ],
    });
    expect((await blocked()).data).toHaveLength(1);
  });

  test('anybody, while the window is off', async () => {
    await house.control('behaviour', { window: 'off' });
    expect((await block({ user: '+16505550003' })).status).toBe(200);
  });

  test('as many as its list holds: one more, and none of the request is taken', async () => {
    await house.control('behaviour', { window: 'off', block_limit: 2 });
    expect((await block({ user: '+1650001' }, { user: '+1650002' })).status).toBe(200);
    expect(await block({ user: '+1650002' }, { user: '+1650003' })).toMatchObject({
      status: 400,
      body: { error: { code: 139101 } },
    });
    expect((await block({ user: '+1650002' })).status).toBe(200);
    expect((await blocked()).data).toHaveLength(2);
  });

  test('and shows whom, page by page', async () => {
    await house.control('behaviour', { window: 'off' });
    await block(...[1, 2, 3].map((n) => ({ user: `+165000${n}` })));
    const first = await blocked('?limit=2');
    expect(first.data.map(({ wa_id }: { wa_id: string }) => wa_id)).toEqual(['1650001', '1650002']);
    const rest = await blocked(`?limit=2&after=${first.paging.cursors.after}`);
    expect([rest.data, rest.paging.next]).toEqual([[{ messaging_product: 'whatsapp', wa_id: '1650003' }], undefined]);
  });

  test('a block is of one number, and a reset forgets it', async () => {
    await house.openWindow();
    await block({ user });
    await house.ask('DELETE', '/_control');
    expect(await blocked()).toEqual({ data: [] });
    expect((await house.ask('POST', '/v23.0/100/block_users', {})).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });
});

test.each<[string, unknown, object]>([
  ['no users', undefined, {}],
  ['an empty list', [], {}],
  ['a list of words', ['+1650'], {}],
  ['a user that is no phone', [{ user: 'nobody' }], {}],
  ['neither name', [{}], {}],
  ['no product', [{ user: '+1650' }], { messaging_product: undefined }],
  ['1,001 users', Array.from({ length: 1_001 }, (_, n) => ({ user: `+1650${n}` })), {}],
])('%s is code 100, to block and to unblock', async (_what, users, more) => {
  for (const method of ['POST', 'DELETE'])
    expect(await change(method, users, more)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});
