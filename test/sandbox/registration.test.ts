import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse } from './house.ts';

const house = useHouse();
const post = (path: string, body: object = {}) => house.ask('POST', `/v23.0/${phoneNumberId}/${path}`, body);
const register = (pin: unknown) => post('register', { messaging_product: 'whatsapp', pin });
const taken = { success: true };

test('a number that is given up sends nothing until it is registered again, with the same PIN', async () => {
  expect((await register('123456')).body).toEqual(taken);
  expect((await post('deregister')).body).toEqual(taken);
  expect((await house.get(`/${phoneNumberId}`)).body.status).toBe('DISCONNECTED');
  expect((await house.text()).body.error.code).toBe(133010);
  expect((await post('deregister')).body.error.code).toBe(133010);
  expect((await register('654321')).body.error.code).toBe(133005);
  expect((await register('123456')).body).toEqual(taken);
  expect((await house.text()).status).toBe(200);
});

test.each([
  ['register', { pin: '123456' }],
  ['register', { messaging_product: 'whatsapp' }],
  ['register', { messaging_product: 'whatsapp', pin: '12345' }],
  ['register', { messaging_product: 'whatsapp', pin: 123456 }],
  ['request_code', { code_method: 'PIGEON', language: 'en_US' }],
  ['request_code', { code_method: 'SMS' }],
  ['verify_code', {}],
  ['settings', {}],
  ['whatsapp_business_profile', { about: 'x' }],
  ['whatsapp_business_profile', { messaging_product: 'whatsapp', colour: 'red' }],
  ['whatsapp_business_profile', { messaging_product: 'whatsapp', websites: ['https://a.b', 'https://a.c', 'https://a.d'] }],
])('%s with %j is code 100', async (path, body) => {
  expect(await post(path, body)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});

test('a code is right once, after it was asked for', async () => {
  expect((await post('verify_code', { code: '123456' })).body.error.code).toBe(136025);
  expect((await post('request_code', { code_method: 'SMS', language: 'en_US' })).body).toEqual(taken);
  expect((await post('verify_code', { code: 'abc' })).body.error.code).toBe(136025);
  expect((await post('verify_code', { code: '123456' })).body).toEqual(taken);
  expect((await post('verify_code', { code: '123456' })).body.error.code).toBe(136025);
});

describe('what the owner says of the number', () => {
  test('its settings', async () => {
    expect((await post('settings', { calling: { status: 'DISABLED' } })).body).toEqual(taken);
    expect((await house.get(`/${phoneNumberId}/settings`)).body).toEqual({
      storage_configuration: { status: 'DEFAULT' },
      calling: { status: 'DISABLED' },
    });
  });

  test('its profile, as much of it as is asked for', async () => {
    const profile = { about: 'Open all day', websites: ['https://example.com'], vertical: 'RETAIL' };
    const path = `/v23.0/${phoneNumberId}/whatsapp_business_profile`;
    expect((await post('whatsapp_business_profile', { messaging_product: 'whatsapp', ...profile })).body).toEqual(taken);
    expect((await house.get(path)).body).toEqual({ data: [{ messaging_product: 'whatsapp', ...profile }] });
    expect((await house.get(`${path}?fields=about`)).body.data).toEqual([
      { messaging_product: 'whatsapp', about: 'Open all day' },
    ]);
    expect((await house.get(`${path}?fields=colour`)).body.error.code).toBe(100);
  });

  test("nobody else's", async () => {
    for (const path of ['settings', 'whatsapp_business_profile'])
      expect((await house.get(`/999/${path}`)).body.error.error_subcode).toBe(33);
  });
});
