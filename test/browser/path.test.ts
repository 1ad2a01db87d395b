import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { describeInBrowser } from '../support/browser.ts';

const app = useApp({ workers: true });
const person = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery' };

/** One way through all pages for members; `*.deep.test.ts` has the rest of each page. */
describeInBrowser('Kanal', (visitor) => {
  test('a person accepts an invitation, logs in, finds a message in the list and reads its story', async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const messageId = String((await app.text(channel, phone)).body.data.id);
    await app.messageIn(messageId, 'read');
    const { body: invitation } = await app.call('invitations.create', { body: { email: person.email, role: 'owner' } });

    const { page, requests, complaints } = await visitor.visit();
    await page.goto(`${app.base}/invitation#token=${invitation.token}`);
    await page.getByLabel('Your name').fill(person.name);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('status').getByText('You can sign in now.').waitFor();
    expect(page.url()).toBe(`${app.base}/invitation`);

    await page.goto(`${app.base}/console`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Messages' }).click();
    const row = page.getByRole('table', { name: 'Messages, newest first' }).getByRole('row', { name: new RegExp(phone) });
    await row.getByText('read').waitFor();
    await row.getByRole('link').click();
    const story = page.getByRole('region', { name: 'What happened' });
    for (const name of ['Kanal accepted it', 'Try 1 at the provider accepted', 'The provider says: read'])
      await story.getByRole('heading', { name }).waitFor();
    expect(page.url()).toBe(`${app.base}/console#/messages/${messageId}`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    expect(await story.count()).toBe(0);

    // Chromium itself reports the 401 before the log-in.
    expect(complaints.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
  });
});
