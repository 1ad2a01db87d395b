import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Tenant, useApp } from '../support/app.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { deliveries } from '../support/factories/deliveries.ts';
import { type Person, person } from '../support/factories/person.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const app = useApp({ workers: true });
const hostile = '<img src=x onerror=alert(1)>';
let receiver: Receiver;
let tenant: Tenant;
let who: Person;
let endpointId: string;
let deliveryId: string;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer({ status: 200 });
  tenant = await app.organization();
  who = await person(app.em(), tenant.organizationId);
  const body = { url: receiver.url, event_types: ['message.sent'], description: hostile };
  endpointId = (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
  [deliveryId] = (await failed(1)) as [string];
});

/** Deliveries whose tries are spent, the last one with a reason. */
async function failed(count: number): Promise<string[]> {
  const ids = await deliveries((text, params) => app.rows(text, params), { ...tenant, endpointId }, { count });
  await app.rows(
    `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error, phase, response_head)
     select uuidv7(), $1, id, $2, 10, 503, 41, 'http', 'HTTP 503', 'response', $4
       from unnest($3::uuid[]) id`,
    [tenant.organizationId, endpointId, ids, `HTTP/1.1 503 Service Unavailable\nx-why: ${hostile}\n\nmaintenance`],
  );
  return ids;
}

