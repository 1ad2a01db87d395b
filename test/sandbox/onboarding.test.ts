import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, token, useHouse, wabaId } from './house.ts';

const appId = '400000000000001';
const secret = 'sandbox-app-secret';
const house = useHouse();
const codeFor = async (more: object = {}) =>
  (await house.control('codes', { phone_number_id: phoneNumberId, ...more })).body.code as string;
const exchange = (code: string, more: Record<string, string> = {}) => {
  const search = new URLSearchParams({ client_id: appId, client_secret: secret, code, ...more });
  return house.ask('GET', `/v23.0/oauth/access_token?${search}`, undefined, { authorization: '' });
};
const errorOf = async (reply: ReturnType<typeof exchange>) => {
  const { code, error_subcode: subcode } = (await reply).body.error;
  return [code, subcode];
};

describe('a code for a token', () => {
  test('is good once', async () => {
    const code = await codeFor();
    expect((await exchange(code)).body).toEqual({ access_token: token, token_type: 'bearer' });
    expect(await errorOf(exchange(code))).toEqual([100, 36009]);
  });

  test('is good for its time', async () => {
    expect(await errorOf(exchange(await codeFor({ ttl_ms: 0 }).then(later)))).toEqual([100, 36007]);
  });

  test('may be one that the caller names', async () => {
    expect(await codeFor({ code: 'mine' })).toBe('mine');
    expect((await exchange('mine')).status).toBe(200);
  });

  test.each([
    ['an unknown code', { code: 'x' }, [100, 36008]],
    ['no code', { code: '' }, [100, undefined]],
    ['another app', { client_id: '1' }, [101, undefined]],
    ['a wrong secret', { client_secret: 'x' }, [1, undefined]],
  ])('%s is refused, and spends nothing', async (_what, more, wanted) => {
    const code = await codeFor();
    expect(await errorOf(exchange(code, more))).toEqual(wanted);
    expect((await exchange(code)).status).toBe(200);
  });

  test('no app is code 101, and a code of a number that is not there a 422', async () => {
    expect((await house.get('/oauth/access_token')).body.error.code).toBe(101);
    expect((await house.control('codes', { phone_number_id: '9' })).status).toBe(422);
  });

  test('neither code nor secret is in the log', async () => {
    const code = await codeFor();
    await exchange(code);
    const [request] = (await house.get('/_control/requests?path=oauth')).body.requests;
    expect(request.query).toBe(`client_id=${appId}&client_secret=[redacted]&code=[redacted]`);
  });
});

describe('the app of an account', () => {
  const path = `/v23.0/${wabaId}/subscribed_apps`;
  const app = { whatsapp_business_api_data: { id: appId, name: expect.any(String), link: expect.any(String) } };

  test('is subscribed at first, and listed as long as it is', async () => {
    expect((await house.get(path)).body).toEqual({ data: [app] });
    expect((await house.ask('DELETE', path)).body).toEqual({ success: true });
    expect((await house.get(path)).body).toEqual({ data: [] });
    expect((await house.ask('POST', path, {})).body).toEqual({ success: true });
    expect((await house.ask('POST', path, {})).body).toEqual({ success: true });
    expect((await house.get(path)).body).toEqual({ data: [app] });
  });

  test('without one no webhook tells of the account', async () => {
    await house.ask('DELETE', path);
    await house.openWindow();
    expect((await house.text()).status).toBe(200);
    await house.settled();
    expect(house.receiver.received).toEqual([]);
    await house.ask('POST', path, {});
    await house.control('inbound', {
      phone_number_id: phoneNumberId,
      message: { text: { body: 'hi' } },
      contact: { wa_id: '1' },
    });
    await house.settled();
    expect(house.receiver.received).toHaveLength(1);
  });

  test('may have another callback, which is shown', async () => {
    const override_callback_uri = 'https://example.com/webhook';
    const data = [{ override_callback_uri, ...app }];
    const reply = await house.ask('POST', path, { override_callback_uri, verify_token: 'x' });
    expect(reply.body).toEqual({ success: true, data });
    expect((await house.get(path)).body).toEqual({ data });
  });

  test.each([
    { override_callback_uri: 'http://example.com', verify_token: 'x' },
    { override_callback_uri: 'https://example.com' },
  ])('%j is code 100', async (body) => {
    expect((await house.ask('POST', path, body)).body.error.code).toBe(100);
  });

  test("somebody else's is code 100 with subcode 33", async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expect((await house.ask(method, '/999/subscribed_apps')).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });
});

test('an account as before an onboarding: nobody hears of it, and its number sends nothing', async () => {
  const account = { waba_id: '201', phone_number_id: '101', display_phone_number: '+1 555-010-0002', access_token: 'new' };
  await house.control('accounts', { ...account, subscribed: false, registered: false });
  const ask = (method: string, path: string, body?: object) => house.ask(method, path, body, { authorization: 'Bearer new' });
  expect((await ask('GET', '/101?fields=status')).body).toEqual({ id: '101', status: 'DISCONNECTED' });
  expect((await ask('GET', '/201/subscribed_apps')).body).toEqual({ data: [] });
  expect((await ask('POST', '/101/register', { messaging_product: 'whatsapp', pin: '123456' })).body).toEqual({ success: true });
  expect((await ask('GET', '/101?fields=status')).body).toEqual({ id: '101', status: 'CONNECTED' });
});

/** The clock has moved on by then. */
const later = async (code: string) => {
  const since = Date.now();
  while (Date.now() === since) await new Promise(setImmediate);
  return code;
};
