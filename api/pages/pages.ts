import { Router } from 'express';
import helmet from 'helmet';
import type { Deps } from '../http/endpoint.ts';
import { bullBoard } from '../operations/bull-board.ts';
import { accountPages } from './account-pages/account-pages.ts';
import { consolePage } from './console/console.ts';
import { withDemo } from './docs/demo-examples.ts';
import { docs } from './docs/docs.ts';
import { publishedDocument } from './docs/document.ts';
import { frontPage } from './front-page.ts';
import { boardPath } from './paths.ts';

/** Pages load nothing from elsewhere; the board sets inline styles. TLS is the proxy's task. */
const contentPolicy = {
  styleSrc: ["'self'", "'unsafe-inline'"],
  fontSrc: ["'self'", 'data:'],
  upgradeInsecureRequests: null,
};

export function pages(deps: Deps): Router {
  const router = Router();
  router.use(helmet({ contentSecurityPolicy: { directives: contentPolicy } }));
  if (deps.config.operatorPassword) router.use(boardPath, bullBoard(deps));
  const document = withDemo(publishedDocument(deps.config.publicUrl), deps.config.demoFile);
  router.get('/openapi.json', async (_req, res) => void res.type('application/json').send(await document()));
  router.use(frontPage(deps));
  router.use(docs(deps.config));
  router.use(accountPages());
  router.use(consolePage());
  return router;
}
