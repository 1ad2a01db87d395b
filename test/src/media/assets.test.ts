import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Contact } from '../../../src/contacts/contact.entity.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { MediaAsset } from '../../../src/media/asset.entity.ts';
import { type Origin, openAsset, storeAsset } from '../../../src/media/assets.ts';
import { findAsset, findAssetOfMessage } from '../../../src/media/find.ts';
import type { IncomingFile } from '../../../src/media/receive.ts';
import { clearDeleted, deleteAsset, deleteAssetsOfContact } from '../../../src/media/remove.ts';
import { diskStorage } from '../../../src/media/storage/disk.ts';
import { mediaUsage } from '../../../src/media/usage.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { type Own, ownRows } from '../../../src/platform/database/own.ts';
import { Job } from '../../../src/platform/ledger/jobs.entity.ts';
import { type TenantTransact, transactFor } from '../../../src/platform/ledger/tenant.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { type House, openHouse } from '../../support/house.ts';
import { bytesOf, inPieces, jpeg, mediaFolder } from '../../support/media.ts';

let house: House;
let folder: ReturnType<typeof mediaFolder>;
let own: Own;
let transact: TenantTransact;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  folder = mediaFolder();
  const organizationId = await createOrganization(house.em(), 'Media');
  own = ownRows(house.database, organizationId);
  transact = transactFor(house.ledger.transact, organizationId);
});
afterEach(() => folder.drop());

const upload: Origin = { source: 'upload', createdBy: 'key:1' };
const store = (origin: Origin = upload, file: Partial<IncomingFile> = {}, quotaBytes = 0) => {
  const storage = diskStorage(folder.path);
  return storeAsset({ own, transact, storage, quotaBytes }, { stream: inPieces(jpeg()), ...file, ...origin });
};
const jobs = () => house.em().find(Job, { organization_id: own.organizationId });

async function received() {
  const made = await conversation(house.em(), own.organizationId);
  const messageId = await message(house.em(), own.organizationId, made, { direction: 'inbound' });
  return { contactId: made.contact.id, origin: { source: 'inbound', messageId, contactId: made.contact.id } as const };
}

test('a file is stored with what it is, and opened again', async () => {
  const bytes = jpeg(200_000);
  const asset = await store(upload, { stream: inPieces(bytes), declaredType: 'image/jpeg; q=1', fileName: 'cat.jpg' });
  expect(asset).toMatchObject({
    ...{ kind: 'image', source: 'upload', mime_type: 'image/jpeg', declared_type: 'image/jpeg', size_bytes: '200000' },
    ...{ sha256: sha256(bytes).toString('hex'), file_name: 'cat.jpg', created_by: 'key:1', message_id: null, contact_id: null },
    storage_key: `${own.organizationId}/${asset.id}`,
  });
  expect(await findAsset(own, asset.id)).toMatchObject({ id: asset.id, size_bytes: '200000' });
  const opened = await openAsset(own, diskStorage(folder.path), asset.id, { start: 0, end: 9 });
  expect(await bytesOf(opened.stream)).toEqual(bytes.subarray(0, 10));
  expect(await mediaUsage(own)).toEqual({ bytes: 200_000, assets: 1 });
});

test('another organization finds nothing by its id', async () => {
  const { id } = await store();
  const foreign = ownRows(house.database, house.organizationId);
  expect(await findAsset(foreign, id)).toBeUndefined();
  await expect(openAsset(foreign, diskStorage(folder.path), id)).rejects.toThrow('Media asset not found');
});

test('the file of a message is stored once, however often its job runs', async () => {
  const { origin } = await received();
  const first = await store(origin);
  const second = await store(origin);
  expect(second.id).toBe(first.id);
  expect(await findAssetOfMessage(own, origin.messageId)).toMatchObject({ id: first.id, contact_id: origin.contactId });
  expect(folder.files()).toHaveLength(1);
  expect(await mediaUsage(own)).toEqual({ bytes: 2_000, assets: 1 });
});

test('beyond the quota nothing is stored, neither row nor file', async () => {
  await store(upload, {}, 3_000);
  await expect(store(upload, {}, 3_000)).rejects.toMatchObject({ code: 'limit_reached' });
  await store(upload, {}, 4_000);
  await expect(store(upload, { stream: inPieces(jpeg(1)) }, 4_000)).rejects.toMatchObject({ code: 'limit_reached' });
  expect(folder.files()).toHaveLength(2);
  expect(await mediaUsage(own)).toEqual({ bytes: 4_000, assets: 2 });
});

test('uploads that end at once stay within the quota together', async () => {
  const stored = await Promise.allSettled(Array.from({ length: 5 }, () => store(upload, {}, 6_000)));
  expect(stored.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(folder.files()).toHaveLength(3);
  expect(await mediaUsage(own)).toEqual({ bytes: 6_000, assets: 3 });
});

test('a source that breaks off leaves nothing, and its error is passed on', async () => {
  async function* broken() {
    yield jpeg(100_000);
    throw new Error('the provider hung up');
  }
  await expect(store(upload, { stream: broken() })).rejects.toThrow('the provider hung up');
  expect(folder.files()).toEqual([]);
  expect(await mediaUsage(own)).toEqual({ bytes: 0, assets: 0 });
});

test('a file that is too large for its kind is refused and its source destroyed', async () => {
  let isOver = false;
  async function* endless() {
    try {
      for (;;) yield jpeg(1_000_000);
    } finally {
      isOver = true;
    }
  }
  await expect(store(upload, { stream: endless() })).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(isOver).toBe(true);
  expect(folder.files()).toEqual([]);
});

test('a contact that was erased meanwhile gets no file', async () => {
  const { origin, contactId } = await received();
  await house.em().nativeDelete(Contact, { id: contactId });
  await expect(store(origin)).rejects.toThrow('Contact not found');
  expect(folder.files()).toEqual([]);
});

test('a deleted asset is found no more at once, and its file goes by the job', async () => {
  const { id } = await store();
  const kept = await store();
  const remove = () => transact({}, (tx) => deleteAsset(tx.own, id));
  expect([await remove(), await remove()]).toEqual([true, false]);
  expect(await findAsset(own, id)).toBeUndefined();
  expect(await mediaUsage(own)).toEqual({ bytes: 2_000, assets: 1 });
  expect(await jobs()).toMatchObject([{ name: 'media.clear' }]);
  const clear = () => clearDeleted(own, transact, diskStorage(folder.path));
  expect([await clear(), await clear()]).toEqual([1, 0]);
  expect(folder.files().map((file) => file.split('/').at(-1))).toEqual([kept.id]);
});

test("an erasure takes the contact's files, and neither those of others nor of the team", async () => {
  const [{ origin, contactId }, other] = [await received(), await received()];
  const erased = await store(origin);
  const kept = [await store(other.origin), await store()];
  await transact({}, (tx) => deleteAssetsOfContact(tx.own, contactId));
  expect(await findAsset(own, erased.id)).toBeUndefined();
  const row = await house.em().findOneOrFail(MediaAsset, { id: erased.id });
  expect(row.file_name).toBe('');
  expect(row.contact_id).toBeNull();
  expect(row.message_id).toBeNull();
  await clearDeleted(own, transact, diskStorage(folder.path));
  expect(folder.files().map((file) => file.split('/').at(-1))).toEqual(kept.map(({ id }) => id).sort());
  expect(await mediaUsage(own)).toEqual({ bytes: 4_000, assets: 2 });
});
