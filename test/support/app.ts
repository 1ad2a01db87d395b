import { afterAll, beforeAll, expect } from '@jest/globals';
import { contact } from './factories/contact.ts';
import { conversation } from './factories/conversation.ts';
import { guardNetwork } from './network.ts';
import { type AppOptions, type Body, type Channel, Product, type Tenant } from './product.ts';
import { claimSharing, share, sharedApp } from './shared-app.ts';
import { waitFor } from './wait-for.ts';

export { appSecret, type Body, type Channel, type Reply, type Tenant, verifyToken } from './product.ts';

/** The product, and what tests make of it: accounts, channels, conversations, faults. */
export class App extends Product {
  #numbers = Math.floor(Math.random() * 1e9);

  /** An account of its own at the sandbox, not connected yet. */
  async account(more: object = {}): Promise<Omit<Channel, 'id' | 'tenant'>> {
    this.#numbers += 1;
    const digits = String(this.#numbers).padStart(10, '0');
    const account = {
      waba_id: `2${digits}`,
      phone_number_id: `1${digits}`,
      display_phone_number: `+1${digits}`,
      verified_name: 'Test Business',
      access_token: `token-${digits}`,
      templates: [template('hello', 'APPROVED', `3${digits}`), template('old', 'PAUSED', `4${digits}`)],
      ...more,
    };
    await this.control('POST', '/accounts', account);
    return { phoneNumberId: account.phone_number_id, wabaId: account.waba_id, accessToken: account.access_token };
  }

  /**
   * A connected channel with its own number. Where workers run its first sync is over, which would meet a test's faults, count among its calls, and
   * disable the templates that are stored here alone.
   */
  async connect({
    tenant = this.tenant,
    body = {},
    account: more = {},
  }: {
    tenant?: Tenant;
    body?: object;
    account?: object;
  } = {}): Promise<Channel> {
    const account = await this.account(more);
    const { status, body: made } = await this.call('channels.connect', {
      key: tenant.key,
      body: {
        phone_number_id: account.phoneNumberId,
        waba_id: account.wabaId,
        access_token: account.accessToken,
        rate: 1000,
        ...body,
      },
    });
    expect(status).toBe(201);
    if (this.hasWorkers()) await this.#noneDue(`name = 'templates.sync' and subject_id = '${made.id}'`);
    return { id: made.id, ...account, tenant };
  }

  /** The templates an account has at the sandbox, stored without a worker. */
  async storeTemplates({ id, tenant, phoneNumberId }: Channel) {
    for (const [name, status] of [
      ['hello', 'approved'],
      ['old', 'paused'],
    ])
      await this.rows(
        `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
         values (uuidv7(), $1, $2, $3, $4, 'en_US', 'utility', $5, '[]')
         on conflict on constraint templates_name do nothing`,
        [tenant.organizationId, id, `${name === 'hello' ? 3 : 4}${phoneNumberId.slice(1)}`, name, status],
      );
  }

  /** Contact, conversation and an open window, as an inbound message leaves them. */
  async conversation({ tenant, ...channel }: Channel, phone = this.phone(), lastInbound = 'clock_timestamp()') {
    const who = await contact(this.em(), tenant.organizationId, { phone: `+${phone}`, userId: `US.${phone}` });
    const made = { ...channel, accountId: channel.wabaId, pool: `channel:${channel.id}` };
    const { id } = await conversation(this.em(), tenant.organizationId, { channel: made, contact: who });
    await this.rows(`update conversations set last_inbound_at = ${lastInbound} where id = $1`, [id]);
    return { id, contactId: who.id, phone };
  }

  phone(): string {
    this.#numbers += 1;
    return `1650${String(this.#numbers % 1e7).padStart(7, '0')}`;
  }

  /** A person writes at the sandbox: waits until it is applied. */
  async inbound(channel: Channel, phone: string, text = 'hi'): Promise<void> {
    const { message_id: id } = await this.control('POST', '/inbound', {
      phone_number_id: channel.phoneNumberId,
      message: { type: 'text', text: { body: text } },
      contact: { profile: { name: 'Person' }, wa_id: phone },
    });
    await waitFor('the inbound message', async () => {
      const [row] = await this.rows('select 1 from messages where provider_message_id = $1', [id]);
      return row !== undefined;
    });
  }

  text(channel: Channel, to: string, more: object = {}) {
    const body = { channel_id: channel.id, to: `+${to}`, type: 'text', text: { body: 'Hello' }, ...more };
    return this.call('messages.send', { key: channel.tenant.key, body });
  }

  message = (id: string): Promise<Body> => this.one('select * from messages where id = $1', [id]);
  jobOf = async (subjectId: string): Promise<Body> =>
    (await this.rows('select * from jobs where subject_id = $1', [subjectId]))[0];

  /** Waits for a status that stays: one the sandbox goes on from (`sent`, `delivered`) may be over between two looks. */
  async messageIn(id: string, status: string, withinMs?: number): Promise<Body> {
    return waitFor(
      `message ${status}`,
      async () => {
        const row = await this.message(id);
        if (row.status !== status && (row.status === 'read' || row.status === 'failed'))
          throw new Error(`The message is ${row.status}, not ${status}`);
        return row.status === status ? row : undefined;
      },
      withinMs,
    );
  }

  /** The events of one subject, or of a whole organization, in order. */
  events = (subjectOrOrganization: string): Promise<Body[]> =>
    this.rows('select type, data from events where subject_id = $1 or organization_id = $1 order by seq', [
      subjectOrOrganization,
    ]);

  /** What the provider was asked to send on a channel, oldest first. */
  async sends({ phoneNumberId }: Channel): Promise<Body[]> {
    return (await this.control('GET', `/requests?method=POST&path=${phoneNumberId}/messages`)).requests;
  }

  /** The provider's next answers to sends on a channel, once what was sent before is over: it would meet the fault else. */
  async fault({ id, phoneNumberId }: Channel, fault: object) {
    const ofMessages = `pool is null and subject_id in (select m.id from messages m where m.channel_id = '${id}')`;
    await this.#noneDue(`(pool = 'channel:${id}' or ${ofMessages})`);
    return this.control('POST', '/faults', { kind: 'status', match: { path: `${phoneNumberId}/messages` }, ...fault });
  }

  /** Nothing goes out on a channel until it is let go: what a test does meanwhile comes before the send. */
  hold = ({ id }: Channel) => this.rows(`update pools set held_until = 'infinity' where id = $1`, [`channel:${id}`]);
  letGo = ({ id }: Channel) => this.rows('update pools set held_until = null where id = $1', [`channel:${id}`]);

  /** No work is due any more, but for what a held pool keeps back. Throws with what is left. */
  idle = (withinMs?: number) => this.#noneDue('true', withinMs);

  /** The same, and the sandbox has told all it has to tell: what it told has made no work either. */
  async settled(): Promise<void> {
    await this.idle();
    await waitFor('the webhooks', async () => (await this.control('GET', '/stats')).pending_webhooks === 0);
    await this.idle();
  }

  async #noneDue(which: string, withinMs?: number): Promise<void> {
    let due: { name: string; state: string; attempts: number }[] = [];
    const isIdle = async () => {
      due = await this.rows(
        `select name, state, attempts from jobs j where state in ('queued', 'waiting', 'blocked') and run_at < clock_timestamp() + interval '500 ms'
            and not exists (select from pools p where p.id = j.pool and p.held_until = 'infinity') and ${which}`,
      );
      return due.length === 0;
    };
    await waitFor('the jobs to end', isIdle, withinMs).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(due.slice(0, 10))}`);
    });
  }
}

const template = (name: string, status: string, id: string) => ({
  id,
  name,
  language: 'en_US',
  status,
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
});

/**
 * The application for the tests of a file: the one that its jest worker shares among files with the same options, or with `isOwn` one that
 * starts and stops with the file, for tests that change the process or look at what it has counted.
 */
export function useApp({ isOwn = false, ...options }: AppOptions & { isOwn?: boolean } = {}): App {
  const isShared = !isOwn && claimSharing();
  const running = isShared ? sharedApp(options) : undefined;
  const app = running ?? new App();
  const network = guardNetwork();
  beforeAll(async () => {
    if (running) return running.renew();
    if (isShared) await share(app, options);
    await app.start(options);
  });
  afterAll(async () => {
    if (!isShared) await app.stop();
    network.release();
    expect(network.strangers).toEqual([]);
  });
  return app;
}
