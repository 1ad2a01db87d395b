import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { transactions } from './transactions.ts';

const insertAsset = `insert into media_assets (id, organization_id, storage_key, kind, source, mime_type, declared_type, size_bytes, sha256, file_name, created_by)
  values ($1, $2, $3, 'image', 'upload', $4, $4, $5, $6, $7, 'key:bench')
  returning kind, source, mime_type, declared_type, size_bytes::int, sha256, file_name, message_id, contact_id, created_by, created_at, missing_since`;
const count = `insert into media_usage as u (organization_id, bytes, assets) values ($1, $2, 1)
  on conflict (organization_id) do update set bytes = u.bytes + excluded.bytes, assets = u.assets + 1`;
const audit = `insert into audit_log (id, organization_id, actor, action, subject, address) values ($1, $2, 'key:bench', 'media.assets.create', $3, $4)`;

async function synced(path: string) {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

/** A JPEG as the body: on the disk, then its row, its count and its record, in one transaction. */
export function mediaRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>) {
  const inTransaction = transactions(pool);
  const root = process.env.MEDIA_FOLDER!;
  const folder = join(root, process.env.ORGANIZATION_ID!);
  app.post('/v1/media/assets', async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    await mkdir(folder, { recursive: true });
    const id = uuidv7();
    const hash = createHash('sha256');
    const [draft, place] = [join(root, `${id}.unfinished`), join(folder, id)];
    const file = await open(draft, 'wx');
    let bytes = 0;
    try {
      for await (const piece of req) {
        if (bytes === 0 && piece.readUIntBE(0, 3) !== 0xffd8ff) return void res.status(422).end();
        bytes += piece.length;
        hash.update(piece);
        await file.writeFile(piece);
      }
      await file.sync();
    } catch {
      // The client went away.
      return void (await rm(draft));
    } finally {
      await file.close();
    }
    await rename(draft, place);
    await synced(folder);
    const key = `${organization}/${id}`;
    const row = await inTransaction(async (client) => {
      const values = [id, organization, key, req.get('content-type'), bytes, hash.digest('hex'), req.query.file_name];
      const { rows } = await client.query({ name: 'asset', text: insertAsset, values });
      await client.query({ name: 'count', text: count, values: [organization, bytes] });
      const act = [uuidv7(), organization, `media_asset:${id}`, req.socket.remoteAddress];
      await client.query({ name: 'audit', text: audit, values: act });
      return rows[0];
    });
    res.status(201).json({ id: Buffer.from(key).toString('base64url'), ...row });
  });
}
