import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EntityData, InferEntity } from '@mikro-orm/core';
import { knowJobs } from '../../../src/jobs.ts';
import { MediaAsset } from '../../../src/media/asset.entity.ts';
import { storageKeyOf } from '../../../src/media/asset-id.ts';
import { storeAsset } from '../../../src/media/assets.ts';
import { findAsset } from '../../../src/media/find.ts';
import { mediaPurge } from '../../../src/media/purge.ts';
import { deleteAsset } from '../../../src/media/remove.ts';
import { diskStorage } from '../../../src/media/storage/disk.ts';
import type { Storage } from '../../../src/media/storage/storage.ts';
import { mediaUsage } from '../../../src/media/usage.ts';
import { type Own, ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type TenantTransact, transactFor } from '../../../src/platform/ledger/tenant.ts';
import { runPurge } from '../../../src/platform/retention/run.ts';
import { type House, openHouse } from '../../support/house.ts';
import { inPieces, jpeg, mediaFolder } from '../../support/media.ts';

let house: House;
let folder: ReturnType<typeof mediaFolder>;
let storage: Storage;
let own: Own;
let transact: TenantTransact;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
  own = ownRows(house.database, house.organizationId);
  transact = transactFor(house.ledger.transact, house.organizationId);
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('purges', 'media_assets', 'media_usage', 'jobs');
  folder = mediaFolder();
  storage = diskStorage(folder.path);
});
afterEach(() => folder.drop());

const store = async () => {
  const { id } = await storeAsset(
    { own, transact, storage, quotaBytes: 0 },
    { source: 'upload', createdBy: '', stream: inPieces(jpeg()) },
  );
  return id;
};
const days = (count: number) => new Date(Date.now() - count * 24 * 3_600_000 - 60_000);
const pathOf = (id: string) => join(folder.path, folder.files().find((file) => file.endsWith(id))!);
const aged = (path: string, count: number) => utimesSync(path, days(count), days(count));
const setAsset = (id: string, change: EntityData<InferEntity<typeof MediaAsset>>) =>
  house.em().nativeUpdate(MediaAsset, { id }, change);
const daysAgo = (count: number) => days(count).toISOString();
const purge = async (batch = 2) => {
  const options = { config: house.deps.config, database: house.database, isStopping: () => false, batch, pauseMs: 0 };
  return (await runPurge(mediaPurge(storage), options)).deleted;
};
const ids = () => folder.files().map((file) => file.split('/').at(-1));

test('files without a row are removed after a day; others stay, however many there are', async () => {
  const kept = [await store(), await store(), await store()];
  const [old, young] = [uuidv7(), uuidv7()];
  for (const id of [old, young]) await storage.put(storageKeyOf(house.organizationId, id), inPieces(jpeg()));
  for (const id of [...kept, old]) aged(pathOf(id), 1);
  expect(await purge()).toEqual({ media_assets: 0, media_files: 1 });
  expect(ids()).toEqual([...kept, young].sort());
  expect(await purge(100)).toEqual({ media_assets: 0, media_files: 0 });
  for (const id of kept) expect(await findAsset(own, id)).toMatchObject({ missing_since: null });
});

test('what a dead process was writing is removed after a day', async () => {
  await store();
  for (const [name, age] of [
    ['old', 1],
    ['young', 0],
  ] as const) {
    writeFileSync(join(folder.path, '.unfinished', name), 'half');
    aged(join(folder.path, '.unfinished', name), age);
  }
  expect(await purge()).toMatchObject({ media_files: 1 });
  expect(ids()).toContain('young');
});

test('a deleted asset whose job has failed goes with its file', async () => {
  const [gone, kept] = [await store(), await store()];
  await transact({}, (tx) => deleteAsset(tx.own, gone));
  expect(await purge()).toEqual({ media_assets: 0, media_files: 0 });
  await setAsset(gone, { deleted_at: daysAgo(1) });
  expect(await purge()).toEqual({ media_assets: 1, media_files: 0 });
  expect(ids()).toEqual([kept]);
});

test('a row whose file is gone says so, is well again with its file, and is deleted after a week', async () => {
  const [lost, back, young, kept] = [await store(), await store(), await store(), await store()];
  for (const id of [lost, back, kept]) await setAsset(id, { created_at: daysAgo(1) });
  const bytes = await storage.get(storageKeyOf(house.organizationId, back));
  for (const id of [lost, young]) await storage.delete(storageKeyOf(house.organizationId, id));
  bytes.destroy();
  await storage.delete(storageKeyOf(house.organizationId, back));
  await purge();
  const missing = async () => {
    const assets = await house.em().find(MediaAsset, { missing_since: { $ne: null } }, { orderBy: { id: 'asc' } });
    return assets.map(({ id }) => id);
  };
  expect(await missing()).toEqual([lost, back].sort());
  await storage.put(storageKeyOf(house.organizationId, back), inPieces(jpeg()));
  expect(await purge(100)).toMatchObject({ media_assets: 0 });
  expect(await missing()).toEqual([lost]);
  await setAsset(lost, { missing_since: daysAgo(7) });
  expect(await purge()).toMatchObject({ media_assets: 1 });
  expect(await findAsset(own, lost)).toBeUndefined();
  expect(await mediaUsage(own)).toEqual({ bytes: 6_000, assets: 3 });
});

test('a folder without any file is taken for one that is not mounted: no row is missing', async () => {
  const id = await store();
  await setAsset(id, { created_at: daysAgo(3) });
  const empty = mediaFolder();
  storage = diskStorage(empty.path);
  await purge();
  expect(await findAsset(own, id)).toMatchObject({ missing_since: null });
  empty.drop();
});

test('files of others in the same place are left alone', async () => {
  await store();
  writeFileSync(join(folder.path, 'notes.txt'), 'of somebody else');
  aged(join(folder.path, 'notes.txt'), 30);
  await purge();
  expect(ids()).toContain('notes.txt');
});
