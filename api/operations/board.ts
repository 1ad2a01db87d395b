import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { UIConfig } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import type { Deps } from '../http/endpoint.ts';
import { boardPath, docsPath, iconPath } from '../pages/paths.ts';

const foreignLink = /<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>\s*/g;

/** Bull Board's page loads a font from another server; that link is removed. */
class BoardAdapter extends ExpressAdapter {
  constructor() {
    super();
    this.app.disable('x-powered-by');
  }

  override setEntryRoute({ method, route, handler }: Parameters<ExpressAdapter['setEntryRoute']>[0]) {
    this.app[method](route, (_req, res, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      res.render(name, params, (error, html) => (error ? next(error) : res.send(html.replace(foreignLink, ''))));
    });
    return this;
  }
}

const uiConfig = ({ config }: Deps): UIConfig => ({
  boardTitle: 'Kanal queues',
  boardLogo: { path: iconPath, width: 24, height: 24 },
  favIcon: { default: iconPath, alternative: iconPath },
  miscLinks: [{ text: 'API reference', url: docsPath }],
  hideDocsLink: true,
  hideRedisDetails: !config.queueUrl,
});

/** Of queues that are open; who may see it is decided in bull-board.ts. */
export function board(deps: Deps): RequestHandler {
  const adapter = new BoardAdapter();
  adapter.setBasePath(boardPath);
  const queues = deps.queues.all().map((queue) => new BullMQAdapter(queue as never));
  createBullBoard({ queues, serverAdapter: adapter, options: { uiConfig: uiConfig(deps) } });
  return adapter.getRouter() as RequestHandler;
}
