import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { locksOfStarts, type RunStart, startRuns } from '../../../../src/automation/evaluate/start-runs.ts';
import { beginRuns } from '../../../../src/automation/runs/begin.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { storedRun } from '../../../support/rules/automation.ts';
import { fieldsOf } from '../../../support/rules/rows.ts';
import { waitFor } from '../../../support/wait-for.ts';

let at: RuleHouse;
let own: Own;
const subjectId = uuidv7();
beforeAll(async () => {
  at = await openRuleHouse();
  own = ownRows(at.house.database, at.organization);
});
afterAll(() => at.close());
beforeEach(() => at.reset());

type Given = Partial<Pick<RunStart['rule'], 'concurrency' | 'limits'>>;
async function start(given: Given = {}): Promise<RunStart> {
  const rule = { trigger: { type: 'manual' } as const, concurrency: 'skip' as const, limits: {}, ...given };
  const id = await at.rule(rule);
  return {
    rule: { id, ...rule },
    version: 1,
    subject: { subjectType: 'contact', subjectId },
    contactId: null,
    chain: [],
    run: { mode: 'live', trigger: 'manual', startedBy: 'user:1', vars: { tier: 'gold' } },
  };
}
const look = (starts: RunStart[], isFullOf?: () => Promise<boolean>) => ({
  look: () => locksOfStarts(own, starts, isFullOf),
  locks: (locks: string[]) => locks,
});
const write = (starts: RunStart[], isFullOf?: () => Promise<boolean>) =>
  at.transact(look(starts, isFullOf), (tx) => startRuns(tx, starts, isFullOf));

test('a start by hand begins a run with what it was given', async () => {
  const one = await start();
  const [id] = await write([one]);
  const run = await storedRun(at.house.em(), id!);
  expect(fieldsOf(run, 'trigger', 'started_by', 'vars', 'chain', 'event_id', 'is_exclusive')).toEqual({
    trigger: 'manual',
    started_by: 'user:1',
    vars: { tier: 'gold' },
    chain: [one.rule.id],
    event_id: null,
    is_exclusive: true,
  });
});

test('several starts at one moment: one run, and the others are held back', async () => {
  const one = await start();
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => write([one])));
  expect(made.flat()).toHaveLength(1);
  expect(await at.runs(one.rule.id)).toHaveLength(1);
  expect(await at.held(one.rule.id)).toEqual([{ reason: 'subject_busy', count: 4 }]);
});

test('restarts at one moment: one live run, the others cancelled', async () => {
  const one = await start({ concurrency: 'restart' });
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => write([one])));
  expect(made.flat()).toHaveLength(5);
  const states = (await at.runs(one.rule.id)).map(({ state, reason }) => `${state} ${reason}`).sort();
  expect(states).toEqual([...Array(4).fill('cancelled restarted'), 'queued ']);
});

test('no more starts in an hour than the limit, however many come at one moment', async () => {
  const one = await start({ concurrency: 'each', limits: { starts_per_hour: 3 } });
  await Promise.all(Array.from({ length: 8 }, () => write([one])));
  expect(await at.runs(one.rule.id)).toHaveLength(3);
  expect(await at.held(one.rule.id)).toEqual([{ reason: 'too_often', count: 5 }]);
});

test('a rule that makes a new subject each time: the starts above its bound are held back, and told once', async () => {
  const first = await start({ limits: { rule_starts_per_hour: 3 } });
  for (let n = 0; n < 6; n += 1) await write([{ ...first, subject: { ...first.subject, subjectId: uuidv7() } }]);
  expect(await at.runs(first.rule.id)).toHaveLength(3);
  expect(await at.held(first.rule.id)).toEqual([{ reason: 'rule_too_often', count: 3 }]);
  expect(await at.told(first.rule.id)).toEqual([{ reason: 'rule_too_often', count: 1 }]);
});

test('an organization with too many live runs: the start is held back, and told', async () => {
  const one = await start();
  expect(await write([one], async () => true)).toEqual([]);
  expect(await at.told(one.rule.id)).toEqual([{ reason: 'too_many_runs', count: 1 }]);
});

test('a run that another began since the look is ended with its own lock', async () => {
  const one = await start({ concurrency: 'restart' });
  const seen = await locksOfStarts(own, [one]);
  await write([one]);
  let looks = 0;
  const late = { look: async () => (looks++ === 0 ? seen : locksOfStarts(own, [one])), locks: (locks: string[]) => locks };
  await at.transact(late, (tx) => startRuns(tx, [one]));
  expect(looks).toBe(2);
  expect((await at.runs(one.rule.id)).map(({ state }) => state)).toEqual(['cancelled', 'queued']);
});

test('a run that a schedule begins at the same time, without the lock of the subject: the start is held back', async () => {
  const one = await start();
  const { starting } = await at.transact({}, async ({ own: tx }) => {
    const subject = { ...one.subject, contactId: null };
    const more = { version: 1, mode: 'live' as const, trigger: 'schedule' as const, occursAt: new Date(), isExclusive: true };
    await beginRuns(tx, [{ ruleId: one.rule.id, ...subject, ...more, chain: [one.rule.id] }]);
    const made = write([one]);
    await waitFor('the start to wait', async () => {
      const locked = await at.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return locked.length > 0;
    });
    return { starting: made };
  });
  expect(await starting).toEqual([]);
  expect(await at.runs(one.rule.id)).toMatchObject([{ trigger: 'schedule' }]);
  expect(await at.held(one.rule.id)).toEqual([{ reason: 'subject_busy', count: 1 }]);
});

test('a start without the lock of its subject is refused', async () => {
  const one = await start();
  const locks = [subjectLock('contact', uuidv7())];
  await expect(at.transact({ locks }, (tx) => startRuns(tx, [one]))).rejects.toThrow('changed at the same time');
  expect(await at.runs(one.rule.id)).toEqual([]);
});
