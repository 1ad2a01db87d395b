import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';
import { definitions } from '../../../support/contract.ts';

const app = useApp();
const get = (path: string) => app.raw('GET', path, { key: null });
const client = join(import.meta.dirname, '../../../../api/pages/console/client');
const modules = globSync('*.js', { cwd: client }).sort();
const textOf = (name: string) => readFileSync(join(client, name), 'utf8');

test('anybody may read the page, and nobody may frame it; its one inline script is allowed by its hash', async () => {
  const { status, headers, text } = await get('/console');
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ]);
  const inline = [...text.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]*)<\/script>/g)].map(([, script]) => script!);
  expect(inline).toHaveLength(1);
  const hash = createHash('sha256').update(inline[0]!).digest('base64');
  expect(headers.get('content-security-policy')!.split(';').sort()).toEqual(
    [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].sort(),
  );
  expect(text).not.toMatch(/<style|\son\w+=|\sstyle=/);
});

test('all that it loads is there, below it, and kept by browsers until it changes', async () => {
  const { text } = await get('/console');
  const [, folder] = /src="(console\/[0-9a-f]{12})\/main\.js"/.exec(text)!;
  const [, map] = /<script type="importmap">(.*?)<\/script>/.exec(text)!;
  const { imports } = JSON.parse(map!) as { imports: Record<string, string> };
  expect(Object.keys(imports)).toEqual(['preact', 'preact/hooks', 'htm']);
  expect(modules).toContain('main.js');
  for (const address of [...Object.values(imports), ...modules.map((name) => `./${folder}/${name}`)]) {
    expect(address.startsWith(`./${folder}/`)).toBe(true);
    const { status, headers } = await get(address.slice(1));
    expect([address, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      address,
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  }
  expect((await get(`/${folder}/page.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8');
});

test('it is not there with a slash behind it, where its addresses would lead elsewhere', async () => {
  expect((await get('/console/')).status).toBe(404);
});

test('no module is long, and none makes HTML or code of text', () => {
  for (const name of modules) {
    const text = textOf(name);
    expect([name, text.split('\n').length <= 150]).toEqual([name, true]);
    expect([name, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(text)]).toEqual([
      name,
      false,
    ]);
  }
});

test('only one module asks the server, and only below /v1; the scopes it looks at are those the API asks for', () => {
  expect(modules.filter((name) => /\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon/.test(textOf(name)))).toEqual([
    'api.js',
  ]);
  expect([...textOf('api.js').matchAll(/\bfetch\(`([^$]*)/g)].map(([, start]) => start)).toEqual(['v1/']);
  const scopes: string[] = definitions.map(({ scope }) => scope);
  const named = modules.flatMap((name) => [...textOf(name).matchAll(/'([a-z_]+:(?:read|write))'/g)].map(([, scope]) => scope!));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((scope) => !scopes.includes(scope))).toEqual([]);
});
