import { ExpressAdapter } from '@bull-board/express';

const foreignLink = /<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>\s*/g;

/** Bull Board's page loads a font from another server; that link is removed. */
export class BoardAdapter extends ExpressAdapter {
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
