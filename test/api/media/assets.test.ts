import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { publicIdOf, storageKeyOf } from '../../../src/media/asset-id.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Reply, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { filesIn, jpeg, pdf, png } from '../../support/media.ts';

const app = useApp();
const upload = (bytes: Buffer | string, { name = '', type = 'application/octet-stream', key = app.tenant.key } = {}) =>
  app
    .call('media.assets.create', { key, body: Buffer.from(bytes), query: { file_name: name }, headers: { 'content-type': type } })
    .then(({ body }) => body);
const get = (assetID: string, key?: string) => app.call('media.assets.get', { params: { assetID }, key });
const remove = (assetID: string, key?: string) => app.call('media.assets.delete', { params: { assetID }, key });
const content = (assetID: string, headers: Record<string, string> = {}, query = {}) =>
  app.call('media.assets.content', { params: { assetID }, headers, query });
const codeOf = ({ status, body }: Reply) => [status, body.error?.code];

describe('a media asset', () => {
  test('is read by its id, which is its key in URL-safe Base64', async () => {
    const asset = await upload(jpeg(), { name: 'cat.jpg', type: 'image/jpeg' });
    expect(Buffer.from(asset.id, 'base64url').toString()).toMatch(new RegExp(`^${app.tenant.organizationId}/[0-9a-f-]{36}$`));
    expect((await get(asset.id)).body).toEqual(asset);
    expect((await get(`${asset.id}${'='.repeat((4 - (asset.id.length % 4)) % 4)}`)).body).toEqual(asset);
  });

  test.each([
    ['a stranger', async () => (await upload(jpeg(), { key: (await app.organization()).key })).id],
    ['nobody', async () => publicIdOf(storageKeyOf(app.tenant.organizationId, uuidv7()))],
    ['the system', async () => publicIdOf('../../etc/passwd')],
    ['another form', async () => publicIdOf(`${app.tenant.organizationId}/../${uuidv7()}`)],
  ])("%s's is not found, and deleting it does nothing", async (_whose, make) => {
    const assetID = await make();
    expect(codeOf(await get(assetID))).toEqual([404, 'not_found']);
    expect(codeOf(await content(assetID))).toEqual([404, 'not_found']);
    const [before, counts] = [filesIn(app.mediaFolder), await app.counts()];
    const { status, text } = await remove(assetID);
    expect([status, text]).toEqual([204, '']);
    expect(filesIn(app.mediaFolder)).toEqual(before);
    expect(await app.counts()).toEqual(counts);
  });

  test.each(['a/b', 'a b', 'a+b', 'a', 'YWI', 'YWI===', 'YW=I', 'ä', 'a\u0000b'].filter((id) => id !== 'YWI'))(
    '%j is no id: 422',
    async (assetID) => {
      expect(codeOf(await remove(assetID))).toEqual([422, 'invalid_request']);
    },
  );
});

describe('lists', () => {
  test('newest first, a page at a time', async () => {
    const { key } = await app.organization();
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) made.unshift((await upload(`file ${n}`, { key })).id);
    const first = await app.call('media.assets.list', { key, query: { limit: 2 } });
    expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
    const second = await app.call('media.assets.list', { key, query: { limit: 2, cursor: first.body.meta.next_cursor } });
    expect(second.body.items.map(({ id }: { id: string }) => id)).toEqual(made.slice(2));
    expect(second.body.meta.has_more).toBe(false);
  });

  test('by kind, source and time, and nothing of others or deleted', async () => {
    const { key } = await app.organization();
    const image = await upload(jpeg(), { key });
    const document = await upload(pdf(), { key });
    const gone = await upload(png(), { key });
    await remove(gone.id, key);
    const ids = async (query: Record<string, string>) =>
      (await app.call('media.assets.list', { key, query: { ...query, include_total: true } })).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids({})).toEqual([document.id, image.id]);
    expect(await ids({ kind: 'image' })).toEqual([image.id]);
    expect(await ids({ source: 'upload', kind: 'document' })).toEqual([document.id]);
    expect(await ids({ source: 'inbound' })).toEqual([]);
    expect(await ids({ until: document.created_at })).toEqual([image.id]);
    expect(await ids({ contact_id: uuidv7() })).toEqual([]);
    expect(await ids({ message_id: uuidv7() })).toEqual([]);
  });
});

