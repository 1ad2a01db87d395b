import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const linksOf = (html: string) => [...html.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path!);

describe('with an operator', () => {
  const app = useApp({ env: { OPERATOR_PASSWORD: 'operator password' } });

  test('the front page leads to the documentation, the console, the document, the health and the queues', async () => {
    const reply = await fetch(`${app.base}/`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/html/);
    const links = linksOf(await reply.text());
    expect(links).toEqual(['docs', 'console', 'openapi.json', 'readyz', 'ops/queues']);
    const statuses = await Promise.all(links.map(async (path) => (await fetch(`${app.base}/${path}`)).status));
    expect(statuses).toEqual([200, 200, 200, 200, 401]);
  });
});

describe('without an operator', () => {
  const app = useApp();

  test('the front page does not lead to queues that are not shown', async () => {
    expect(linksOf(await (await fetch(`${app.base}/`)).text())).toEqual(['docs', 'console', 'openapi.json', 'readyz']);
  });
});