describeInBrowser('/console', (visitor) => {
  async function open(hash = '', options = {}): Promise<Visit> {
    const visit = await visitor.visit(options);
    visit.page.setDefaultTimeout(10_000);
    await visit.page.goto(`${app.base}/console${hash}`);
    return visit;
  }
  async function logIn({ page }: Visit) {
    await page.getByLabel('Email').fill(who.email);
    await page.getByLabel('Password').fill(who.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
  }
  async function openIn(hash = '', options = {}): Promise<Visit> {
    const visit = await open(hash, options);
    await logIn(visit);
    return visit;
  }
  const heading = ({ page }: Visit, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  /** The browser itself says in red that a reply was an error: that of who is not logged in yet. */
  const expectCalm = ({ complaints, requests }: Visit) => {
    expect(complaints.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
  };
  const overflow = ({ page }: Visit) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  test('a failed delivery is found, its reason read, and it is replayed until it succeeds', async () => {
    const visit = await openIn();
    const { page } = visit;
    await heading(visit, 'Webhook endpoints').waitFor();
    expect(await page.getByText(hostile).count()).toBe(1);
    await page.getByRole('link', { name: receiver.url }).click();
    await heading(visit, receiver.url).waitFor();
    await page.getByRole('search').getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/state=failed/);
    const row = page.getByRole('row', { name: /message\.sent/ });
    await row.getByText('HTTP 503').waitFor();
    await row.getByRole('link', { name: 'message.sent' }).click();
    await heading(visit, 'Delivery of message.sent').waitFor();
    const attempts = page.getByRole('region', { name: /Attempts/ });
    await attempts.getByText('http: HTTP 503').waitFor();
    await attempts.getByText('What the endpoint answered').click();
    await attempts.getByText(`x-why: ${hostile}`).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('status').getByText('Delivered: the endpoint answered 200.').waitFor();
    await attempts.getByRole('heading', { name: 'Attempt 11 succeeded' }).waitFor();
    await attempts.getByText('replay', { exact: true }).waitFor();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['message.sent']);
    expectCalm(visit);
  });

  test('a wrong password is said, and what was written stays; nobody who is logged out sees anything', async () => {
    const visit = await open(`#/deliveries/${deliveryId}`);
    const { page } = visit;
    await page.getByLabel('Email').fill(who.email);
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('alert')
      .getByText(/password/i)
      .waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(who.email);
    await logIn(visit);
    // The address led on to where the link pointed.
    await heading(visit, 'Delivery of message.sent').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await heading(visit, 'Log in').waitFor();
    expect(await page.getByText('message.sent').count()).toBe(0);
    expectCalm(visit);
  });

  test('the keyboard alone is enough, from the log-in to the replay', async () => {
    const visit = await open();
    const { page } = visit;
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim() || document.activeElement.name');
    /** Tabs on until the focus is there: no more than a person would bear. */
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40 && (await focused()) !== name; presses++) await press('Tab');
      expect(await focused()).toBe(name);
    };
    await heading(visit, 'Log in').waitFor();
    await tabTo('email');
    await page.keyboard.type(who.email);
    await tabTo('password');
    await page.keyboard.type(who.password);
    await press('Enter');
    await page.getByRole('link', { name: receiver.url }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await tabTo('Skip to the content');
    await press('Enter');
    expect(await focused()).toBe('Webhook endpoints');
    await tabTo(receiver.url);
    await press('Enter');
    await page.getByRole('link', { name: 'message.sent' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await tabTo('Disable');
    await press('Enter');
    expect(await page.getByRole('dialog', { name: 'Disable this endpoint' }).isVisible()).toBe(true);
    await press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('Disable');
    await tabTo('message.sent');
    await press('Enter');
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    await tabTo('Replay');
    await press('Enter');
    await page.getByRole('status').getByText('Delivered').waitFor();
    expectCalm(visit);
  });

  test('an event shows its body and the story of each endpoint', async () => {
    const { event_id: eventId } = await app.one('select event_id from webhook_deliveries where id = $1', [deliveryId]);
    const visit = await openIn(`#/events/${eventId}`);
    const { page } = visit;
    await page.getByRole('region', { name: 'Body' }).getByText('"type": "message.sent"').waitFor();
    const row = page.getByRole('region', { name: 'Its deliveries' }).getByRole('row', { name: new RegExp(receiver.url) });
    await row.getByText('HTTP 503').waitFor();
    await row.getByRole('button', { name: `Replay: ${receiver.url}` }).click();
    await row.getByText('succeeded').waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    await heading(visit, 'Events').waitFor();
    await page.getByRole('table').getByRole('link', { name: 'message.sent' }).waitFor();
    expectCalm(visit);
  });

  test('an endpoint is disabled and enabled again', async () => {
    const visit = await openIn(`#/endpoints/${endpointId}`);
    const { page } = visit;
    for (const [label, said] of [
      ['Disable', 'The endpoint is disabled.'],
      ['Enable', 'The endpoint is enabled.'],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('status').getByText(said).waitFor();
    }
    expectCalm(visit);
  });

  test('all that failed is recovered, and its operation is seen to its end', async () => {
    await failed(30);
    const visit = await openIn(`#/endpoints/${endpointId}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Recover…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Recover' }).click();
    await heading(visit, 'Operation webhooks.recover').waitFor();
    await page.getByText('31 done').waitFor();
    await page.getByText('succeeded', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('table').getByRole('link', { name: 'webhooks.recover' }).waitFor();
    expectCalm(visit);
  });

  test('a message shows what became of it, its webhooks too', async () => {
    const channel = await app.connect({ tenant });
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone)).body.data;
    await app.messageIn(id, 'read');
    const visit = await openIn(`#/messages/${id}`);
    const story = visit.page.getByRole('region', { name: 'What happened' });
    await story.getByRole('heading', { name: 'Kanal accepted it and queued it' }).waitFor();
    await story.getByRole('heading', { name: 'The provider says: read' }).waitFor();
    const sent = story.getByRole('listitem').filter({ has: visit.page.getByRole('heading', { name: 'The provider took it' }) });
    expect(await sent.getByRole('link', { name: receiver.url }).count()).toBe(1);
    expectCalm(visit);
  });

  test('a key is made, shown once, and revoked', async () => {
    const visit = await openIn('#/keys');
    const { page } = visit;
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Name').fill(hostile);
    await page.getByLabel('messages:read').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('textbox', { name: `The key ${hostile}` });
    const key = await shown.inputValue();
    expect((await app.raw('GET', '/v1/messages', { key })).status).toBe(200);
    await page.getByRole('button', { name: `Revoke…: ${hostile}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('row', { name: hostile }).getByText('revoked').waitFor();
    expect((await app.raw('GET', '/v1/messages', { key })).status).toBe(401);
    await page.reload();
    await page.getByRole('row', { name: hostile }).waitFor();
    expect(await shown.count()).toBe(0);
    expectCalm(visit);
  });

  test('who may not see webhooks is not offered them', async () => {
    who = await person(app.em(), tenant.organizationId, 'agent');
    const visit = await openIn(`#/deliveries/${deliveryId}`);
    await heading(visit, 'Your role (agent) may not see this').waitFor();
    const offered = await visit.page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(offered).toEqual(['Messages', 'Operations']);
    expectCalm(visit);
  });

  test.each(['', '#/endpoints/:endpoint', '#/deliveries/:delivery', '#/events', '#/messages', '#/operations', '#/keys'])(
    'nothing is wider than a phone of 390 pixels at %j',
    async (hash) => {
      const known = hash.replace(':endpoint', endpointId).replace(':delivery', deliveryId);
      const visit = await openIn(known, { viewport: { width: 390, height: 844 } });
      await visit.page.waitForLoadState('networkidle');
      expect(await overflow(visit)).toBeLessThanOrEqual(0);
      expectCalm(visit);
    },
  );

  test.each(['light', 'dark'] as const)('is %s as the system is', async (colorScheme) => {
    const { page } = await open('', { colorScheme });
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const [red = 0] = ground.match(/\d+/g)!.map(Number);
    expect(red > 127).toBe(colorScheme === 'light');
  });
});
