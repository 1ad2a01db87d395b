import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type S3Server = { run(): Promise<{ port: number }>; close(): Promise<void> };
type MakeServer = new (options: object) => S3Server;
const S3rver = createRequire(import.meta.url)('s3rver') as MakeServer;

const bucket = 'media';
/** The one account the server knows. */
const [accessKeyId, secret] = ['S3RVER', 'S3RVER'];

/** An S3-compatible server that is not ours, with one empty bucket. */
export async function createS3Server() {
  const directory = await mkdtemp(join(tmpdir(), 'kanal-s3-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] };
  const server = new S3rver(options);
  const { port } = await server.run();
  return {
    env: {
      MEDIA_S3_BUCKET: bucket,
      MEDIA_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      MEDIA_S3_ACCESS_KEY_ID: accessKeyId,
      MEDIA_S3_SECRET_ACCESS_KEY: secret,
      MEDIA_S3_PATH_STYLE: 'true',
      MEDIA_STORAGE_TIMEOUT_MS: '5000',
    },
    stop: () => server.close(),
    async drop() {
      await server.close().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
