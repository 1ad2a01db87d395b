import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Reply, useApp } from '../support/app.ts';
import { type Definition, definitions, isPersonal } from '../support/contract.ts';
import { person, sessionHeaders } from '../support/factories/person.ts';
import { hostileBodies, takesJson } from '../support/hostile-bodies.ts';
import { storedState } from '../support/stored.ts';

/** Every operation with every kind of body that is too large, too deep or too long. A new operation is in here without a line more. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let session: Record<string, string>;

beforeAll(async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  ({ headers: session } = await sessionHeaders(app.em(), userId, app.base));
});

const taking = definitions.filter(takesJson).map((endpoint) => [endpoint.operationId, endpoint] as const);
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

/** CPU of this thread, which is the client's too. */
async function cpuOf<Result>(work: () => Result | Promise<Result>): Promise<{ result: Result; ms: number }> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return { result, ms: (user + system) / 1000 };
}

/** About 20 ms on an idle machine, the aim of a body (`npm run bench -- bodies`); on a loaded one as much longer as everything else. */
const text = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n, words: `word ${n}`, list: [n, n] })));
const reference = () => cpuOf(() => Array.from({ length: 6 }, () => JSON.stringify(JSON.parse(text)).length));
/** Nothing that is refused costs so many times the reference, measured right after it. */
const maxTimes = 7;

/** Cheap on every machine: the reference is not measured. */
const cheapMs = 20;

async function cheaply<Result>(request: () => Promise<Result>, what: string, beside = reference): Promise<Result> {
  const took: string[] = [];
  for (;;) {
    const { result, ms } = await cpuOf(request);
    if (ms <= cheapMs) return result;
    const { ms: referenceMs } = await beside();
    if (ms <= maxTimes * referenceMs) return result;
    took.push(`${Math.round(ms)} beside ${Math.round(referenceMs)}`);
    // What else the process does meanwhile, and what is collected then, is no cost of this body: not three times.
    if (took.length === 3) throw new Error(`${what}: ${took.join(', ')} ms of CPU`);
  }
}

test('the bound holds: what blocks the thread ten times as long as the reference is found', async () => {
  const measured = await reference();
  const until = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  const block = async () => {
    const end = until() + 10_000 * Math.max(measured.ms, cheapMs);
    while (until() < end);
  };
  // The reference it was made from, not a new one: that may take longer, and then ten times is less than `maxTimes`.
  await expect(cheaply(block, 'ten times', async () => measured)).rejects.toThrow('ten times: ');
});

describe('a body that is too large is refused, cheaply and briefly, and nothing is stored', () => {
  test.each(taking)('%s', async (operationId, endpoint) => {
    const before = await storedState(app);
    const sizes = endpoint.scope === 'public' ? [16 * 1024, many] : [many];
    let tried = 0;
    for (const { what, body } of sizes.flatMap((bytes) => [...hostileBodies(endpoint, bytes)])) {
      tried += 1;
      const { status, text, body: reply } = await cheaply(() => ask(endpoint, body), `${operationId}, ${what}`);
      // 404: what is not too large in a body that is right asks for somebody nobody has.
      expect([what, [400, 404, 413, 422].includes(status)]).toEqual([what, true]);
      expect([what, text.length < 150_000]).toEqual([what, true]);
      expect([what, (reply.error?.details?.length ?? 0) <= 100]).toEqual([what, true]);
    }
    expect(tried).toBeGreaterThan(50);
    expect(await storedState(app)).toBe(before);
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
