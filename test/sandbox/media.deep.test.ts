import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Answer, phoneNumberId, token, useHouse } from './house.ts';

const house = useHouse();
const stranger = {
  waba_id: '299',
  phone_number_id: '199',
  display_phone_number: '+1 555-010-0199',
  access_token: 'the-token-of-somebody-else',
};

async function post(fields: Record<string, string | Blob>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await fetch(`${house.url}/${phoneNumberId}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const download = (url: string, bearer = token) => fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
const picture = new Blob(['a picture'], { type: 'image/png' });

describe('an upload', () => {
  test('is shown with its hash and size, and an address that gives the bytes', async () => {
    const { status, body } = await post({ messaging_product: 'whatsapp', type: 'image/png', file: picture });
    expect([status, Object.keys(body)]).toEqual([200, ['id']]);
    const shown = (await house.get(`/v23.0/${body.id}?phone_number_id=${phoneNumberId}`)).body;
    expect(shown).toEqual({
      messaging_product: 'whatsapp',
      id: body.id,
      url: expect.stringContaining(`mid=${body.id}`),
      mime_type: 'image/png',
      sha256: createHash('sha256').update('a picture').digest('hex'),
      file_size: '9',
    });
    const got = await download(shown.url);
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([200, 'image/png', 'a picture']);
  });

  test.each([
    ['in the field', { type: 'audio/ogg; codecs=opus', file: new Blob(['x']) }, 'audio/ogg'],
    ['by the name of the file', { type: 'document', file: new File(['x'], 'a.b.PDF') }, 'application/pdf'],
    ['as an ending', { file: new Blob(['x'], { type: 'webp' }) }, 'image/webp'],
    ['of the part before that of the field', { type: 'video/mp4', file: picture }, 'image/png'],
  ])('has its type %s', async (_where, fields, mimeType) => {
    const { body } = await post({ messaging_product: 'whatsapp', ...fields });
    expect((await house.get(`/${body.id}`)).body.mime_type).toBe(mimeType);
  });

  test.each([
    ['without the product', { file: picture }],
    ['without a file', { messaging_product: 'whatsapp' }],
    ['with text for a file', { messaging_product: 'whatsapp', file: 'x' }],
    ['of a type the provider does not keep', { messaging_product: 'whatsapp', file: new Blob(['x'], { type: 'text/html' }) }],
  ])('%s is code 100', async (_what, fields) => {
    expect(await post(fields)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  test.each([
    ['image/png', 5 * 1024 * 1024],
    ['image/webp', 500 * 1024],
    ['audio/mpeg', 16 * 1024 * 1024],
    ['video/mp4', 16 * 1024 * 1024],
  ])('of %s that is larger than its kind may be is code 100', async (type, max) => {
    const file = (bytes: number) => ({ messaging_product: 'whatsapp', file: new Blob([new Uint8Array(bytes)], { type }) });
    expect((await post(file(max))).status).toBe(200);
    expect(await post(file(max + 1))).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  test('that is no form is code 100', async () => {
    const { body } = await house.ask('POST', `/${phoneNumberId}/media`, { messaging_product: 'whatsapp' });
    expect(body.error.code).toBe(100);
  });
});

test.each([
  ['image', 'image/png', 'image/webp'],
  ['video', 'video/mp4', 'image/png'],
  ['audio', 'audio/ogg', 'video/mp4'],
  ['sticker', 'image/webp', 'image/png'],
  ['image', 'image/jpeg', 'application/pdf'],
])('an id is sent as %s if it is of %s, and not of %s (131053)', async (kind, right, wrong) => {
  await house.openWindow();
  const send = async (type: string) => house.send({ type: kind, [kind]: { id: await house.upload(type) } });
  expect((await send(right)).status).toBe(200);
  expect((await send(wrong)).body.error).toMatchObject({ code: 131053 });
});

describe('nobody sees', () => {
  test("another's media, by its id or its address", async () => {
    await house.control('accounts', stranger);
    const id = await house.upload();
    const as = { authorization: `Bearer ${stranger.access_token}` };
    expect((await house.ask('GET', `/${id}`, undefined, as)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect((await house.ask('DELETE', `/${id}`, undefined, as)).status).toBe(400);
    const { url } = (await house.get(`/${id}`)).body;
    expect((await download(url, stranger.access_token)).status).toBe(404);
    expect((await download(url)).status).toBe(200);
  });

  test('the bytes without a token, or at an address nobody gave out', async () => {
    const { url } = (await house.get(`/${await house.upload()}`)).body;
    expect((await fetch(url)).status).toBe(401);
    expect(
      (await download(url.replace(/hash=(.)/, (_: string, first: string) => `hash=${first === '-' ? '_' : '-'}`))).status,
    ).toBe(404);
  });

  test('media through another number', async () => {
    expect((await house.get(`/${await house.upload()}?phone_number_id=1`)).body.error.error_subcode).toBe(33);
  });
});

test('what was deleted no longer exists: read, sent, downloaded', async () => {
  const id = await house.upload();
  const { url } = (await house.get(`/${id}`)).body;
  expect((await house.send({ type: 'image', image: { id } })).status).toBe(200);
  expect((await house.ask('DELETE', `/v23.0/${id}`)).body).toEqual({ success: true });
  expect((await house.get(`/${id}`)).body.error.error_subcode).toBe(33);
  expect((await house.ask('DELETE', `/${id}`)).status).toBe(400);
  expect((await download(url)).status).toBe(404);
  expect((await house.send({ type: 'image', image: { id } })).body.error.code).toBe(100);
});

test('a file is in the log as its size', async () => {
  await house.upload('image/png', 'x'.repeat(5_000));
  const { requests } = (await house.get('/_control/requests?path=/media')).body;
  expect(requests).toHaveLength(1);
  expect(requests[0].body.bytes).toBeGreaterThan(5_000);
});
