import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { calendarRouter } from './calendar/router.ts';
import { controlRouter } from './control/router.ts';
import { showRates } from './exchange-rates.ts';
import { graphRouter } from './graph/router.ts';
import { oauthRouter } from './oauth/router.ts';
import type { SandboxOptions } from './options.ts';
import { payPage } from './payments/pay-page.ts';
import { stripeRouter } from './payments/stripe-router.ts';
import { xenditRouter } from './payments/xendit-router.ts';
import { shipperRouter } from './shipper/router.ts';
import { State } from './state.ts';
import { videoRouter } from './video/router.ts';

export interface Sandbox {
  /** Resolves to the port, which port 0 leaves to the system. */
  listen(port: number, host?: string): Promise<number>;
  /** At once: open requests are cut off and waiting webhooks are given up. */
  close(): Promise<void>;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const state = new State(options);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use('/_control', controlRouter(state, options.allowedHosts ?? []));
  app.get('/exchange-rates.xml', showRates);
  app.use(oauthRouter(state));
  app.use('/shipper', shipperRouter(state));
  app.use('/calendar/v3', calendarRouter(state));
  app.use('/video/v2', videoRouter(state));
  app.use('/xendit', xenditRouter(state));
  app.use('/v1', stripeRouter(state));
  app.use('/pay', payPage(state));
  app.use(graphRouter(state));
  const server = createServer(app);
  // Longer than any client keeps an idle connection, so that it never picks one that is just being closed.
  server.keepAliveTimeout = 75_000;

  return {
    listen: (port, host = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, state.webhooks.close(), state.callbacks.close()]);
    },
  };
}
