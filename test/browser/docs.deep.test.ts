import { expect, test } from '@jest/globals';
import { catalogue } from '../../src/platform/events/catalogue.ts';
import { useApp } from '../support/app.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { definitions } from '../support/contract.ts';

const app = useApp();
const events = 'events';

type Document = { paths: Record<string, unknown>; webhooks?: object };
const documentOf = async () => (await (await fetch(`${app.base}/openapi.json`)).json()) as Document;
/** Chromium needs minutes of the processor for the 3.5 MB of the whole document. */
const short = ({ paths, ...document }: Document): Document => ({
  ...document,
  webhooks: {},
  paths: { '/v1/channels': paths['/v1/channels'] },
});

describeInBrowser('/docs', (visitor) => {
  const open = async (address = '/docs', options = {}, change?: typeof short): Promise<Visit> => {
    const visit = await visitor.visit(options);
    if (change) await visit.page.route('**/openapi.json', async (route) => route.fulfill({ json: change(await documentOf()) }));
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

  test('a link leads to an operation; it shows every operation and every event, and requests nothing of other servers', async () => {
    // So tall that few steps lead down a part: the page draws only what is in sight.
    const visit = await open('/docs#/Commerce/commerce.orders.create', { viewport: { width: 1280, height: 20_000 } });
    const { page, requests, complaints } = visit;
    expect(await page.title()).toBe('Kanal API reference');
    const linked = operation(visit, 'post', '/v1/commerce/orders');
    await linked.locator('.responses-table').first().waitFor();
    expect(await linked.innerText()).toContain('Create an order');
    await linked.locator('.opblock-summary-control').dispatchEvent('click');
    await toggle(visit, 'Commerce');
    // Its parts alone.
    expect(await page.locator('.opblock-tag').count()).toBe(new Set(definitions.map(({ tag }) => tag)).size);
    expect(await page.locator('.opblock-tag[data-is-open=true]').count()).toBe(0);
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
    const parts = Map.groupBy(wanted, ({ tag }) => tag);
    expect(parts.size).toBeGreaterThan(6);
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
    const documented = wanted.map(({ method, path, summary }) => [method.toUpperCase(), path, summary]);
    expect([...shown].sort()).toEqual(documented.map(String).sort());
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
    expect(requests.map((url) => new URL(url).pathname)).toContain('/openapi.json');
    expect(complaints).toEqual([]);
  });

  test('a request can be tried with a key, which stays after a reload, and which another tab does not have', async () => {
    const visit = await open('/docs', {}, short);
    const { page, requests, complaints } = visit;
    expect(await page.locator('.opblock-tag[data-is-open=true]').count()).toBe(0);
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

    const isAuthorized = (of: Visit) => of.page.locator('.auth-wrapper .btn.authorize.locked').count();
    await page.reload();
    await page.locator('.opblock-tag').first().waitFor();
    await page.locator('.auth-wrapper .btn.authorize.locked').first().waitFor();
    expect(await isAuthorized(await open('/docs', {}, short))).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('an address cannot make it show another document; it is dark for a visitor who prefers that', async () => {
    const { page, requests, complaints } = await open(
      '/docs?url=https://elsewhere.example/openapi.json&configUrl=https://elsewhere.example/c.json',
      { colorScheme: 'dark' },
      short,
    );
    expect(requests.filter((url) => new URL(url).origin !== app.base)).toEqual([]);
    expect(await page.locator('html').getAttribute('class')).toContain('dark-mode');
    expect(complaints).toEqual([]);
  });
});
