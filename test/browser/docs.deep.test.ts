import { expect, test } from '@jest/globals';
import { catalogue } from '../../src/platform/events/catalogue.ts';
import { useApp } from '../support/app.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { definitions } from '../support/contract.ts';

const app = useApp();
const events = 'events';

describeInBrowser('/docs', (visitor) => {
  const open = async (address = '/docs', options = {}): Promise<Visit> => {
    const visit = await visitor.visit(options);
    await visit.page.goto(app.base + address);
    await visit.page.locator('.opblock-tag').first().waitFor();
    return visit;
  };
  /** Opens the part, or closes it. Events have none of their own. */
  async function toggle({ page }: Visit, tag: string) {
    await page.evaluate('scrollTo(0, 0)');
    if (tag !== events) await page.locator(`.opblock-tag[data-tag="${tag}"]`).dispatchEvent('click');
  }
  const operation = ({ page }: Visit, method: string, path: string) =>
    page
      .locator('.opblock', { has: page.locator(`.opblock-summary-path[data-path="${path}"]`) })
      .and(page.locator(`.opblock-${method}`));

  /** Goes down the page until something is there, or to its end; once more from its top, which is cheap, and parts are drawn late. */
  async function goDown({ page }: Visit, isThere: () => Promise<boolean>) {
    for (let ends = 0; ends < 2; ) {
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      if (await isThere()) return;
      const place = await page.evaluate('scrollY');
      await page.evaluate('scrollBy(0, innerHeight * 0.8)');
      if ((await page.evaluate('scrollY')) !== place) continue;
      ends += 1;
      await page.evaluate('scrollTo(0, 0)');
    }
  }
  async function find(visit: Visit, method: string, path: string) {
    const found = operation(visit, method, path);
    await goDown(visit, async () => (await found.count()) > 0);
    await found.scrollIntoViewIfNeeded();
    return found;
  }

  test('shows the operations of a part and every event, opens one of each, and asks nobody but this server', async () => {
    // So tall that few steps lead down a part: the page draws only what is in sight.
    const visit = await open('/docs', { viewport: { width: 1280, height: 20_000 } });
    const { page, requests, complaints } = visit;
    expect(await page.title()).toBe('Kanal API reference');
    const wanted = [
      ...definitions.map(({ method, path, summary, tag }) => ({ tag, method, path: path.replace(/:(\w+)/g, '{$1}'), summary })),
      ...catalogue.map(({ type, description }) => ({ tag: events, method: 'post', path: type, summary: description })),
    ];
    const shown = new Set<string>();
    const inSight = () =>
      page
        .locator('.opblock')
        .evaluateAll((blocks) =>
          blocks.map((block) =>
            ['method', 'path', 'description'].map((part) =>
              block.querySelector(`.opblock-summary-${part}`)?.textContent?.replace(/\u200b/g, ''),
            ),
          ),
        );
    // A few parts: Chromium takes minutes for all of them, and what the document has is the subject of openapi.test.ts.
    const parts = [...Map.groupBy(wanted, ({ tag }) => tag)].filter(([tag]) =>
      ['Messages', 'Contacts', 'Flows', events].includes(tag),
    );
    expect(parts).toHaveLength(4);
    for (const [tag, operations] of parts) {
      const names = operations.map(({ method, path, summary }) => String([method.toUpperCase(), path, summary]));
      await toggle(visit, tag);
      await goDown(visit, async () => {
        for (const each of await inSight()) shown.add(String(each));
        return names.every((name) => shown.has(name));
      });
      await page.evaluate('scrollTo(0, 0)');
      const { method, path } = operations[0]!;
      const block = await find(visit, method, path);
      await block.locator('.opblock-summary-control').dispatchEvent('click');
      await block.locator('.responses-table').first().waitFor();
      if (path === '/v1/messages') expect(await block.innerText()).toContain('Your order is on its way');
      await toggle(visit, tag);
    }
    const documented = parts.flatMap(([, operations]) =>
      operations.map(({ method, path, summary }) => [method.toUpperCase(), path, summary]),
    );
    expect([...shown].sort()).toEqual(documented.map(String).sort());
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
    await toggle(visit, 'Channels');
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
    await page.locator('.opblock-tag').first().waitFor();
    await page.locator('.auth-wrapper .btn.authorize.locked').first().waitFor();
    expect(await isAuthorized(await open())).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('begins with its parts alone, and a link leads to an operation far down', async () => {
    const tags = new Set(definitions.map(({ tag }) => tag));
    const { page } = await open();
    expect(await page.locator('.opblock-tag').count()).toBe(tags.size);
    expect(await page.locator('.opblock-tag[data-is-open=true]').count()).toBe(0);
    const linked = await open('/docs#/Commerce/commerce.orders.create');
    const block = operation(linked, 'post', '/v1/commerce/orders');
    await block.locator('.responses-table').first().waitFor();
    expect(await block.innerText()).toContain('Create an order');
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
