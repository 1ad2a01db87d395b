import { expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, wabaId } from './house.ts';

const house = useHouse();

test.each(['', '/v17.0', '/v25.0'])('a number is read under the prefix "%s"', async (prefix) => {
  const { status, body, headers } = await house.get(`${prefix}/${phoneNumberId}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: phoneNumberId,
    display_phone_number: '+1 555-010-0001',
    verified_name: 'Kanal Demo',
    quality_rating: 'GREEN',
    status: 'CONNECTED',
    throughput: { level: 'HIGH' },
  });
  expect(headers.get('facebook-api-version')).toBe(prefix.slice(1) || 'v23.0');
  expect(headers.get('x-fb-request-id')).toMatch(/^\w+$/);
  expect(headers.get('x-fb-trace-id')).toMatch(/^A/);
});

test('fields choose what is answered, and the id always comes', async () => {
  const { body } = await house.get(`/${phoneNumberId}?fields=verified_name,throughput{level}`);
  expect(body).toEqual({ id: phoneNumberId, verified_name: 'Kanal Demo', throughput: { level: 'HIGH' } });
});

test('an unknown field is code 100', async () => {
  const { status, body } = await house.get(`/${phoneNumberId}?fields=colour`);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 100, type: 'OAuthException' });
});

test('an unknown number is 100 with subcode 33', async () => {
  const { status, body, headers } = await house.get('/v23.0/999');
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 100, error_subcode: 33, type: 'GraphMethodException' });
  expect(body.error.fbtrace_id).toBe(headers.get('x-fb-trace-id'));
});

test('a wrong token is 190, none is 104, both 401', async () => {
  const wrong = await house.ask('GET', `/${phoneNumberId}`, undefined, { authorization: 'Bearer nobody' });
  expect(wrong).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException' } } });
  const none = await house.ask('GET', `/${phoneNumberId}`, undefined, { authorization: '' });
  expect(none).toMatchObject({ status: 401, body: { error: { code: 104, type: 'OAuthException' } } });
});

test('an unknown path is 2500', async () => {
  expect(await house.ask('PUT', '/a/b/c')).toMatchObject({ status: 400, body: { error: { code: 2500 } } });
});

test('the numbers of an account are listed in a page', async () => {
  const { body } = await house.get(`/v23.0/${wabaId}/phone_numbers?fields=id,status`);
  expect(body).toMatchObject({ data: [{ id: phoneNumberId, status: 'CONNECTED' }], paging: { cursors: {} } });
  expect(body.paging.next).toBeUndefined();
});

test('an account is read by its id, in the fields asked for', async () => {
  expect((await house.get(`/v23.0/${wabaId}`)).body).toMatchObject({ id: wabaId, name: 'Kanal Demo', timezone_id: '1' });
  expect((await house.get(`/${wabaId}?fields=name`)).body).toEqual({ id: wabaId, name: 'Kanal Demo' });
  expect(await house.get(`/${wabaId}?fields=colour`)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});

test('another account is invisible to a token that does not own it', async () => {
  const account = { waba_id: '201', phone_number_id: '101', display_phone_number: '+1 555-010-0002', access_token: 'other' };
  expect((await house.control('accounts', account)).status).toBe(200);
  expect(await house.get('/101')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  expect(await house.get('/201')).toMatchObject({ status: 400, body: { error: { error_subcode: 33 } } });
  expect(await house.get('/201/phone_numbers')).toMatchObject({ status: 400, body: { error: { error_subcode: 33 } } });
  const owner = await house.ask('GET', '/101', undefined, { authorization: 'Bearer other' });
  expect(owner).toMatchObject({ status: 200, body: { id: '101' } });
});
