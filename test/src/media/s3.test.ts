import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { storageKeyOf } from '../../../src/media/asset-id.ts';
import { createStorage } from '../../../src/media/storage/index.ts';
import { FileMissing, type Storage, StorageFailed } from '../../../src/media/storage/storage.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { bytesOf, filesIn, inPieces, jpeg } from '../../support/media.ts';
import { testHashKey, testSecretKey } from '../../support/secrets.ts';
import { createS3Server } from '../../support/servers/s3.ts';
import { waitFor } from '../../support/wait-for.ts';

const server = await createS3Server();
afterAll(() => server.drop());
const base = { DATABASE_URL: 'postgres://none', SECRET_KEY: testSecretKey, HASH_KEY: testHashKey };
const newKey = (organizationId = uuidv7()) => storageKeyOf(organizationId, uuidv7());

describe('an S3-compatible storage', () => {
  let storage: Storage;
  beforeAll(() => {
    storage = createStorage(readConfig({ ...base, ...server.env }));
  });
  afterAll(() => storage.close());

  // The last one takes several parts.
  test.each([1, 1_000, 12_000_000])('a file of %i bytes is read whole and in part, and gone once deleted', async (size) => {
    const [key, bytes] = [newKey(), randomBytes(size)];
    await storage.put(key, inPieces(bytes));
    expect((await bytesOf(await storage.get(key))).equals(bytes)).toBe(true);
    const part = await bytesOf(await storage.get(key, { start: 0, end: Math.min(9, size - 1) }));
    expect(part.equals(bytes.subarray(0, 10))).toBe(true);
    await storage.delete(key);
    await storage.delete(key);
    await expect(storage.get(key)).rejects.toThrow(FileMissing);
  });

  test('pieces that break off leave nothing behind, and the error is their own', async () => {
    const key = newKey();
    async function* broken() {
      yield randomBytes(12_000_000);
      throw new Error('the sender left');
    }
    await expect(storage.put(key, broken())).rejects.toThrow('the sender left');
    await expect(storage.get(key)).rejects.toThrow(FileMissing);
  });

  // The server cannot cut a list off: it makes its token with a cipher that is gone from OpenSSL. See below.
  test('files are listed in the order of their keys, from a key on', async () => {
    const organizationId = uuidv7();
    const keys = Array.from({ length: 5 }, () => newKey(organizationId)).sort();
    for (const key of keys.toReversed()) await storage.put(key, inPieces(Buffer.alloc(7)));
    const listed = (await storage.list({ limit: 1_000 })).filter(({ key }) => key.startsWith(organizationId));
    expect(listed.map(({ key, bytes }) => [key, bytes])).toEqual(keys.map((key) => [key, 7]));
    expect(Math.abs(listed[0]!.modifiedAt.getTime() - Date.now())).toBeLessThan(3_600_000);
    const rest = await storage.list({ after: keys[2], limit: 1_000 });
    expect(rest.map(({ key }) => key)).toEqual(keys.slice(3));
  });

  test('one that does not list unfinished uploads has none to remove', async () => {
    expect(await storage.removeUnfinished(new Date())).toBe(0);
  });

  test('a key of another form is refused before the storage is asked', async () => {
    for (const key of ['../secret', 'a/b', ''])
      await expect((async () => storage.get(key))()).rejects.toThrow('A storage key names an organization and an asset');
  });
});

test('a list that the storage cuts off before the limit is read on', async () => {
  const organizationId = uuidv7();
  const keys = Array.from({ length: 5 }, () => newKey(organizationId)).sort();
  const asked: string[] = [];
  const wire = createServer((req, res) => {
    const { searchParams } = new URL(req.url!, 'http://wire');
    const from = searchParams.get('start-after') ?? '';
    asked.push(`${searchParams.get('max-keys')} after ${from}`);
    const rest = keys.filter((key) => key > from);
    const page = rest.slice(0, Math.min(2, Number(searchParams.get('max-keys'))));
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>7</Size><LastModified>2026-11-22T10:00:00.000Z</LastModified></Contents>`,
    );
    res.setHeader('content-type', 'application/xml');
    res.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${page.length < rest.length}</IsTruncated>${contents.join('')}</ListBucketResult>`,
    );
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  const storage = createStorage(readConfig({ ...base, ...server.env, MEDIA_S3_ENDPOINT: endpoint }));
  expect((await storage.list({ limit: 3 })).map(({ key }) => key)).toEqual(keys.slice(0, 3));
  expect((await storage.list({ after: keys[0], limit: 10 })).map(({ key }) => key)).toEqual(keys.slice(1));
  expect(asked).toEqual(['3 after ', `1 after ${keys[1]}`, `10 after ${keys[0]}`, `8 after ${keys[2]}`]);
  storage.close();
  wire.closeAllConnections();
  await new Promise((resolve) => wire.close(resolve));
});

test('a storage that is away is an outage of ours', async () => {
  const other = await createS3Server();
  const storage = createStorage(readConfig({ ...base, ...other.env }));
  await other.drop();
  await expect(storage.put(newKey(), inPieces(Buffer.alloc(5)))).rejects.toThrow(StorageFailed);
  await expect(storage.get(newKey())).rejects.toThrow(StorageFailed);
  await expect(storage.list({ limit: 1 })).rejects.toThrow(StorageFailed);
  storage.close();
});

describe('the product over it', () => {
  const app = useApp({ workers: true, env: server.env });

  test('a file goes up, comes down in part, and is removed by the job', async () => {
    const bytes = jpeg(300_000);
    const { body } = await app.call('media.assets.create', { body: bytes, query: { kind: 'document' } });
    const content = (headers = {}) => app.call('media.assets.content', { params: { assetID: body.id }, headers });
    expect((await content()).headers.get('content-length')).toBe('300000');
    expect((await content({ range: 'bytes=100-199' })).status).toBe(206);
    expect((await app.call('media.assets.delete', { params: { assetID: body.id } })).status).toBe(204);
    await waitFor('the removal', async () => (await app.rows('select 1 from media_assets')).length === 0);
    const key = Buffer.from(body.id, 'base64url').toString();
    await expect(app.web.deps.storage.get(key)).rejects.toThrow(FileMissing);
    expect(filesIn(app.mediaFolder)).toEqual([]);
  });
});

test('an upload while the storage is away is a 503, and says when to come again', async () => {
  const other = await createS3Server();
  await other.stop();
  const storage = createStorage(readConfig({ ...base, ...other.env }));
  await expect(storage.put(newKey(), inPieces(jpeg()))).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 });
  storage.close();
  await other.drop();
});
