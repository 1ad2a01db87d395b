import { expect, test } from '@jest/globals';
import { catalogue } from '../../src/platform/events/catalogue.ts';
import { useApp } from '../support/app.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { definitions } from '../support/contract.ts';

const app = useApp();

describeInBrowser('/docs', (visitor) => {
  const open = async (address = '/docs', options = {}): Promise<Visit> => {
    const visit = await visitor.visit(options);
    await visit.page.goto(app.base + address);
    await visit.page.locator('.opblock').first().waitFor();
    return visit;
  };
  const operation = ({ page }: Visit, method: string, path: string) =>
    page
      .locator('.opblock', { has: page.locator(`.opblock-summary-path[data-path="${path}"]`) })
      .and(page.locator(`.opblock-${method}`));

  /** A list of 150 has only what is in sight: goes down the page until something is there, or to its end. */
  async function goDown({ page }: Visit, isThere: () => Promise<boolean>) {
    for (;;) {
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      if (await isThere()) return;
      const place = await page.evaluate('scrollY');
      await page.evaluate('scrollBy(0, innerHeight * 0.8)');
      if ((await page.evaluate('scrollY')) === place) return;
    }
  }
  async function find(visit: Visit, method: string, path: string) {
    const found = operation(visit, method, path);
    const isThere = async () => (await found.count()) > 0;
    await goDown(visit, isThere);
    if (!(await isThere())) {
      await visit.page.evaluate('scrollTo(0, 0)');
      await goDown(visit, isThere);
    }
    await found.scrollIntoViewIfNeeded();
    return found;
  }

  test('shows every operation and every event, opens one of each part, and asks nobody but this server', async () => {
    const visit = await open();
    const { page, requests, complaints } = visit;
    expect(await page.title()).toBe('Kanal API reference');
    const wanted = [
      ...definitions.map(({ method, path, summary, tag }) => ({ tag, method, path: path.replace(/:(\w+)/g, '{$1}'), summary })),
      ...catalogue.map(({ type, description }) => ({ tag: 'events', method: 'post', path: type, summary: description })),
    ];
    const shown = new Set<string>();
    await goDown(visit, async () => {
      const inSight = await page
        .locator('.opblock')
        .evaluateAll((blocks) =>
          blocks.map((block) =>
            ['method', 'path', 'description'].map((part) =>
              block.querySelector(`.opblock-summary-${part}`)?.textContent?.replace(/\u200b/g, ''),
            ),
          ),
        );
      for (const each of inSight) shown.add(String(each));
      return false;
    });
    const documented = wanted.map(({ method, path, summary }) => [method.toUpperCase(), path, summary]);
    expect([...shown].sort()).toEqual(documented.map(String).sort());
    const oneOfEach = [...Map.groupBy(wanted, ({ tag }) => tag).values()].map(([first]) => first!);
    expect(oneOfEach.length).toBeGreaterThan(6);
    for (const { method, path } of oneOfEach) {
      const block = await find(visit, method, path);
      const control = block.locator('.opblock-summary-control');
      await control.dispatchEvent('click');
      await block.locator('.responses-table').first().waitFor();
      if (path === '/v1/messages') expect(await block.innerText()).toContain('Your order is on its way');
      await control.dispatchEvent('click');
    }
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
    expect(requests.map((url) => new URL(url).pathname)).toContain('/openapi.json');
    expect(complaints).toEqual([]);
  });

  test('a request can be tried with a key', async () => {
    const visit = await open();
    const { page, requests, complaints } = visit;
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container', { hasText: 'apiKeyAuth' }).locator('input').fill(app.tenant.key);
    await page.locator('.auth-container', { hasText: 'apiKeyAuth' }).locator('button[type=submit]').click();
    await page.locator('.auth-btn-wrapper .btn-done').first().click();
    const list = await find(visit, 'get', '/v1/channels');
    await list.locator('.opblock-summary-control').click();
    await list.getByRole('button', { name: 'Try it out' }).click();
    await list.getByRole('button', { name: 'Execute' }).click();
    const answer = list.locator('.live-responses-table');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').last().innerText()).toContain('200');
    expect(await answer.innerText()).toContain('"has_more": false');
    expect(requests.filter((url) => url.includes('/v1/channels'))).toHaveLength(1);

    // The key is there after a reload, and another tab has none.
    const isAuthorized = (of: Visit) => of.page.locator('.auth-wrapper .btn.authorize.locked').count();
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    await page.locator('.auth-wrapper .btn.authorize.locked').first().waitFor();
    expect(await isAuthorized(await open())).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('an address cannot make it show another document', async () => {
    const { requests, complaints } = await open(
      '/docs?url=https://elsewhere.example/openapi.json&configUrl=https://elsewhere.example/c.json',
    );
    expect(requests.filter((url) => new URL(url).origin !== app.base)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('is dark for who prefers it', async () => {
    const { page, complaints } = await open('/docs', { colorScheme: 'dark' });
    expect(await page.locator('html').getAttribute('class')).toContain('dark-mode');
    expect(complaints).toEqual([]);
  });
});
