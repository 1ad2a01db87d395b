import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { httpPath } from '../http-path.ts';

const bytes = 200_000;
/** As a JPEG begins. */
const picture = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), randomBytes(bytes - 20)]);

export const upload = httpPath({
  name: 'upload',
  what: `POST /v1/media/assets, an image of ${bytes / 1000} kB, on the disk when it is answered`,
  status: 201,
  request: ({ tenant }) => ({
    method: 'POST',
    path: '/v1/media/assets?file_name=picture.jpg',
    headers: { 'x-api-key': tenant.apiKey, 'content-type': 'image/jpeg' },
    body: picture,
  }),
  /** Gigabytes after a few rounds. */
  async between({ sql, env }) {
    const folder = env.MEDIA_FOLDER!;
    await sql.query('delete from media_assets');
    await sql.query('delete from media_usage');
    await sql.query('vacuum analyze media_assets, media_usage, audit_log');
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  },
});
