import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { knowJobs } from '../../../src/jobs.ts';
import { askForStep, type StepRequest } from '../../../src/onboarding/ask.ts';
import { onboardingLane } from '../../../src/onboarding/change.ts';
import { Onboarding, steps, workSteps } from '../../../src/onboarding/onboarding.entity.ts';
import { startOnboarding } from '../../../src/onboarding/start.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { callOff, controlOf } from '../../../src/platform/ledger/control.ts';
import type { JobState } from '../../../src/platform/ledger/jobs.entity.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { asTenant, transactFor } from '../../../src/platform/ledger/tenant.ts';
import { ProviderRefused } from '../../../src/providers/errors.ts';
import type { Providers } from '../../../src/providers/index.ts';
import { handlers } from '../../../workers/index.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { eventsOf } from '../../support/rules/events.ts';
import { jobsOf as storedJobsOf } from '../../support/rules/ledger-jobs.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
/** What the provider does with the next call. */
let isRefusing = false;

const answer =
  <Value>(value: Value) =>
  async () => {
    if (isRefusing) throw new ProviderRefused('No', { code: '10' });
    return value;
  };

beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
  house.deps.providers = {
    messagingApp: {
      exchangeCode: answer('token'),
      readNumber: answer({ displayPhone: '1', verifiedName: 'Us' }),
      ownsNumber: answer(true),
      subscribeApp: answer(undefined),
      isAppSubscribed: answer(true),
      registerNumber: answer(undefined),
      listTemplates: answer([]),
    },
  } as unknown as Providers;
});
afterAll(() => house.close());

const transact = () => transactFor(house.ledger.transact, house.organizationId);
const own = () => ownRows(house.database, house.organizationId);

const jobsOf = async (id: string, ...states: JobState[]) =>
  (await storedJobsOf(house.em(), id)).filter(({ state }) => states.includes(state));

async function recordOf(id: string) {
  const row = await house.em().findOneOrFail(Onboarding, { id });
  return { ...row, secrets: [row.code, row.access_token, row.pin].filter((secret) => secret !== null).length };
}

type Act = { do: 'ask' | 'run' | 'retry' | 'call off'; request?: StepRequest; isRefused?: boolean };

const numbers = ['1', '2'];
const ask = fc
  .oneof(
    fc.record({ step: fc.constant('exchange_token' as const), code: fc.constantFrom('a', 'b') }),
    fc.record({
      step: fc.constant('subscribe_webhook' as const),
      accountId: fc.constant('7'),
      phoneNumberId: fc.constantFrom(...numbers),
    }),
    fc.record({ step: fc.constant('register_phone' as const), pin: fc.constantFrom('111111', '222222') }),
    fc.record({ step: fc.constant('sync_assets' as const) }),
  )
  .map((request): Act => ({ do: 'ask', request }));
const runs = fc.boolean().map((isRefused): Act => ({ do: 'run', isRefused }));
const passes = fc.constant<Act>({ do: 'run', isRefused: false });
const others = fc.constantFrom<Act>({ do: 'retry' }, { do: 'call off' });
const acts = fc.array(
  fc.oneof({ arbitrary: ask, weight: 5 }, { arbitrary: passes, weight: 4 }, { arbitrary: runs, weight: 2 }, others),
  { minLength: 1, maxLength: 40 },
);

/** The code of a refusal that a caller may read; any other error is ours. */
const refused = (error: unknown) => {
  if (error instanceof AppError) return error.code;
  throw error;
};

async function play(id: string, act: Act): Promise<unknown> {
  if (act.do === 'ask')
    return transact()({ locks: [onboardingLane(id)] }, (tx) => askForStep(tx.own, id, act.request!, testSecrets)).catch(refused);
  if (act.do === 'retry') {
    const [failed] = await jobsOf(id, 'failed');
    return failed && retryJob(house.ledger.transact, failed.id, house.organizationId).catch(refused);
  }
  const [live] = await jobsOf(id, 'queued');
  if (!live) return undefined;
  if (act.do === 'call off')
    return house.ledger.transact(controlOf(own(), live.id), (tx) =>
      callOff(asTenant(tx, house.organizationId), live.id, 'a test'),
    );
  isRefusing = act.isRefused ?? false;
  const handler = handlers.find(({ contract }) => contract.name === live.name)!;
  return house.run(handler, { id: live.id, run: live.run });
}

async function assertSound(id: string) {
  const record = await recordOf(id);
  const { current_step: step, step_status: status, completed_steps: done } = record;
  expect(done).toEqual(workSteps.slice(0, done.length));
  expect(step).toBe(steps[done.length]);
  expect(status === 'completed').toBe(step === 'completed');
  expect(record.error === null).toBe(status !== 'failed');
  const live = await jobsOf(id, 'blocked', 'waiting', 'queued');
  expect(live.map(({ name }) => name)).toEqual(status === 'in_progress' ? [`onboarding.${step.replace('_', '-')}`] : []);
  if (step === 'completed') {
    expect(record.secrets).toBe(0);
    expect(record.channel_id).toEqual(expect.any(String));
  }
  const last = (await eventsOf(house.em(), id)).at(-1);
  expect(last!.data).toMatchObject({ current_step: step, step_status: status });
}

/** One that comes to its end, whatever the others do. */
const whole = (
  [
    { step: 'exchange_token', code: 'a' },
    { step: 'subscribe_webhook', accountId: '7', phoneNumberId: '1' },
    { step: 'register_phone', pin: '111111' },
    { step: 'sync_assets' },
  ] as StepRequest[]
).flatMap((request): Act[] => [{ do: 'ask', request }, { do: 'run' }]);

test('whatever is asked, refused, tried again and called off: one step is at work at most, and the record says which', async () => {
  const ended = new Set<string>();
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      const { id } = await transact()({}, ({ own: tx }) => startOnboarding(tx, { rate: 80 }));
      for (const act of all) {
        const outcome = await play(id, act);
        if (typeof outcome === 'string') expect(['step_not_ready', 'conflict']).toContain(outcome);
        await assertSound(id);
      }
      ended.add((await recordOf(id)).current_step);
      const channels = await house.sql<{ n: number }>(
        'select count(*)::int as n from channels group by phone_number_id having count(*) > 1',
      );
      expect(channels).toEqual([]);
    }),
    { numRuns: numRuns({ default: 5, deep: 60 }), examples: [[whole]] },
  );
  // What waits of other kinds is the sync of templates that each connect asks for.
  expect((await checkJobs(house.database)).filter(({ detail }) => detail.includes('onboarding'))).toEqual([]);
  expect([...ended]).toContain('completed');
});
