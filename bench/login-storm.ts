import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { createPasswords } from '../src/accounts/password-hash.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { getMessageRequest } from './paths/http.ts';
import type { Side, Stage } from './stage.ts';
import { median, percentile } from './statistics.ts';

const perSecond = 50;
const connections = 16;
const users = 200;
const password = 'a password of the benchmark';

type Round = { rate: number; p50: number; p99: number; loopDelayP99Ms: number; logins?: Logins };
type Logins = { sent: number; in: number; refused: number; busy: number; p50: number; p99: number };
export type LoginStorm = { full: number; calm: Round[]; storm: Round[] };

/**
 * What a storm of logins does to everybody else: GET /v1/messages/{id} at an even pace of half of what it reaches, alternately without and
 * with 50 logins a second beside it, a third of them wrong, each from another address, so that no limit takes them away.
 */
export async function loginStorm({ kanal }: Stage, rounds: number, seconds: number): Promise<LoginStorm> {
  const emails = await seedUsers(kanal);
  const { process, base } = await kanal.startWeb({ TRUST_PROXY: '1' });
  const load = (duration: number, overallRate?: number) =>
    autocannon({
      url: base,
      connections,
      duration,
      ...(overallRate && { overallRate }),
      requests: [{ setupRequest: (request) => ({ ...request, ...getMessageRequest(kanal) }) }],
    });
  const result: LoginStorm = { full: 0, calm: [], storm: [] };
  try {
    await load(2);
    const full = await load(seconds);
    result.full = full.requests.total / full.duration;
    const half = Math.round(result.full / 2);
    await storm(base, emails, 1);
    for (let number = 0; number < rounds; number += 1)
      for (const kind of number % 2 === 0 ? (['calm', 'storm'] as const) : (['storm', 'calm'] as const)) {
        await process.usage();
        const [measured, logins] = await Promise.all([
          load(seconds, half),
          kind === 'storm' ? storm(base, emails, seconds) : undefined,
        ]);
        const { loopDelayP99Ms } = await process.usage();
        if (measured.non2xx + measured.errors > 0) throw new Error(`login-storm: ${measured.non2xx} ${measured.errors}`);
        const { p50, p99 } = measured.latency;
        result[kind].push({ rate: measured.requests.total / measured.duration, p50, p99, loopDelayP99Ms, logins });
      }
  } finally {
    await process.stop();
  }
  return result;
}

async function seedUsers({ sql, tenant }: Side): Promise<string[]> {
  const passwords = createPasswords();
  const hash = await passwords.hash(password);
  await passwords.close();
  const emails = Array.from({ length: users }, (_, index) => `user-${index}@example.com`);
  await sql.query(
    `with made as (insert into users (id, email, name, password_hash) select x.id, x.email, 'Bench', $3 from unnest($1::uuid[], $2::text[]) as x(id, email) returning id)
     insert into memberships (organization_id, user_id, role) select $4, id, 'agent' from made`,
    [emails.map(() => uuidv7()), emails, hash, tenant.organizationId],
  );
  return emails;
}

async function storm(base: string, emails: string[], seconds: number): Promise<Logins> {
  const counts = { sent: 0, in: 0, refused: 0, busy: 0 };
  const took: number[] = [];
  const one = async (number: number) => {
    const isWrong = number % 3 === 0;
    const startedAt = performance.now();
    const response = await fetch(`${base}/v1/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${number % 250}.${Math.floor(number / 250) % 250}.7`,
      },
      body: JSON.stringify({ email: isWrong ? `nobody-${number}@example.com` : emails[number % emails.length], password }),
      signal: AbortSignal.timeout(30_000),
    });
    await response.text();
    took.push(performance.now() - startedAt);
    if (response.status === 200) counts.in += 1;
    else if (response.status === 401) counts.refused += 1;
    else if (response.status === 503) counts.busy += 1;
    else throw new Error(`login-storm: a login was answered ${response.status}`);
  };
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  while (running.length < seconds * perSecond) {
    const due = Math.min(seconds * perSecond, ((performance.now() - startedAt) / 1000) * perSecond);
    while (running.length < due) running.push(one(running.length));
    await sleep(5);
  }
  await Promise.all(running);
  return { ...counts, sent: running.length, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}

export function loginStormReport({ full, calm, storm }: LoginStorm): string {
  const of = (rounds: Round[], pick: (round: Round) => number) => median(rounds.map(pick)).toFixed(1);
  const row = (name: string, rounds: Round[]) =>
    `| ${name} | ${of(rounds, ({ rate }) => rate)} | ${of(rounds, ({ p50 }) => p50)} | ${of(rounds, ({ p99 }) => p99)} | ${of(rounds, ({ loopDelayP99Ms }) => loopDelayP99Ms)} |`;
  const ratio = median(storm.map(({ p99 }) => p99)) / median(calm.map(({ p99 }) => p99));
  const logins = storm.map((round) => round.logins!);
  const sum = (pick: (one: Logins) => number) => logins.reduce((all, one) => all + pick(one), 0);
  return [
    '| GET /v1/messages/{id} | a second | p50 ms | p99 ms | loop delay p99 ms |',
    '| --- | --- | --- | --- | --- |',
    row('calm', calm),
    row(`${perSecond} logins a second beside it`, storm),
    '',
    `p99 in the storm / calm: **${ratio.toFixed(2)}**. Full load was ${full.toFixed(0)} a second.`,
    `Of ${sum(({ sent }) => sent)} logins ${sum((one) => one.in)} were let in, ${sum(({ refused }) => refused)} refused, ${sum(({ busy }) => busy)} told to come again (503); p50 ${median(logins.map(({ p50 }) => p50)).toFixed(0)} ms, p99 ${median(logins.map(({ p99 }) => p99)).toFixed(0)} ms.`,
  ].join('\n');
}
