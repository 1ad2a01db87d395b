import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { partsOf, storageKeyOf } from '../asset-id.ts';
import { FileMissing, type Pieces, type Storage, StorageFailed, type StoredFile } from './storage.ts';

const unfinishedName = '.unfinished';
/** Ids begin with their time: a folder has the files of about five hours, and folders are in the order of the keys. */
const folderDigits = 6;
const ofOwner = { folder: 0o700, file: 0o600 };

/** Files below one folder, which all processes must share. Made at the first write. */
export function diskStorage(folder: string): Storage {
  const root = resolve(folder);
  const unfinished = join(root, unfinishedName);
  const folderOf = (organizationId: string, id: string) => join(root, organizationId, id.slice(0, folderDigits));
  const placeOf = (key: string) => {
    const parts = partsOf(key);
    if (!parts) throw new Error('A storage key names an organization and an asset');
    return join(folderOf(parts.organizationId, parts.id), parts.id);
  };

  return {
    name: 'disk',
    async put(key, pieces) {
      const place = placeOf(key);
      const draft = join(unfinished, randomUUID());
      try {
        await write(draft, pieces);
        await ours(async () => {
          const { isNew } = await inFolder(dirname(place), () => rename(draft, place));
          await keepNames(dirname(place));
          if (isNew) await Promise.all([keepNames(dirname(dirname(place))), keepNames(root)]);
        });
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    get: (key, range) =>
      ours(async () => {
        const file = await open(placeOf(key), 'r').catch(unlessMissing);
        if (!file) throw new FileMissing(key);
        return file.createReadStream(range);
      }),
    delete: (key) => ours(() => rm(placeOf(key), { force: true })),
    list: ({ after, limit }) => ours(() => filesAfter(root, after, limit)),
    removeUnfinished: (before) =>
      ours(async () => {
        let removed = 0;
        for (const name of await namesIn(unfinished)) {
          const { mtime } = await stat(join(unfinished, name));
          if (mtime >= before) continue;
          await rm(join(unfinished, name), { force: true });
          removed += 1;
        }
        return removed;
      }),
    close() {},
  };
}

/** On the disk when it returns. An error of `pieces` is the sender's and stays what it is. */
async function write(path: string, pieces: Pieces) {
  const { result: file } = await ours(() => inFolder(dirname(path), () => open(path, 'wx', ofOwner.file)));
  try {
    for await (const piece of pieces) await ours(() => file.writeFile(piece));
    await ours(() => file.sync());
  } finally {
    await file.close();
  }
}

/** The folder is made where it is missing: nearly every file comes into one that is there. */
async function inFolder<Result>(folder: string, work: () => Promise<Result>): Promise<{ result: Result; isNew: boolean }> {
  try {
    return { result: await work(), isNew: false };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: ofOwner.folder });
    return { result: await work(), isNew: true };
  }
}

/** A file's name is safe from a power cut once its folder is written too. */
async function keepNames(folder: string) {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function filesAfter(root: string, after: string | undefined, limit: number): Promise<StoredFile[]> {
  const from = after === undefined ? undefined : partsOf(after);
  const found: StoredFile[] = [];
  for (const organizationId of await namesIn(root)) {
    if (organizationId === unfinishedName || (from && organizationId < from.organizationId)) continue;
    const last = from?.organizationId === organizationId ? from.id : '';
    for (const folder of await namesIn(join(root, organizationId))) {
      if (folder < last.slice(0, folderDigits)) continue;
      for (const id of await namesIn(join(root, organizationId, folder))) {
        const key = storageKeyOf(organizationId, id);
        if (id <= last || !partsOf(key)) continue;
        const file = await stat(join(root, organizationId, folder, id)).catch(unlessMissing);
        if (file) found.push({ key, bytes: file.size, modifiedAt: file.mtime });
        if (found.length === limit) return found;
      }
    }
  }
  return found;
}

const namesIn = async (folder: string) => ((await readdir(folder).catch(unlessMissing)) ?? []).sort();

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Removed by others in this moment. */
function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
  return undefined;
}

async function ours<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw codeOf(error) === undefined ? error : new StorageFailed(error);
  }
}
