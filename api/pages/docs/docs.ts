import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import type { Config } from '../../../src/platform/config/config.ts';
import { type Asset, fingerprintOf, serveAssets } from '../assets.ts';
import { docsPath, iconPath } from '../paths.ts';

const own = (name: string) => readFileSync(join(import.meta.dirname, name));
const ofPackage = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));

/** Read once, with the first page that somebody asks for. */
const readAssets = (): Asset[] => [
  { name: 'swagger-ui.css', type: 'text/css', bytes: ofPackage('swagger-ui.css') },
  { name: 'swagger-ui-bundle.js', type: 'text/javascript', bytes: ofPackage('swagger-ui-bundle.js') },
  { name: 'page.css', type: 'text/css', bytes: own('page.css') },
  { name: 'page.js', type: 'text/javascript', bytes: own('page.js') },
];

const pageOf = (folder: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Kanal API reference</title>
    <link rel="icon" type="image/svg+xml" href="${iconPath}">
    <link rel="stylesheet" href="${folder}/swagger-ui.css">
    <link rel="stylesheet" href="${folder}/page.css">
    <script defer src="${folder}/swagger-ui-bundle.js"></script>
    <script defer src="${folder}/page.js"></script>
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The reference needs JavaScript. The document itself: <a href="/openapi.json">openapi.json</a></noscript>
  </body>
</html>
`;

/** The page may call only this server and PUBLIC_URL, for "Try it out". */
const policyFor = ({ publicUrl }: Config) =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'", ...(publicUrl ? [new URL(publicUrl).origin] : [])],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  });

/** The assets have content hashes in their addresses, so browsers may keep them. */
export function docs(config: Config): Router {
  const assets = readAssets();
  const folder = `${docsPath}/${fingerprintOf(assets)}`;
  const page = pageOf(folder);
  const icon = own('icon.svg');
  const router = Router();
  router.get(docsPath, policyFor(config), (_req, res) => void res.set('Cache-Control', 'no-cache').type('html').send(page));
  router.get(iconPath, (_req, res) => void res.set('Cache-Control', 'public, max-age=86400').type('svg').send(icon));
  serveAssets(router, folder, assets);
  return router;
}
