import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { type Asset, fingerprintOf, serveAssets } from '../assets.ts';
import { htmlPage } from '../html-page.ts';
import { consolePath } from '../paths.ts';

const { resolve } = createRequire(import.meta.url);

/** What the modules import by name; no build step puts them together. */
const libraries: Record<string, { name: string; file: string }> = {
  preact: { name: 'preact.js', file: resolve('preact') },
  'preact/hooks': { name: 'preact-hooks.js', file: resolve('preact/hooks') },
  htm: { name: 'htm.js', file: join(dirname(resolve('htm')), 'htm.module.js') },
};

const script = (name: string, file: string): Asset => ({ name, type: 'text/javascript', bytes: readFileSync(file) });

const readAssets = (): Asset[] => [
  { name: 'page.css', type: 'text/css', bytes: readFileSync(join(import.meta.dirname, 'page.css')) },
  ...Object.values(libraries).map(({ name, file }) => script(name, file)),
  ...globSync(join(import.meta.dirname, 'client/*.js'))
    .sort()
    .map((file) => script(basename(file), file)),
];

const importMapOf = (folder: string) =>
  JSON.stringify({
    imports: Object.fromEntries(Object.entries(libraries).map(([known, { name }]) => [known, `./${folder}/${name}`])),
  });

const pageOf = (folder: string, importMap: string) =>
  htmlPage({
    title: 'Kanal console',
    isWhole: true,
    head: `<link rel="stylesheet" href="${folder}/page.css">
    <script type="importmap">${importMap}</script>
    <script type="module" src="${folder}/main.js"></script>`,
    body: `    <div id="console"></div>
    <noscript>The console needs JavaScript. What it shows, the API gives: <a href="docs">API reference</a></noscript>`,
  });

/** The one inline script is the import map, which browsers take from nowhere else: allowed by its hash. */
const policyFor = (importMap: string) =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", `'sha256-${createHash('sha256').update(importMap).digest('base64')}'`],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  });

/** For members who are logged in; it calls the public API with their session and nothing else. Relative addresses: a proxy may serve it below a path. */
export function consolePage(): Router {
  const assets = readAssets();
  const folder = `${consolePath.slice(1)}/${fingerprintOf(assets)}`;
  const importMap = importMapOf(folder);
  const page = pageOf(folder, importMap);
  // Strict: a slash behind the path would break the relative addresses.
  const router = Router({ strict: true });
  router.get(consolePath, policyFor(importMap), (_req, res) => void res.set('Cache-Control', 'no-cache').type('html').send(page));
  serveAssets(router, `/${folder}`, assets);
  return router;
}
