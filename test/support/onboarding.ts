import { expect } from '@jest/globals';
import type { WorkStep } from '../../src/onboarding/onboarding.entity.ts';
import type { App, Body, Reply, Tenant } from './app.ts';

export type NewNumber = { phoneNumberId: string; wabaId: string; accessToken: string; code: string };
type Asked = { tenant?: Tenant; prefer?: string; pin?: string; headers?: Record<string, string> };

export const pin = '246813';

/** What a client does about a number that comes through the embedded signup. */
export function onboarding(app: App) {
  const codeFor = async (phoneNumberId: string, more: object = {}): Promise<string> =>
    (await app.control('POST', '/codes', { phone_number_id: phoneNumberId, ...more })).code;

  /** Its account hears of nothing and its number sends nothing before. */
  async function newNumber(more: object = {}): Promise<NewNumber> {
    const account = await app.account({ subscribed: false, registered: false, ...more });
    return { ...account, code: await codeFor(account.phoneNumberId) };
  }

  async function start(tenant: Tenant = app.tenant, body: object = {}): Promise<string> {
    const reply = await app.call('onboarding.start', { key: tenant.key, body });
    expect(reply.status).toBe(201);
    return reply.body.id;
  }

  function ask(step: WorkStep, id: string, number: NewNumber, options: Asked = {}): Promise<Reply> {
    const { tenant = app.tenant, prefer = 'wait=20', pin: digits = pin } = options;
    const call = { key: tenant.key, params: { progressID: id }, headers: { prefer, ...options.headers } };
    const { code, phoneNumberId: phone_number_id, wabaId: waba_id } = number;
    if (step === 'exchange_token') return app.call('onboarding.exchange-token', { ...call, body: { code } });
    if (step === 'register_phone') return app.call('onboarding.register-phone', { ...call, body: { pin: digits } });
    if (step === 'sync_assets') return app.call('onboarding.sync-assets', call);
    return app.call('onboarding.subscribe-webhook', { ...call, body: { phone_number_id, progress_id: id, waba_id } });
  }

  /** Done up to and with these steps, in this order. */
  async function through(id: string, number: NewNumber, ...steps: WorkStep[]): Promise<Body> {
    let last: Body;
    for (const step of steps) {
      const { status, body } = await ask(step, id, number);
      expect([step, status]).toEqual([step, 200]);
      last = body;
    }
    return last;
  }

  const read = async (id: string, tenant: Tenant = app.tenant): Promise<Body> =>
    (await app.call('onboarding.get', { key: tenant.key, params: { progressID: id } })).body;

  const stored = (id: string): Promise<Body> => app.one('select * from onboardings where id = $1', [id]);

  /** The answers to the next calls of a path at the provider. */
  const fault = (path: string, what: object) => app.control('POST', '/faults', { kind: 'status', match: { path }, ...what });

  const calls = async (path: string, method = 'POST'): Promise<number> =>
    (await app.control('GET', `/requests?method=${method}&path=${path}`)).requests.length;

  return { codeFor, newNumber, start, ask, through, read, stored, fault, calls };
}
