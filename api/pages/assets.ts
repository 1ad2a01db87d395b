import { createHash } from 'node:crypto';
import type { Router } from 'express';

export type Asset = { name: string; type: string; bytes: Buffer };

/** A folder name that changes with what is in it. */
export function fingerprintOf(assets: Asset[]): string {
  const fingerprint = createHash('sha256');
  for (const { bytes } of assets) fingerprint.update(bytes);
  return fingerprint.digest('hex').slice(0, 12);
}

/** Their content is in their address, by `fingerprintOf`: browsers may keep them. */
export function serveAssets(router: Router, folder: string, assets: Asset[]): void {
  for (const { name, type, bytes } of assets)
    router.get(`${folder}/${name}`, (_req, res) => {
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(bytes);
    });
}
