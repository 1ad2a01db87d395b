import { createHash } from 'node:crypto';
import type { Router } from 'express';

export type Asset = { name: string; type: string; bytes: Buffer };

/** Changes with the folder's content. */
export function fingerprintOf(assets: Asset[]): string {
  const fingerprint = createHash('sha256');
  for (const { bytes } of assets) fingerprint.update(bytes);
  return fingerprint.digest('hex').slice(0, 12);
}

/** The address contains a hash of the content (`fingerprintOf`), so browsers may keep it. */
export function serveAssets(router: Router, folder: string, assets: Asset[]): void {
  for (const { name, type, bytes } of assets)
    router.get(`${folder}/${name}`, (_req, res) => {
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(bytes);
    });
}
