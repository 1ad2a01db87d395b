import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Reply, useApp } from '../support/app.ts';
import { type Definition, definitions, isPersonal } from '../support/contract.ts';
import { some } from '../support/depth.ts';
import { person, sessionHeaders } from '../support/factories/person.ts';
import { hostileBodies, takesJson } from '../support/hostile-bodies.ts';
import { stateAtRest, storedState } from '../support/stored.ts';

/** Every operation with every kind of body that is too large, too deep or too long. A new operation is in here without a line more. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let session: Record<string, string>;

beforeAll(async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  ({ headers: session } = await sessionHeaders(app.em(), userId, app.base));
});

const taking = definitions.filter(takesJson).map((endpoint, index) => [endpoint.operationId, endpoint, index] as const);
const full = 1024 * 1024;
/** Far beyond every bound but that of the bytes; a body of 1 MiB of each kind is what `npm run bench -- bodies` measures. */
const many = 128 * 1024;

/** Its contract is checked by the app: a status or a body that is not declared throws. */
function ask(endpoint: Definition, body: string): Promise<Reply> {
  const { method, path, example } = endpoint;
  const needsSession = isPersonal(endpoint);
  return app.raw(
    method,
    path.replace(/:(\w+)/g, (_, name: string) => example?.params?.[name] ?? uuidv7()),
    {
      ...(needsSession && { key: null }),
      headers: { 'content-type': 'application/json', ...(needsSession && session) },
      body,
    },
  );
}

describe('a body that is too large is refused briefly, and nothing is stored', () => {
  let before: string;
  beforeAll(async () => {
    before = await stateAtRest(app);
  });
  afterAll(async () => expect(await storedState(app)).toBe(before));

  test.each(taking)('%s', async (_operationId, endpoint, index) => {
    const sizes = endpoint.scope === 'public' ? [16 * 1024, many] : [many];
    const bodies = sizes.flatMap((bytes) => [...hostileBodies(endpoint, bytes)]);
    expect(bodies.length).toBeGreaterThan(50);
    // All of them: oversized.deep.test.ts.
    for (const { what, body } of some(bodies, 3, index)) {
      const { status, text, body: reply } = await ask(endpoint, body);
      // 404: what is not too large in a body that is right asks for somebody nobody has.
      expect([what, [400, 404, 413, 422].includes(status)]).toEqual([what, true]);
      expect([what, text.length < 150_000]).toEqual([what, true]);
      expect([what, (reply.error?.details?.length ?? 0) <= 100]).toEqual([what, true]);
    }
  });
});

describe('where no credential is needed', () => {
  const open = taking.filter(([, { scope }]) => scope === 'public');

  test.each(open)('%s: more than 16 kB is a 413', async (_name, endpoint) => {
    const sized = (bytes: number) => JSON.stringify({ nonsense: 'x'.repeat(bytes - 15) });
    expect(sized(16_384).length).toBe(16_384);
    expect((await ask(endpoint, sized(16_384))).status).toBe(422);
    expect((await ask(endpoint, sized(16_385))).status).toBe(413);
  });
});

test('with a key, a body of 1 MiB is read', async () => {
  const reply = await app.raw('POST', '/v1/messages', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: { body: 'x'.repeat(full - 100) } }),
  });
  expect(reply.status).toBe(422);
});

test('the bound on values is a setting', async () => {
  const { bodyMaxValues, publicBodyMaxBytes } = app.web.deps.config;
  expect([bodyMaxValues, publicBodyMaxBytes]).toEqual([10_000, 16_384]);
  const list = (length: number) => `{"identifiers":[${Array(length).fill('{}').join(',')}]}`;
  const codeOf = async (length: number) => {
    const { body } = await app.raw('POST', '/v1/channels', {
      headers: { 'content-type': 'application/json' },
      body: list(length),
    });
    return body.error.details.map((detail: { code: string }) => detail.code);
  };
  expect(await codeOf(4_000)).toContain('object.unknown');
  expect(await codeOf(10_000)).toEqual(['body.values']);
});
