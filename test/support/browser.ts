import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { maxWaitMs } from './wait-for.ts';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executable = process.env.CHROMIUM || usual.find(existsSync);

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-sync',
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

/** Runs a suite in a headless Chromium; in CI one must be there, elsewhere its absence is said. */
export function describeInBrowser(name: string, suite: (visitor: Visitor) => void) {
  if (!executable && process.env.CI === 'true') throw new Error('No Chromium: in CI the pages are tested in a browser');
  if (!executable) console.warn(`\nNo Chromium found (set CHROMIUM to one): "${name}" is skipped.`);
  const each = executable ? describe : describe.skip;
  each(`${name} in a browser`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executable, args: flags });
    });
    afterEach(() => Promise.all((browser?.contexts() ?? []).map((context) => context.close())));
    afterAll(() => browser?.close());
    suite({ visit: (options) => visit(browser!, options) });
  });
}

/** Runs in every page before anything of its own. */
const tellOfViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  kanalPolicyForbids(violatedDirective + ': ' + blockedURI));`;

async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
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
