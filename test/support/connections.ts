import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { videoClient } from '../../sandbox/tokens.ts';
import type { App } from './app.ts';
import type { Body, Tenant } from './product.ts';

const unique = () => randomUUID().slice(0, 8);

/** Credentials that the sandbox takes, of an account of their own each time. */
export const freshCredentials = {
  google: (account = `calendar${unique()}`) => ({ refresh_token: `sandbox-refresh-token-${account}` }),
  zoom: () => ({ account_id: `video${unique()}`, client_id: videoClient.id, client_secret: videoClient.secret }),
};

type Made = { tenant?: Tenant; body?: object };

export async function connectCalendar(app: App, { tenant = app.tenant, body = {} }: Made = {}): Promise<Body> {
  const reply = await app.call('connections.create', {
    key: tenant.key,
    body: { provider: 'google', credentials: freshCredentials.google(), ...body },
  });
  expect(reply.status).toBe(201);
  return reply.body;
}
