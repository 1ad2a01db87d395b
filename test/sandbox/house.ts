import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { demoAccount } from '../../sandbox/demo-account.ts';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { Receiver } from './receiver.ts';

export const phoneNumberId = '100000000000001';
export const wabaId = '200000000000001';
export const token = 'sandbox-access-token';
export const user = '16505551234';

export interface Answer {
  status: number;
  headers: Headers;
  body: ReturnType<typeof JSON.parse>;
}

/** A sandbox and its receiver for the tests of one file; each test finds both empty. */
export class House {
  sandbox!: Sandbox;
  readonly receiver = new Receiver();
  url = '';

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  control(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask('POST', `/_control/${path}`, body, headers);
  }

  send(message: object): Promise<Answer> {
    return this.ask('POST', `/v23.0/${phoneNumberId}/messages`, { messaging_product: 'whatsapp', to: `+${user}`, ...message });
  }

  text(body = 'hi', rest: object = {}): Promise<Answer> {
    return this.send({ type: 'text', text: { body }, ...rest });
  }

  /** A file at the provider, and its id. */
  async upload(type = 'image/png', bytes = 'not really a picture'): Promise<string> {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob([bytes], { type }));
    const path = `${this.url}/v23.0/${phoneNumberId}/media`;
    const response = await fetch(path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form });
    return ((await response.json()) as { id: string }).id;
  }

  async openWindow(wa_id = user): Promise<void> {
    await this.control('inbound', { phone_number_id: phoneNumberId, message: { text: { body: 'hello' } }, contact: { wa_id } });
    await this.settled();
    this.receiver.received.length = 0;
  }

  /** Until nothing is scheduled, waiting or in flight. */
  async settled(): Promise<void> {
    while ((await this.get('/_control/stats')).body.pending_webhooks > 0) await sleep(5);
  }
}

export function useHouse(options: SandboxOptions = {}): House {
  const house = new House();
  beforeAll(async () => {
    await house.receiver.open();
    const accounts = [{ ...demoAccount, flows: [] }];
    house.sandbox = createSandbox({ webhookUrl: house.receiver.url, accounts, ...options });
    house.url = `http://127.0.0.1:${await house.sandbox.listen(0)}`;
  });
  beforeEach(async () => {
    await house.control('behaviour', { delay_ms: 5 });
  });
  afterEach(async () => {
    await house.ask('DELETE', '/_control');
    house.receiver.received.length = 0;
    house.receiver.answers = [];
  });
  afterAll(async () => {
    await house.sandbox.close();
    await house.receiver.close();
  });
  return house;
}
