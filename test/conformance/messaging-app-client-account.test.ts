import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user } from '../sandbox/house.ts';
import { clientFor } from './client.ts';

const house = useHouse();
const bytes = new TextEncoder().encode('a picture');
const success = { success: true };

describe('media', () => {
  const upload = (more: object = {}) =>
    clientFor(house).media.upload({ phoneNumberId, type: 'image/png', file: new Blob([bytes], { type: 'image/png' }), ...more });

  test.each([
    ['a blob', {}],
    ['a blob with a name', { fileName: 'a.png' }],
    ['its kind only, the type with the file', { type: 'image' }],
    ['bytes, the type in the field', { file: bytes }],
    ['a buffer, the type in the name', { file: bytes.buffer, type: 'image', fileName: 'a.png' }],
    ['a wish for an upload in parts', { uploadStrategy: 'resumable' }],
  ])('upload: %s', async (_what, more) => {
    const { id, ...rest } = await upload(more);
    expect([id, rest]).toEqual([expect.stringMatching(/^\d+$/), {}]);
    expect((await clientFor(house).media.get({ mediaId: id })).mimeType).toBe('image/png');
  });

  test('get, with its number and without', async () => {
    const { media } = clientFor(house);
    const { id } = await upload();
    const shown = {
      messagingProduct: 'whatsapp',
      id,
      url: expect.stringMatching(/^http/),
      mimeType: 'image/png',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      fileSize: '9',
    };
    expect(await media.get({ mediaId: id })).toEqual(shown);
    expect(await media.get({ mediaId: id, phoneNumberId })).toEqual(shown);
  });

  test('download: the address wants the token, as the provider does', async () => {
    const { media } = clientFor(house);
    const { id: mediaId } = await upload();
    expect(Buffer.from((await media.download({ mediaId, auth: 'always' })) as ArrayBuffer).toString()).toBe('a picture');
    // The client leaves the token out by itself, for addresses that are public.
    const refused = (await media.download({ mediaId, as: 'response' })) as Response;
    expect(refused.status).toBe(401);
  });

  test('delete', async () => {
    const { media } = clientFor(house);
    const { id: mediaId } = await upload();
    expect(await media.delete({ mediaId, phoneNumberId })).toEqual(success);
    await expect(media.get({ mediaId })).rejects.toMatchObject({ code: 100, errorSubcode: 33 });
  });
});

describe('phoneNumbers', () => {
  test('requestCode, verifyCode, register, deregister', async () => {
    const { phoneNumbers } = clientFor(house);
    expect(await phoneNumbers.requestCode({ phoneNumberId, codeMethod: 'VOICE', language: 'en_US' })).toEqual(success);
    expect(await phoneNumbers.verifyCode({ phoneNumberId, code: '123456' })).toEqual(success);
    expect(await phoneNumbers.register({ phoneNumberId, pin: '000111', dataLocalizationRegion: 'DE' })).toEqual(success);
    expect(await phoneNumbers.deregister({ phoneNumberId })).toEqual(success);
  });

  test('settings.get, settings.update', async () => {
    const { settings } = clientFor(house).phoneNumbers;
    const calling = { status: 'ENABLED', callIconVisibility: 'DEFAULT' };
    expect(await settings.update({ phoneNumberId, fallbackLanguage: 'en_US', calling })).toEqual(success);
    expect(await settings.get({ phoneNumberId, includeSipCredentials: true })).toMatchObject({
      fallbackLanguage: 'en_US',
      calling,
    });
  });

  test('businessProfile.get, businessProfile.update', async () => {
    const { businessProfile } = clientFor(house).phoneNumbers;
    const profile = {
      about: 'Open',
      address: '1 Road',
      description: 'A shop',
      email: 'shop@example.com',
      profilePictureUrl: 'https://example.com/p.png',
      websites: ['https://example.com'],
      vertical: 'RETAIL',
    };
    expect(await businessProfile.update({ phoneNumberId, ...profile })).toEqual(success);
    expect(await businessProfile.get({ phoneNumberId })).toEqual({ data: [{ messagingProduct: 'whatsapp', ...profile }] });
    expect(await businessProfile.get({ phoneNumberId, fields: 'about' })).toEqual({
      data: [{ messagingProduct: 'whatsapp', about: 'Open' }],
    });
  });

  test('the number itself, and the numbers of its account', async () => {
    const client = clientFor(house);
    const fields = 'id,display_phone_number,verified_name';
    expect(await client.request('GET', phoneNumberId, { query: { fields }, responseType: 'json' })).toEqual({
      id: phoneNumberId,
      displayPhoneNumber: '+1 555-010-0001',
      verifiedName: 'Kanal Demo',
    });
    expect(await client.request('GET', '200000000000001/phone_numbers', { responseType: 'json' })).toMatchObject({
      data: [{ id: phoneNumberId }],
    });
  });
});

/** The client has no calls for it: it is asked as it asks everything. */
test('the block list', async () => {
  await house.openWindow();
  const client = clientFor(house);
  const ask = (method: string, body?: object) =>
    client.request(method, `${phoneNumberId}/block_users`, { responseType: 'json', ...(body && { body }) });
  const users = (...phones: string[]) => ({
    messaging_product: 'whatsapp',
    block_users: phones.map((phone) => ({ user: `+${phone}` })),
  });
  const entry = { input: `+${user}`, waId: user };
  expect(await ask('POST', users(user))).toEqual({ messagingProduct: 'whatsapp', blockUsers: { addedUsers: [entry] } });
  expect(await ask('GET')).toMatchObject({ data: [{ messagingProduct: 'whatsapp', waId: user }] });
  await expect(ask('POST', users(user, '16505550009'))).rejects.toMatchObject({ code: 139100, httpStatus: 400 });
  expect(await ask('DELETE', users(user))).toEqual({ messagingProduct: 'whatsapp', blockUsers: { removedUsers: [entry] } });
  expect(await ask('GET')).toEqual({ data: [] });
});
