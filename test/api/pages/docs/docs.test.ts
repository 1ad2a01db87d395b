import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openapiDocument } from '../../../../api/openapi.ts';
import { exampleIdOf, exampleIds, examplePhone } from '../../../../src/platform/examples.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { useApp } from '../../../support/app.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanal-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const demoFile = join(folder, 'demo.json');
const app = useApp();
const demoed = useApp({ env: { DEMO_FILE: demoFile } });
const proxied = useApp({ env: { PUBLIC_URL: 'https://api.example.com/' } });
const get = (path: string, of = app) => of.raw('GET', path, { key: null });
const policyOf = (headers: Headers) =>
  Object.fromEntries(
    headers
      .get('content-security-policy')!
      .split(';')
      .map((directive) => directive.split(' '))
      .map(([name, ...sources]) => [name, sources.join(' ')]),
  );
const addressesIn = (page: string) => [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);

test('is a page anybody may read', async () => {
  const { status, headers, text } = await get('/docs');
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ]);
  expect(text).toContain('<title>Kanal API reference</title>');
  // Nothing inline: the policy would not let it run.
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/);
});

test('its policy lets in nothing from elsewhere, and no inline script', async () => {
  const { headers } = await get('/docs');
  expect(policyOf(headers)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  });
  expect(policyOf((await get('/docs', proxied)).headers)['connect-src']).toBe("'self' https://api.example.com");
});

describe('its files', () => {
  test('are all there, from here, and kept by browsers until they change', async () => {
    const addresses = addressesIn((await get('/docs')).text).filter(
      (address) => !['/openapi.json', '/docs/icon.svg'].includes(address),
    );
    expect(addresses).toHaveLength(4);
    for (const address of addresses) {
      expect(address).toMatch(/^\/docs\/[0-9a-f]{12}\/[\w-]+\.(js|css)$/);
      const { status, headers, text } = await get(address);
      expect([address, status, headers.get('cache-control')]).toEqual([address, 200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toBe(
        address.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      );
      expect(text.length).toBeGreaterThan(100);
    }
  });

  test('the icon may change under its address', async () => {
    const { status, headers } = await get('/docs/icon.svg');
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=86400',
    ]);
  });

  test('of another version, or of another folder, are not', async () => {
    for (const path of ['/docs/000000000000/page.js', '/docs/page.js', '/docs/..%2fdocs.ts', '/docs/swagger-ui-bundle.js.map'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });
});

test('the document names what the demo has in its examples, as soon as the demo is there', async () => {
  const example = async () =>
    (await get('/openapi.json', demoed)).body.paths['/v1/messages'].post.requestBody.content['application/json'].example;
  expect(await example()).toMatchObject({ channel_id: exampleIds.channel, to: `+${examplePhone}` });
  const kinds = [
    ...['organization', 'channel', 'contact', 'conversation', 'pipeline', 'stage', 'deal', 'record', 'task', 'flow'],
    ...['connection', 'product', 'variant', 'service', 'staff', 'delivery_method', 'segment', 'campaign'],
  ];
  const made = Object.fromEntries(kinds.map((kind) => [kind, { id: uuidv7() }]));
  const demo = {
    organization_id: made.organization!.id,
    channel: made.channel,
    contact: { ...made.contact, phone: '+15550100099' },
    conversation: made.conversation,
    pipeline: { ...made.pipeline, stage_id: made.stage!.id },
    deal: made.deal,
    company: made.record,
    task: made.task,
    flow: made.flow,
    connections: { google: made.connection!.id },
    product: { ...made.product, variant_id: made.variant!.id },
    service: { ...made.service, staff_id: made.staff!.id },
    delivery_method: made.delivery_method,
    segment: made.segment,
    campaign: made.campaign,
  };
  writeFileSync(demoFile, JSON.stringify(demo));
  expect(await example()).toMatchObject({ channel_id: made.channel!.id, to: '+15550100099' });
  const { text } = await get('/openapi.json', demoed);
  for (const kind of kinds) {
    expect([kind, text.includes(`"${made[kind]!.id}"`)]).toEqual([kind, true]);
    expect([kind, text.includes(exampleIdOf(kind))]).toEqual([kind, false]);
  }
  expect(text).not.toContain(examplePhone);
  expect((await get('/openapi.json')).text).toContain(exampleIds.channel);
});

test('behind PUBLIC_URL the document names that server, and is the same otherwise', async () => {
  const { text } = await get('/openapi.json', proxied);
  expect(text).toBe(JSON.stringify(openapiDocument('https://api.example.com/'), null, 2));
});

test('no install script of its package may run: it would report who installs it', () => {
  const { allowScripts, scarfSettings } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
  expect([allowScripts['@scarf/scarf'], scarfSettings.enabled]).toEqual([false, false]);
});
