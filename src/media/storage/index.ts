import type { MediaSettings } from '../../platform/config/media.ts';
import { madeOnce } from '../../platform/made-once.ts';
import type { Storage } from './storage.ts';

/** Nothing is opened, nor loaded, before the first call: a process that stores no file needs neither. */
export function createStorage(config: MediaSettings): Storage {
  const { mediaS3Bucket: bucket } = config;
  return bucket === undefined
    ? lazily('disk', async () => (await import('./disk.ts')).diskStorage(config.mediaFolder))
    : lazily('s3', async () => (await import('./s3.ts')).s3Storage({ ...config, bucket }));
}

function lazily(name: Storage['name'], make: () => Promise<Storage>): Storage {
  const { get, made } = madeOnce(make);
  return {
    name,
    put: async (...call) => (await get()).put(...call),
    get: async (...call) => (await get()).get(...call),
    delete: async (...call) => (await get()).delete(...call),
    list: async (...call) => (await get()).list(...call),
    removeUnfinished: async (...call) => (await get()).removeUnfinished(...call),
    close: () =>
      void made()
        ?.then((storage) => storage.close())
        .catch(() => undefined),
  };
}
