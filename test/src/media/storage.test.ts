import { randomBytes } from 'node:crypto';
import { chmodSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { storageKeyOf } from '../../../src/media/asset-id.ts';
import { diskStorage } from '../../../src/media/storage/disk.ts';
import { FileMissing, type Storage, StorageFailed } from '../../../src/media/storage/storage.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { bytesOf, inPieces, mediaFolder } from '../../support/media.ts';

let folder: ReturnType<typeof mediaFolder>;
let storage: Storage;
beforeEach(() => {
  folder = mediaFolder();
  storage = diskStorage(folder.path);
});
afterEach(() => folder.drop());

const newKey = (organizationId = uuidv7()) => storageKeyOf(organizationId, uuidv7());

describe('files on the disk', () => {
  test('what is put is read whole and in part, and gone once deleted', async () => {
    const [key, bytes] = [newKey(), randomBytes(300_000)];
    await storage.put(key, inPieces(bytes));
    expect(await bytesOf(await storage.get(key))).toEqual(bytes);
    expect(await bytesOf(await storage.get(key, { start: 10, end: 70_000 }))).toEqual(bytes.subarray(10, 70_001));
    await storage.delete(key);
    await storage.delete(key);
    await expect(storage.get(key)).rejects.toThrow(FileMissing);
    expect(folder.files()).toEqual([]);
  });

  test('pieces that break off leave nothing behind, and the error is their own', async () => {
    async function* broken() {
      yield randomBytes(200_000);
      throw new Error('the sender left');
    }
    await expect(storage.put(newKey(), broken())).rejects.toThrow('the sender left');
    expect(folder.files()).toEqual([]);
  });

  test('a name is there only once its bytes are', async () => {
    const key = newKey();
    async function* looking() {
      yield randomBytes(10);
      await expect(storage.get(key)).rejects.toThrow(FileMissing);
      yield randomBytes(10);
    }
    await storage.put(key, looking());
    expect(await bytesOf(await storage.get(key))).toHaveLength(20);
  });

  test('only the owner of the processes reads the files', async () => {
    await storage.put(newKey(), inPieces(randomBytes(10)));
    const [file] = folder.files();
    expect(statSync(join(folder.path, file!)).mode & 0o777).toBe(0o600);
  });

  test.each(['../../etc/passwd', 'a/b', '', `${uuidv7()}/../${uuidv7()}`, `${uuidv7()}/${uuidv7()}/x`, uuidv7().toUpperCase()])(
    'the key %j is refused before the disk is looked at',
    async (key) => {
      const refusal = 'A storage key names an organization and an asset';
      await expect((async () => storage.get(key))()).rejects.toThrow(refusal);
      await expect((async () => storage.delete(key))()).rejects.toThrow(refusal);
      await expect((async () => storage.put(key, inPieces(randomBytes(1))))()).rejects.toThrow(refusal);
    },
  );

  test('files are listed in the order of their keys, a page at a time, and nothing that is not ours', async () => {
    const organizations = [uuidv7(), uuidv7()];
    // Of times far apart, so that they are in several folders.
    const ids = [
      '01932d5f-3a0e-7cc4-8f4e-0242ac120001',
      '01932d5f-3a0e-7cc4-8f4e-0242ac120002',
      '019a0000-0000-7000-8000-000000000000',
    ];
    const keys = organizations.flatMap((one) => ids.map((id) => storageKeyOf(one, id))).sort();
    for (const key of keys.toReversed()) await storage.put(key, inPieces(Buffer.alloc(7)));
    writeFileSync(join(folder.path, 'notes.txt'), 'of somebody else');
    const listed: string[] = [];
    for (let after: string | undefined; ; after = listed.at(-1)) {
      const page = await storage.list({ after, limit: 2 });
      listed.push(...page.map(({ key }) => key));
      expect(page.every(({ bytes, modifiedAt }) => bytes === 7 && modifiedAt.getTime() > 0)).toBe(true);
      if (page.length < 2) break;
    }
    expect(listed).toEqual(keys);
  });

  test('what a dead process was writing is removed after its time, and nothing else', async () => {
    const key = newKey();
    await storage.put(key, inPieces(Buffer.alloc(5)));
    const [old, recent] = ['old', 'recent'].map((name) => join(folder.path, '.unfinished', name));
    writeFileSync(old!, 'half a file');
    writeFileSync(recent!, 'half a file');
    const before = new Date(Date.now() - 3_600_000);
    utimesSync(old!, before, new Date(before.getTime() - 1_000));
    expect(await storage.removeUnfinished(before)).toBe(1);
    expect(folder.files()).toEqual(expect.arrayContaining([join('.unfinished', 'recent')]));
    expect(folder.files()).toHaveLength(2);
  });

  test('a folder that cannot be written is an outage of ours', async () => {
    chmodSync(folder.path, 0o500);
    writeFileSync(`${folder.path}-file`, '');
    const blocked = diskStorage(`${folder.path}-file`);
    await expect(blocked.put(newKey(), inPieces(Buffer.alloc(5)))).rejects.toThrow(StorageFailed);
    chmodSync(folder.path, 0o700);
  });

  test('an empty or missing folder has no files', async () => {
    const missing = diskStorage(join(folder.path, 'none'));
    expect(await missing.list({ limit: 10 })).toEqual([]);
    expect(await missing.removeUnfinished(new Date())).toBe(0);
    await missing.delete(newKey());
  });
});
