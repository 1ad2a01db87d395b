import type { MediaSettings } from '../../platform/config/media.ts';
import { diskStorage } from './disk.ts';
import type { Storage } from './storage.ts';

/** Nothing is opened before the first call. */
export function createStorage(config: MediaSettings): Storage {
  const { mediaS3Bucket: bucket } = config;
  return bucket === undefined ? diskStorage(config.mediaFolder) : lazyS3({ ...config, bucket });
}

type Settings = Parameters<typeof import('./s3.ts').s3Storage>[0];

/** The client is large: a process that stores no file does not load it. */
function lazyS3(settings: Settings): Storage {
  let made: Promise<Storage> | undefined;
  const get = () => {
    made ??= import('./s3.ts').then(({ s3Storage }) => s3Storage(settings));
    return made;
  };
  return {
    name: 's3',
    put: async (...call) => (await get()).put(...call),
    get: async (...call) => (await get()).get(...call),
    delete: async (...call) => (await get()).delete(...call),
    list: async (...call) => (await get()).list(...call),
    removeUnfinished: async (...call) => (await get()).removeUnfinished(...call),
    close: () => void made?.then((storage) => storage.close()).catch(() => undefined),
  };
}
