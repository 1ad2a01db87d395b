import { describe, expect, test } from '@jest/globals';
import { signedLink } from '../../../src/media/links.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { later } from '../../support/later.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { jpeg } from '../../support/media.ts';
import { testSecrets } from '../../support/secrets.ts';

const app = useApp({ env: { PUBLIC_URL: 'https://kanal.example.com/' } });
const upload = async (bytes: Buffer | string = 'a file', key = app.tenant.key) =>
  (await app.call('media.assets.create', { key, body: Buffer.from(bytes) })).body;
const link = (assetID: string, body: object = {}, key?: string) =>
  app.call('media.assets.links.create', { params: { assetID }, body, key });
const open = (linkID: string, headers = {}) => app.call('media.links.get', { params: { linkID }, key: null, headers });

test('anybody who has the link gets the file, whole or in part', async () => {
  const { id } = await upload();
  const { status, headers, body } = await link(id);
  expect([status, headers.get('location')]).toEqual([201, `/v1/media/links/${body.id}`]);
  expect(body.link).toBe(`https://kanal.example.com/v1/media/links/${body.id}`);
  const ends = new Date(body.expires_at).getTime() - Date.now();
  expect(ends).toBeGreaterThan(890_000 - 60_000);
  expect(ends).toBeLessThan(900_000 + 60_000);
  const file = await open(body.id);
  expect([file.status, file.text, file.headers.get('content-disposition')]).toEqual([200, 'a file', 'attachment']);
  expect((await open(body.id, { range: 'bytes=2-' })).text).toBe('file');
  expect((await open(body.id, { 'if-none-match': file.headers.get('etag')! })).status).toBe(304);
});

test('inline only where it was asked for, and only what may be shown', async () => {
  const [picture, page] = [await upload(jpeg()), await upload('<html>')];
  const shown = async (id: string, disposition: string) => {
    const { body } = await link(id, { disposition });
    return (await open(body.id)).headers.get('content-disposition');
  };
  expect(await shown(picture.id, 'inline')).toBe('inline');
  expect(await shown(picture.id, 'attachment')).toBe('attachment');
  expect(await shown(page.id, 'inline')).toBe('attachment');
});

test('a link ends at its time', async () => {
  const { id } = await upload();
  const { body } = await link(id, { expires_in: 10 });
  expect((await open(body.id)).status).toBe(200);
  await later(11_000, async () => expect((await open(body.id)).status).toBe(404));
});

test('a link ends with its asset', async () => {
  const { id } = await upload();
  const { body } = await link(id);
  await app.call('media.assets.delete', { params: { assetID: id } });
  expect((await open(body.id)).status).toBe(404);
});

test.each([0, 9, 86_401, 1.5, 'long'])('it lasts 10 seconds to a day, not %j', async (expires_in) => {
  const { id } = await upload();
  expect((await link(id, { expires_in })).status).toBe(422);
});

describe('a link that we did not sign', () => {
  const flipped = (token: string, place: number) => {
    const bytes = Buffer.from(token, 'base64url');
    bytes[place]! ^= 1;
    return bytes.toString('base64url');
  };

  test('with any byte changed is nothing', async () => {
    const { id } = await upload();
    const { body } = await link(id);
    const { length } = Buffer.from(body.id, 'base64url');
    for (const place of [0, 20, 32, 37, 38, 39, length - 1]) expect((await open(flipped(body.id, place))).status).toBe(404);
  });

  test.each(['x', 'eyJhbGciOiJub25lIn0', 'A'.repeat(95), '../assets'])('%j is nothing', async (token) => {
    expect((await open(token)).status).toBe(404);
  });

  test('signed for an asset of another organization it finds nothing', async () => {
    const { id } = await upload();
    const [, assetId] = Buffer.from(id, 'base64url').toString().split('/');
    const foreign = { organizationId: uuidv7(), assetId: assetId!, expiresAtMs: Date.now() + 60_000, isInline: false };
    expect((await open(signedLink(testSecrets, foreign))).status).toBe(404);
  });
});

test("another organization's asset cannot be linked", async () => {
  const { id } = await upload();
  const stranger = await app.organization();
  expect((await link(id, {}, stranger.key)).status).toBe(404);
});

test('who made a link is in the audit log, and the link is not', async () => {
  const { id } = await upload();
  const { body } = await link(id, { expires_in: 60 });
  const acts = await listedActs(
    app,
    { subject: `media_asset:${id}`, action: 'media.assets.links.create' },
    { columns: ['actor', 'details'] },
  );
  expect(acts).toEqual([{ actor: `key:${app.tenant.keyId}`, details: { expires_in: 60 } }]);
  expect(JSON.stringify(app.log.lines)).not.toContain(body.id);
});
