import { ExpressAdapter } from '@bull-board/express';

const foreignLink = /<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>\s*/g;

/** Bull Board's own page asks a font server of somebody else's. Here it is sent without that link: the fonts of the machine do. */
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