describe('the file', () => {
  test('whole, with headers that keep a browser from opening it', async () => {
    const asset = await upload(pdf(), { name: 'bill.pdf' });
    const { status, headers } = await content(asset.id);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '2000',
      'content-disposition': 'attachment; filename=bill.pdf',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      etag: `"${asset.sha256}"`,
    });
  });

  test.each([
    ['its beginning', 'bytes=0-9', 206, 'bytes 0-9/26', 'abcdefghij'],
    ['its end', 'bytes=-3', 206, 'bytes 23-25/26', 'xyz'],
    ['from somewhere', 'bytes=20-', 206, 'bytes 20-25/26', 'uvwxyz'],
    ['beyond the end', 'bytes=20-99', 206, 'bytes 20-25/26', 'uvwxyz'],
    ['several parts', 'bytes=0-1,4-5', 200, null, 'abcdefghijklmnopqrstuvwxyz'],
    ['nonsense', 'bites=1-2', 200, null, 'abcdefghijklmnopqrstuvwxyz'],
  ])('in part: %s', async (_what, range, status, contentRange, text) => {
    const { id } = await upload('abcdefghijklmnopqrstuvwxyz');
    const reply = await content(id, { range });
    expect([reply.status, reply.headers.get('content-range'), reply.text]).toEqual([status, contentRange, text]);
    expect(reply.headers.get('content-length')).toBe(String(text.length));
  });

  test('a part behind the end is a 416 that says how long it is', async () => {
    const { id } = await upload('abc');
    const reply = await content(id, { range: 'bytes=3-' });
    expect([...codeOf(reply), reply.headers.get('content-range')]).toEqual([416, 'range_not_satisfiable', 'bytes */3']);
  });

  test('a client that has it gets a 304; a part of another version is sent whole', async () => {
    const { id, sha256 } = await upload('abcdef');
    const etag = `"${sha256}"`;
    expect((await content(id, { 'if-none-match': etag })).status).toBe(304);
    expect((await content(id, { 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
    expect((await content(id, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await content(id, { range: 'bytes=0-1', 'if-range': etag })).text).toBe('ab');
    expect((await content(id, { range: 'bytes=0-1', 'if-range': '"other"' })).text).toBe('abcdef');
  });

  test('HEAD tells of it and sends nothing', async () => {
    const { id } = await upload('abcdef');
    const reply = await fetch(`${app.base}/v1/media/assets/${id}/content`, {
      method: 'HEAD',
      headers: { 'x-api-key': app.tenant.key },
    });
    expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([200, '6', '']);
  });

  test.each([
    ['a picture', jpeg(), 'image/jpeg', true],
    ['HTML that says it is a picture', '<html><script>alert(1)</script>', 'image/jpeg', false],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'image/svg+xml', false],
    ['a PDF', pdf(), 'application/pdf', false],
    ['a script', 'alert(1)', 'text/javascript', false],
  ])('inline: %s', async (_what, bytes, type, isShown) => {
    const { id } = await upload(bytes as Buffer, { type, name: 'file' });
    const { headers } = await content(id, {}, { disposition: 'inline' });
    expect(headers.get('content-disposition')).toBe(isShown ? 'inline; filename=file' : 'attachment; filename=file');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    ['turns the direction', 'invoice\u202Efdp.exe', 'attachment; filename=invoice_fdp.exe'],
    ['has quotes', 'a"b.pdf', 'attachment; filename="a\\"b.pdf"'],
    ['is empty', '', 'attachment'],
  ])('a name that %s', async (_what, name, expected) => {
    const { id } = await upload('abc', { name });
    expect((await content(id)).headers.get('content-disposition')).toBe(expected);
  });

  test('a name in another script travels whole', async () => {
    const { id } = await upload('abc', { name: 'דוח.pdf' });
    expect((await content(id)).headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent('דוח.pdf')}`);
  });

  test('one that the storage has lost is a 404 that says so', async () => {
    const { id } = await upload('lost');
    const [path] = filesIn(app.mediaFolder).filter((one) => one.endsWith(Buffer.from(id, 'base64url').toString().split('/')[1]!));
    rmSync(join(app.mediaFolder, path!));
    const reply = await content(id);
    expect(codeOf(reply)).toEqual([404, 'not_found']);
    expect(reply.body.error.message).toBe("The media asset's file not found");
  });
});

describe('deleting', () => {
  test('204 with nothing in it; then it is gone, and its room free', async () => {
    const tenant = await app.organization();
    const { id } = await upload('delete me', { key: tenant.key });
    const usage = async () => (await app.call('media.usage.get', { key: tenant.key })).body;
    expect(await usage()).toMatchObject({ bytes: 9, assets: 1 });
    const replies = [await remove(id, tenant.key), await remove(id, tenant.key)];
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
    expect((await get(id, tenant.key)).status).toBe(404);
    expect(await usage()).toMatchObject({ bytes: 0, assets: 0 });
    expect(await listedActs(app, { subject: `media_asset:${id}` }, { key: tenant.key, columns: ['action'] })).toEqual([
      { action: 'media.assets.create' },
      { action: 'media.assets.delete' },
    ]);
  });
});
