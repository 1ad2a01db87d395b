import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes } from '../../src/organizations/scopes.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { appSecret, useApp } from '../support/app.ts';
import { checkReply, type Definition, definitions, endpointAt, isPersonal } from '../support/contract.ts';
import { some } from '../support/depth.ts';
import { exampleBody } from '../support/examples.ts';
import { person, sessionHeaders } from '../support/factories/person.ts';
import { fc } from '../support/fast-check.ts';
import { fuzzOnly, fuzzRuns, fuzzSeed } from '../support/fuzz/options.ts';
import { type FuzzedRequest, requestsOf } from '../support/fuzz/requests.ts';
import { ownedRecords } from '../support/owned.ts';

/** Every operation of the document with whatever is sent to it. `npm run fuzz -- --runs 2000 --seed 7 --only contacts` makes more of it. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let owned: Record<string, string>;

beforeAll(async () => {
  owned = await ownedRecords(app);
});
afterAll(() => agent.destroy());

/** Its own for each operation: what one of them ends, revokes or removes, the others are not without. */
async function credentialsFor(endpoint: Definition): Promise<Record<string, string>> {
  if (endpoint.scope === 'public') return {};
  if (!isPersonal(endpoint)) return { 'x-api-key': (await app.key(app.tenant.organizationId, [...scopes])).key };
  const { userId } = await person(app.em(), app.tenant.organizationId);
  return (await sessionHeaders(app.em(), userId, app.base)).headers;
}

/** The document's example with ids that are there. */
const goodBody = (definition: Definition): object => {
  const ids = { channel: owned.channelID, contact: owned.contactID, organization: app.tenant.organizationId };
  return typeof definition.example.body === 'object' ? (exampleBody(definition, ids) as object) : {};
};

type Answer = { status: number; headers: Headers; text: string };

/** By Node's own client: fetch mends paths and headers before it sends them. */
function send({ method, path, headers, body }: FuzzedRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(app.base + path, { method, path, headers, agent, timeout: 60_000 }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({
        status: response.statusCode!,
        headers: new Headers(Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])),
        text: Buffer.concat(pieces).toString('utf8'),
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in a minute')));
    sent.on('error', reject);
    sent.end(body);
  });
}

async function isAnswered(one: FuzzedRequest): Promise<void> {
  const answer = await send(one);
  const { status, text } = answer;
  if (status >= 500)
    throw new Error(`${status}: ${text.slice(0, 500)}\n${JSON.stringify(app.log.lines.at(-1))?.slice(0, 3_000)}`);
  expect(text.length).toBeLessThan(2_000_000);
  // Node's own answer to more than 16 kB of path and headers.
  if (status === 431) return;
  const endpoint = endpointAt(one.method, one.path);
  if (endpoint) checkReply(endpoint, answer);
  else expect(status).toBeGreaterThanOrEqual(400);
}

const operations = definitions
  .filter(({ operationId }) => fuzzOnly.test(operationId))
  .map((endpoint) => [endpoint.operationId, endpoint] as const);

const guarded = operations.filter(([, { scope }]) => scope !== 'public');

/** Else every request of it would be refused, and nothing be found. */
test.each(some(guarded, 20, 0))('%s: its credential is let in', async (_name, endpoint) => {
  const { method, path, receive } = endpoint;
  const { status, text } = await send({
    method: method.toUpperCase(),
    path: path.replace(/:\w+/g, uuidv7),
    headers: { ...(await credentialsFor(endpoint)), 'content-type': receive?.contentType ?? 'application/json' },
    // Not JSON: who gets so far has been let in, and changes nothing.
    body: method === 'get' || method === 'delete' ? undefined : Buffer.from('{'),
  });
  expect([text, [401, 403].includes(status)]).toEqual([text, false]);
});

describe(`seed ${fuzzSeed}, ${fuzzRuns} requests of each operation: nothing undeclared, and each is answered`, () => {
  test.each(operations)(
    '%s',
    async (_name, endpoint) => {
      const credentials = await credentialsFor(endpoint);
      const requests = requestsOf(endpoint, { owned, good: goodBody(endpoint), signedWith: appSecret });
      await fc.assert(
        fc.asyncProperty(requests, (one) => isAnswered({ ...one, headers: { ...credentials, ...one.headers } })),
        { numRuns: fuzzRuns, seed: fuzzSeed, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: false },
      );
    },
    900_000,
  );
});
