import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { type App, type Tenant, useApp } from './app.ts';
import { describeInBrowser, type Visit } from './browser.ts';
import { deliveries } from './factories/deliveries.ts';
import { type Person, person } from './factories/person.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Data that would do harm if it became markup. */
export const hostile = '<img src=x onerror=alert(1)>';

/** Each test has an organization with a person, an endpoint and a delivery whose tries are spent. */
export type Console = {
  app: App;
  receiver: Receiver;
  tenant: Tenant;
  who: Person;
  endpointId: string;
  deliveryId: string;
  /** Deliveries whose tries are spent, the last one with a reason. */
  failed(count: number): Promise<string[]>;
  open(hash?: string, options?: BrowserContextOptions): Promise<Visit>;
  logIn(visit: Visit): Promise<void>;
  /** Open and logged in. */
  openIn(hash?: string, options?: BrowserContextOptions): Promise<Visit>;
};

export const heading = ({ page }: Visit, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

export function describeConsole(subject: string, suite: (at: Console) => void) {
  const at = { app: useApp({ workers: true }) } as Console;
  beforeAll(async () => {
    at.receiver = await startReceiver();
  });
  afterAll(() => at.receiver.close());
  beforeEach(async () => {
    const { app, receiver } = at;
    receiver.received.length = 0;
    receiver.answer({ status: 200 });
    at.tenant = await app.organization();
    at.who = await person(app.em(), at.tenant.organizationId);
    const body = { url: receiver.url, event_types: ['message.sent'], description: hostile };
    at.endpointId = (await app.call('webhooks.endpoints.create', { key: at.tenant.key, body })).body.id;
    [at.deliveryId] = (await at.failed(1)) as [string];
  });
  at.failed = async (count) => {
    const { app, tenant, endpointId } = at;
    const ids = await deliveries((text, params) => app.rows(text, params), { ...tenant, endpointId }, { count });
    await app.rows(
      `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error, phase, response_head)
       select uuidv7(), $1, id, $2, 10, 503, 41, 'http', 'HTTP 503', 'response', $4
         from unnest($3::uuid[]) id`,
      [tenant.organizationId, endpointId, ids, `HTTP/1.1 503 Service Unavailable\nx-why: ${hostile}\n\nmaintenance`],
    );
    return ids;
  };
  describeInBrowser(subject, (visitor) => {
    at.open = async (hash = '', options = {}) => {
      const visit = await visitor.visit(options);
      visit.page.setDefaultTimeout(10_000);
      await visit.page.goto(`${at.app.base}/console${hash}`);
      return visit;
    };
    at.logIn = async ({ page }) => {
      await page.getByLabel('Email').fill(at.who.email);
      await page.getByLabel('Password').fill(at.who.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Log out' }).waitFor();
    };
    at.openIn = async (hash, options) => {
      const visit = await at.open(hash, options);
      await at.logIn(visit);
      return visit;
    };
    suite(at);
  });
}

/** The browser itself says in red that a reply was an error: that of who is not logged in yet. */
export function expectCalm({ app }: Console, { complaints, requests }: Visit) {
  expect(complaints.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
  expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
}
