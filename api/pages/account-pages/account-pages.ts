import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { linkPaths } from '../../../src/mails/links.ts';
import { fingerprintOf, serveAssets } from '../assets.ts';
import { invitationPage, passwordPage } from './html.ts';

const own = (name: string) => readFileSync(join(import.meta.dirname, name));

/** No foreign or inline content, and only the script submits the form: a password never gets into a URL. */
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

/** Targets of mail links when there is no own front end. Relative addresses: a proxy may serve them below a path. */
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
  // Strict: a slash behind the path would break the relative addresses.
  const router = Router({ strict: true });
  for (const { path, html } of pages)
    router.get(`/${path}`, policy, (_req, res) => void res.set('Cache-Control', 'no-cache').type('html').send(html));
  serveAssets(router, `/${folder}`, assets);
  return router;
}
