import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { storedOrganizations } from '../support/stored/accounts.ts';

const app = useApp();
const token = 'kt_one+time/token';
const password = 'correct horse battery';

const joined = { organization_id: 'o', organization_name: 'Ada & $& Co', user_id: 'u', role: 'agent' };

type Answer = { status: number; body?: object };
const inviting: Answer = { status: 200, body: { organization_name: joined.organization_name } };
type Asked = { path: string; body: unknown; cookie?: string };

describeInBrowser('the pages of mails', (visitor) => {
  /** Opens a page; the endpoint it calls gives these answers, one after the other. */
  async function open(
    path: string,
    answers: Answer[] = [],
    { lookUp = inviting, ...options }: { lookUp?: Answer | 'none'; colorScheme?: 'light' | 'dark' } = {},
  ): Promise<Visit & { asked: Asked[]; lookedUp: unknown[] }> {
    const visit = await visitor.visit(options);
    const asked: Asked[] = [];
    const lookedUp: unknown[] = [];
    await visit.page.route('**/v1/**', (route) => {
      const request = route.request();
      if (request.url() === `${app.base}/v1/invitations/look-up`) {
        lookedUp.push([request.postDataJSON(), request.headers().cookie]);
        return lookUp === 'none' ? route.abort() : route.fulfill({ status: lookUp.status, json: lookUp.body });
      }
      asked.push({ path: new URL(request.url()).pathname, body: request.postDataJSON(), cookie: request.headers().cookie });
      const answer = answers.shift();
      return answer ? route.fulfill({ status: answer.status, json: answer.body }) : route.abort();
    });
    await visit.page.goto(app.base + path);
    return { ...visit, asked, lookedUp };
  }
  const link = (page: string) => `/${page}#token=${encodeURIComponent(token)}`;
  const refusal = (status: number, message: string, details: object[] = []): Answer => ({
    status,
    body: { error: { code: 'invalid_request', message, details, request_id: 'r' } },
  });
  /** The browser itself says in red that a reply was an error, or that none came. */
  const ownComplaints = ({ complaints }: Visit) => complaints.filter((one) => !one.startsWith('Failed to load resource'));
  const expectCalm = (visit: Visit) => {
    expect(ownComplaints(visit)).toEqual([]);
    expect(new Set(visit.requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
    expect(visit.requests.filter((url) => new URL(url).search !== '')).toEqual([]);
  };

  test('an invitation makes an account: name, password, done; the token leaves the address', async () => {
    const visit = await open(link('invitation'), [{ status: 200, body: joined }]);
    const { page, asked } = visit;
    expect(await page.title()).toBe('Accept your invitation – Kanal');
    expect(page.url()).toBe(`${app.base}/invitation`);
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe('new-password');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('status').getByText('You have joined Ada & $& Co. You can sign in now.').waitFor();
    expect(
      await page.getByRole('link').evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href)),
    ).toEqual([`${app.base}/console`, `${app.base}/docs`, `${app.base}/`]);
    expect(asked).toEqual([{ path: '/v1/invitations/accept', body: { token, name: 'Ada Lovelace', password } }]);
    expect(await page.locator('form').isHidden()).toBe(true);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await page.goBack().catch(() => undefined);
    expect(page.url()).not.toContain('token');
    expectCalm(visit);
  });

  test('an invitation names its organization before anything is typed, as text', async () => {
    const name = '<img src=x onerror=alert(1)> & Söhne';
    const visit = await open(link('invitation'), [{ status: 200, body: joined }], {
      lookUp: { status: 200, body: { organization_name: name } },
    });
    const { page, asked, lookedUp } = visit;
    await page.getByText(`You are invited to join ${name}.`).waitFor();
    expect([await page.locator('img').count(), lookedUp, asked]).toEqual([0, [[{ token }, undefined]], []]);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('You have joined').waitFor();
    expect(await page.getByText('You are invited').isHidden()).toBe(true);
    expectCalm(visit);
  });

  test('an invitation that is not open says so in place of the form, and where to go', async () => {
    const visit = await open(link('invitation'), [], { lookUp: refusal(422, 'The request is not valid') });
    const { page } = visit;
    await page.getByRole('alert').getByText('This invitation is not open').waitFor();
    expect([await page.locator('form').isHidden(), await page.getByText('You are invited').isHidden()]).toEqual([true, true]);
    expect(await page.getByRole('link').count()).toBe(3);
    expectCalm(visit);
  });

  test.each([
    ['too many looks', refusal(429, 'Too many attempts')],
    ['no answer', 'none' as const],
  ])('without the name (%s) the invitation is accepted all the same', async (_why, lookUp) => {
    const visit = await open(link('invitation'), [{ status: 200, body: joined }], { lookUp });
    const { page } = visit;
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('You have joined Ada & $& Co.').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('');
    expectCalm(visit);
  });

  test('the real endpoint answers the page: the organization of the link, and one that is not open', async () => {
    const { organizationId, key } = await app.organization();
    await storedOrganizations.change(app, organizationId, { name: 'Harbour & Sons' });
    const body = { email: 'guest@example.com', role: 'viewer' };
    const { body: made } = await app.call('invitations.create', { key, body });
    const visit = await visitor.visit();
    await visit.page.goto(`${app.base}/invitation#token=${made.token}`);
    await visit.page.getByText('You are invited to join Harbour & Sons.').waitFor();
    await visit.page.evaluate(`location.hash = 'token=unknown'`);
    await visit.page.getByRole('alert').getByText('This invitation is not open').waitFor();
    expectCalm(visit);
  });

  test('with an account of one’s own the name is left out and a short password goes through', async () => {
    const visit = await open(link('invitation'), [{ status: 200, body: joined }]);
    const { page, asked } = visit;
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('I already have an account').check();
    expect(await page.getByLabel('Your name').isHidden()).toBe(true);
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe('current-password');
    await page.getByLabel('Password', { exact: true }).fill('old one');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('You have joined Ada & $& Co.').waitFor();
    expect(asked.map(({ body }) => body)).toEqual([{ token, password: 'old one' }]);
    expectCalm(visit);
  });

  test('a refusal stands at its field, which has the focus; what is of no field stands below; then it can be tried again', async () => {
    const visit = await open(link('reset-password'), [
      refusal(422, 'The request is not valid', [{ field: 'new_password', code: 'weak', message: 'is <b>too common</b>' }]),
      refusal(422, 'The request is not valid', [{ field: 'token', code: 'expired', message: 'This link is too old' }]),
      refusal(429, 'Too many requests'),
      { status: 502 },
      { status: 200, body: { message: 'ok' } },
    ]);
    const { page, asked } = visit;
    const field = page.getByLabel('New password');
    const button = page.getByRole('button', { name: 'Set the password' });
    await field.fill(password);
    await button.click();
    await page.locator('#new_password-error').getByText('is <b>too common</b>').waitFor();
    expect([await field.getAttribute('aria-invalid'), await page.getByRole('alert').innerText()]).toEqual(['true', '']);
    expect(await page.evaluate('document.activeElement.id')).toBe('new_password');
    for (const problem of ['This link is too old', 'Too many requests', 'That did not work (502). Please try again later.']) {
      await button.click();
      await page.getByRole('alert').getByText(problem).waitFor();
      expect(await field.getAttribute('aria-invalid')).toBeNull();
    }
    await button.click();
    await page.getByRole('status').getByText('Your password is set.').waitFor();
    expect(asked).toHaveLength(5);
    expect(asked[4]).toEqual({ path: '/v1/auth/password-reset/confirm', body: { token, new_password: password } });
    expectCalm(visit);
  });

  test('a server that cannot be reached loses nothing of what was written', async () => {
    const visit = await open(link('reset-password'));
    const { page } = visit;
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(password);
    expect(ownComplaints(visit)).toEqual([]);
  });

  test('what the page itself can see is not asked: an empty name, a short password', async () => {
    const { page, asked } = await open(link('invitation'));
    await page.getByLabel('Password', { exact: true }).pressSequentially('short');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    expect(await page.locator('input:invalid').count()).toBe(1);
    expect(asked).toEqual([]);
  });

  test('the password can be looked at', async () => {
    const { page } = await open(link('reset-password'));
    await page.getByLabel('Show the password').check();
    expect(await page.getByLabel('New password').getAttribute('type')).toBe('text');
    await page.getByLabel('Show the password').uncheck();
    expect(await page.getByLabel('New password').getAttribute('type')).toBe('password');
  });

  test('without a token there is no form; a link opened in the same tab brings it', async () => {
    const visit = await open('/invitation');
    const { page, asked } = visit;
    await page.getByRole('alert').getByText('This link is not complete').waitFor();
    expect(await page.locator('form').isHidden()).toBe(true);
    expect(await page.getByRole('link').count()).toBe(0);
    await page.evaluate(`location.hash = 'token=another'`);
    await page.getByLabel('Your name').waitFor();
    expect([page.url(), await page.getByRole('alert').innerText(), asked]).toEqual([`${app.base}/invitation`, '', []]);
    expectCalm(visit);
  });

  test.each(['light', 'dark'] as const)('is readable on %s', async (colorScheme) => {
    const { page } = await open(link('invitation'), [], { colorScheme });
    const luminance = async (selector: string, property: string) => {
      const read = `getComputedStyle(document.querySelector('${selector}'))['${property}']`;
      const [r = 0, g = 0, b = 0] = (await page.evaluate<string>(read)).match(/\d+/g)!.map((digits) => {
        const share = Number(digits) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const ground = await luminance('main', 'backgroundColor');
    expect(ground > 0.5).toBe(colorScheme === 'light');
    // WCAG 2.2, AA for text.
    for (const selector of ['h1', '.hint', '.error'])
      expect([selector, contrast(await luminance(selector, 'color'), ground) >= 4.5]).toEqual([selector, true]);
    expect(contrast(await luminance('button', 'color'), await luminance('button', 'backgroundColor'))).toBeGreaterThan(4.5);
  });
});
