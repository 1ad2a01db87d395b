import { expect, test } from '@jest/globals';
import { describeConsole, expectCalm, heading, hostile } from '../support/console.ts';
import { person } from '../support/factories/person.ts';
import { storedDeliveries } from '../support/stored/webhooks.ts';

describeConsole('/console', (at) => {
  test('a failed delivery is found, its reason read, and it is replayed until it succeeds', async () => {
    const visit = await at.openIn();
    const { page } = visit;
    await heading(visit, 'Webhook endpoints').waitFor();
    expect(await page.getByText(hostile).count()).toBe(1);
    await page.getByRole('link', { name: at.receiver.url }).click();
    await heading(visit, at.receiver.url).waitFor();
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
    expect(at.receiver.received.map(({ body }) => body.type)).toEqual(['message.sent']);
    expectCalm(at, visit);
  });

  test('a wrong password is said, and what was written stays; nobody who is logged out sees anything', async () => {
    const visit = await at.open(`#/deliveries/${at.deliveryId}`);
    const { page } = visit;
    await page.getByLabel('Email').fill(at.who.email);
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('alert')
      .getByText(/password/i)
      .waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(at.who.email);
    await at.logIn(visit);
    // The address led on to where the link pointed.
    await heading(visit, 'Delivery of message.sent').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await heading(visit, 'Log in').waitFor();
    expect(await page.getByText('message.sent').count()).toBe(0);
    expectCalm(at, visit);
  });

  test('the keyboard alone is enough, from the log-in to the replay', async () => {
    const visit = await at.open();
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
    await page.keyboard.type(at.who.email);
    await tabTo('password');
    await page.keyboard.type(at.who.password);
    await press('Enter');
    await page.getByRole('link', { name: at.receiver.url }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await tabTo('Skip to the content');
    await press('Enter');
    expect(await focused()).toBe('Webhook endpoints');
    await tabTo(at.receiver.url);
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
    expectCalm(at, visit);
  });

  test('an event shows its body and the story of each endpoint', async () => {
    const { event_id: eventId } = await storedDeliveries.one(at.app, at.deliveryId);
    const visit = await at.openIn(`#/events/${eventId}`);
    const { page } = visit;
    await page.getByRole('region', { name: 'Body' }).getByText('"type": "message.sent"').waitFor();
    const row = page.getByRole('region', { name: 'Its deliveries' }).getByRole('row', { name: new RegExp(at.receiver.url) });
    await row.getByText('HTTP 503').waitFor();
    await row.getByRole('button', { name: `Replay: ${at.receiver.url}` }).click();
    await row.getByText('succeeded').waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    await heading(visit, 'Events').waitFor();
    await page.getByRole('table').getByRole('link', { name: 'message.sent' }).waitFor();
    expectCalm(at, visit);
  });

  test('an endpoint is disabled and enabled again', async () => {
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    for (const [label, said] of [
      ['Disable', 'The endpoint is disabled.'],
      ['Enable', 'The endpoint is enabled.'],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('status').getByText(said).waitFor();
    }
    expectCalm(at, visit);
  });

  test('a key is made, shown once, and revoked', async () => {
    const visit = await at.openIn('#/keys');
    const { page } = visit;
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Name').fill(hostile);
    await page.getByLabel('messages:read').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('textbox', { name: `The key ${hostile}` });
    const key = await shown.inputValue();
    expect((await at.app.raw('GET', '/v1/messages', { key })).status).toBe(200);
    await page.getByRole('button', { name: `Revoke…: ${hostile}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('row', { name: hostile }).getByText('revoked').waitFor();
    expect((await at.app.raw('GET', '/v1/messages', { key })).status).toBe(401);
    await page.reload();
    await page.getByRole('row', { name: hostile }).waitFor();
    expect(await shown.count()).toBe(0);
    expectCalm(at, visit);
  });

  test('who may not see webhooks is not offered them', async () => {
    at.who = await person(at.app.em(), at.tenant.organizationId, 'agent');
    const visit = await at.openIn(`#/deliveries/${at.deliveryId}`);
    await heading(visit, 'Your role (agent) may not see this').waitFor();
    const offered = await visit.page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(offered).toEqual(['Messages', 'Campaigns', 'Rules', 'Runs of rules', 'Operations']);
    expectCalm(at, visit);
  });
});
