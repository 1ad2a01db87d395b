import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { controlRouter } from './control/router.ts';
import { graphRouter } from './graph/router.ts';
import type { SandboxOptions } from './options.ts';
import { State } from './state.ts';

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
      await Promise.all([closed, state.webhooks.close()]);
    },
  };
}
