import { describe, expect, test } from '@jest/globals';
import { linkOf } from '../../../../src/mails/links.ts';
import { useApp } from '../../../support/app.ts';

const app = useApp();
const get = (path: string) => app.raw('GET', path, { key: null });
const paths = ['/invitation', '/reset-password'];

describe.each(paths)('%s', (path) => {
  test('is a page anybody may read, and nobody may frame', async () => {
    const { status, headers, text } = await get(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')!.split(';').sort()).toEqual(
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].sort(),
    );
    // Nothing inline: the policy would not let it run.
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });

  test('its files are there, below it, and kept by browsers until they change', async () => {
    const { text } = await get(path);
    const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses).toHaveLength(6);
    for (const address of addresses) {
      expect(address).not.toMatch(/^\/|:/);
      expect([address, (await get(`/${address}`)).status]).toEqual([address, 200]);
    }
    const [script] = addresses.filter((address) => address.endsWith('.js'));
    const { headers } = await get(`/${script}`);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('leads on to the console, the reference and the front page once it is done', async () => {
    const { text } = await get(path);
    const [, next] = /<ul id="next" hidden>(.*?)<\/ul>/s.exec(text)!;
    expect([...next!.matchAll(/href="([^"]+)"/g)].map(([, address]) => address)).toEqual(['console', 'docs', './']);
  });

  test('is not there with a slash behind it, where its addresses would lead elsewhere', async () => {
    expect((await get(`${path}/`)).status).toBe(404);
  });
});

test('the links of mails lead to them', () => {
  const config = { publicUrl: 'https://api.example.com', port: 3000 };
  const linked = (['invitation', 'password_reset'] as const).map((kind) => new URL(linkOf(config, kind, 't')).pathname);
  expect(linked).toEqual(paths);
});
