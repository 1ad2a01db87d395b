import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { GraphApiError, KapsoProxyRequiredError } from '@kapso/whatsapp-cloud-api';
import { useHouse } from '../sandbox/house.ts';
import { callsOf, clientFor } from './client.ts';
import { interactiveSends } from './interactive-sends.ts';
import { plainSends } from './sends.ts';
import { ofItsOwnService, unsupported } from './unsupported.ts';

const house = useHouse();
const page = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');

/** Called by a test that is not made of a table. */
const testedByHand = [
  'messages.markRead',
  'messages.sendTemplate',
  'media.upload',
  'media.get',
  'media.download',
  'media.delete',
  'templates.list',
  'templates.get',
  'templates.create',
  'templates.delete',
  'flows.create',
  'flows.deploy',
  'flows.list',
  'flows.get',
  'flows.preview',
  'flows.updateAsset',
  'flows.publish',
  'flows.deprecate',
  'phoneNumbers.requestCode',
  'phoneNumbers.verifyCode',
  'phoneNumbers.register',
  'phoneNumbers.deregister',
  'phoneNumbers.settings.get',
  'phoneNumbers.settings.update',
  'phoneNumbers.businessProfile.get',
  'phoneNumbers.businessProfile.update',
];

test('every call the client has is either made by a test or known to have no answer', () => {
  const known = [
    ...plainSends.map(([call]) => call),
    ...interactiveSends.map(([call]) => call),
    ...testedByHand,
    ...unsupported.map(([call]) => call).filter((call) => /^\w+\.\w/.test(call)),
    ...ofItsOwnService.map(([call]) => call),
  ];
  expect([...new Set(known)].sort()).toEqual(callsOf(clientFor(house)).sort());
});

test('what is said to be called by hand is called', () => {
  const files = ['sends', 'templates', 'flows', 'account'].map((what) => `messaging-app-client-${what}.test.ts`);
  const code = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join();
  expect(testedByHand.filter((call) => !code.includes(`${call.split('.').slice(-2).join('.')}(`))).toEqual([]);
});

describe('the sandbox does not have, and says so as the provider does', () => {
  test.each(unsupported)('%s (%s)', async (_call, _subject, ask, wanted) => {
    const error = await ask(clientFor(house)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GraphApiError);
    expect(error).toMatchObject({ ...wanted, category: 'parameter', fbtraceId: expect.stringMatching(/^A/) });
  });

  test('what the page about the sandbox names, and nothing else', () => {
    const section = page.slice(page.indexOf('## Not there'));
    const named = [...section.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(([, call, subject]) => `${subject} ${call}`);
    expect(named.sort()).toEqual(unsupported.map(([call, subject]) => `${subject} ${call}`).sort());
  });
});

test.each(ofItsOwnService)("%s asks the client's own service, never the provider", async (_call, ask) => {
  expect(await ask(clientFor(house)).catch((thrown: unknown) => thrown)).toBeInstanceOf(KapsoProxyRequiredError);
  expect((await house.get('/_control/requests')).body.requests).toEqual([]);
});
