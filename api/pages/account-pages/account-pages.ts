import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { linkPaths } from '../../../src/mails/links.ts';
import { fingerprintOf, serveAssets } from '../assets.ts';
import { invitationPage, passwordPage } from './html.ts';

const own = (name: string) => readFileSync(join(import.meta.dirname, name));

/** Nothing from elsewhere, nothing inline, and a form that only the script may send: a password never gets into an address. */
const policy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** Where the links of our mails lead when there is no front end of the operator's own. Addresses in the pages are relative: a proxy may serve them below a path. */
export function accountPages(): Router {
  const assets = [
    { name: 'page.css', type: 'text/css', bytes: own('page.css') },
    { name: 'page.js', type: 'text/javascript', bytes: own('page.js') },
  ];
  const folder = `account-pages/${fingerprintOf(assets)}`;
  const pages = [
    { path: linkPaths.invitation, html: invitationPage(folder) },
    { path: linkPaths.password_reset, html: passwordPage(folder) },
  ];
  // Strict: with a slash behind the path the relative addresses would lead astray.
  const router = Router({ strict: true });
  for (const { path, html } of pages)
    router.get(`/${path}`, policy, (_req, res) => void res.set('Cache-Control', 'no-cache').type('html').send(html));
  serveAssets(router, `/${folder}`, assets);
  return router;
}
