import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { maxWaitMs } from './wait-for.ts';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executable = process.env.CHROMIUM || usual.find(existsSync);

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-ipc-flooding-protection',
  '--disable-renderer-backgrounding',
  '--disable-sync',
  '--no-first-run',
  '--password-store=basic',
  // As offline as a machine that still reaches itself can be: no other name is known, no other address answers.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export type Visit = {
  page: Page;
  /** Every request that left the page, in order. */
  requests: string[];
  /** What a person with the console open would read in red, and what the page's policy forbade. */
  complaints: string[];
};

export type Visitor = { visit(options?: BrowserContextOptions): Promise<Visit> };

/** The address of the Chromium that all browser files of this process share. */
let address: Promise<string> | undefined;

/**
 * Starts a Chromium that ends with this process, however the process ends: then its pipe closes. It holds no handle of the process,
 * and its profile is removed by the shell that waits for it.
 */
async function startChromium(path: string): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), 'kanal-chromium-'));
  const own = [`--user-data-dir=${profile}`, '--remote-debugging-pipe', '--remote-debugging-port=0'];
  const child = spawn('sh', ['-c', '"$@"; rm -rf "$0"', profile, path, ...flags, ...own], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // A Ctrl-C reaches this process alone.
    detached: true,
  });
  let said = '';
  const found = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      said += chunk;
      const [, url] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (url) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`Chromium ended:\n${said}`)));
  });
  child.stderr!.removeAllListeners('data').resume();
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null)?.unref();
  return found;
}

/** Runs a suite in a headless Chromium; in CI one must be there, elsewhere its absence is said. */
export function describeInBrowser(name: string, suite: (visitor: Visitor) => void) {
  if (!executable && process.env.CI === 'true') throw new Error('No Chromium: in CI the pages are tested in a browser');
  if (!executable) console.warn(`\nNo Chromium found (set CHROMIUM to one): "${name}" is skipped.`);
  const each = executable ? describe : describe.skip;
  each(`${name} in a browser`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      address ??= startChromium(executable!);
      browser = await chromium.connectOverCDP(await address, { timeout: maxWaitMs });
    });
    afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
    afterAll(() => browser?.close());
    suite({ visit: (options) => visit(browser!, options) });
  });
}

/** Those of a test's visits: a Chromium has one of its own too. */
const contexts: BrowserContext[] = [];

/** Runs in every page before anything of its own. */
const tellOfViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  kanalPolicyForbids(violatedDirective + ': ' + blockedURI));`;

async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  contexts.push(context);
  // Swagger UI draws /docs for more than 30 s on a machine at five times its load; no test asserts a time by it.
  context.setDefaultTimeout(2 * maxWaitMs);
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => void (request.url().startsWith('data:') || requests.push(request.url())));
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (error) => void complaints.push(String(error.error())));
  await context.exposeBinding('kanalPolicyForbids', (_source, what: string) => void complaints.push(what));
  await context.addInitScript({ content: tellOfViolations });
  return { page: await context.newPage(), requests, complaints };
}
