import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Definition, Trigger } from '../../../src/automation/definition/definition.ts';
import { ruleLock } from '../../../src/automation/jobs.ts';
import { AutomationRule } from '../../../src/automation/rule.entity.ts';
import type { Author } from '../../../src/automation/rules/create.ts';
import { resumeRule } from '../../../src/automation/rules/pause.ts';
import { publishLocks } from '../../../src/automation/rules/publish.ts';
import { endSchedule, scheduleNext } from '../../../src/automation/schedule/next.ts';
import { nextStep } from '../../../src/automation/schedule/tick.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { tickRule } from '../../../workers/automation/tick.ts';
import { rule as liveRule } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { heldRows, occurrenceRows, ruleRows, runRows } from '../../support/work/automation.ts';
import { contactRows, segmentMemberRows, segmentRows } from '../../support/work/contacts.ts';
import { taskRows } from '../../support/work/crm.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { organizationRows } from '../../support/work/organizations.ts';
import { movedBack } from '../../support/work/rows.ts';

let house: House;
let organizationId: string;
beforeAll(async () => {
  house = await openHouse();
  ({ organizationId } = house);
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('automation_rules', 'contacts', 'deals', 'crm_tasks', 'segments');
  await organizationRows.change(house, {}, { timezone: 'Europe/Berlin', timezone_field: 'timezone' });
});

const own = () => ownRows(house.database, organizationId);
const transact = () => transactFor(house.ledger.transact, organizationId);
const iso = (ms: number) => new Date(ms).toISOString();
const minute = 60_000;
const day = 24 * 60 * minute;

type RuleRow = { id: string; status: string; paused_reason: string; next_at: string | null; tick_job_id: string | null };
const read = async (id: string): Promise<RuleRow> =>
  (await ruleRows.all(house, id, ['id', 'status', 'paused_reason', 'next_at', 'tick_job_id']))[0]!;

const sleeping = [{ id: 'wait', type: 'wait' as const, for: { days: 1 } }];
/** A live rule that waits for its next moment. */
async function ticking(trigger: Trigger, more: Partial<Definition> = {}): Promise<string> {
  const definition = { trigger, steps: sleeping, concurrency: 'each' as const, ...more };
  const { id } = await liveRule(house.em(), organizationId, { definition });
  await transact()({ locks: [ruleLock(id)] }, async ({ own: tx }) => {
    const next = await scheduleNext(tx, { id }, definition);
    await tx.update(AutomationRule, { id }, { next_at: next?.next_at ?? null, tick_job_id: next?.tick_job_id ?? null });
  });
  return id;
}

/** As if the moment it waits for were this one. */
async function comes(id: string, ms: number): Promise<string> {
  await ruleRows.change(house, id, { next_at: iso(ms) });
  const { tick_job_id: jobId } = await read(id);
  await makeDue(house, jobId!);
  return jobId!;
}

/** As if its tick had been written at this time, which its id says. */
async function written(id: string, ms: number) {
  const hex = ms.toString(16).padStart(12, '0');
  const jobId = `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
  const { tick_job_id: before } = await read(id);
  await jobRows.change(house, before!, { id: jobId });
  await ruleRows.change(house, id, { tick_job_id: jobId });
}

const tick = async (jobId: string) =>
  house.run(tickRule as unknown as ToyHandler, { id: jobId, run: (await house.row(jobId))?.run ?? 1 });

const runs = (id: string) =>
  runRows.all(house, { rule_id: id }, ['subject_type', 'subject_id', 'contact_id', 'occurs_at', 'trigger', 'chain'], {
    occurs_at: 'asc',
    subject_id: 'asc',
  });
const subjects = async (id: string) => (await runs(id)).map(({ subject_id: one }) => one);

/** As if its runs were those of a moment before. */
const earlier = (id: string) => runRows.change(house, { rule_id: id }, { occurs_at: movedBack('occurs_at', '1 hour') });

const people = async (count: number) => {
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) made.push((await contact(house.em(), organizationId)).id);
  return made.sort();
};
const setFields = (id: string, fields: Record<string, unknown>) => contactRows.change(house, id, { custom_fields: fields });

const minutely: Trigger = { type: 'schedule', cron: '* * * * *', timezone: 'UTC' };
const thisHour = () => Math.floor(Date.now() / (60 * minute)) * 60 * minute;
const thisMinute = () => Math.floor(Date.now() / minute) * minute;

describe('a schedule', () => {
  test('waits for its next moment in a job that is parked', async () => {
    const id = await ticking({ type: 'schedule', cron: '0 9 * * *' });
    const { next_at: next, tick_job_id: jobId } = await read(id);
    const berlin = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
    expect(berlin.format(new Date(next!))).toBe('09:00');
    const row = (await house.row(jobId!))!;
    expect(row).toMatchObject({ state: 'queued', queue: 'automations', subject_id: id });
    expect(Math.abs((row as unknown as { run_in: number }).run_in - (Date.parse(next!) - Date.now()))).toBeLessThan(5_000);
  });

  test('begins one run about the organization, and waits for the next moment', async () => {
    const id = await ticking(minutely);
    const at = thisMinute();
    const jobId = await comes(id, at);
    expect(await tick(jobId)).toEqual({ kind: 'done' });
    const [run, ...others] = await runs(id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ subject_type: 'organization', subject_id: organizationId, contact_id: null, chain: [id] });
    expect(new Date(run!.occurs_at!).getTime()).toBe(at);
    expect(run!.trigger).toBe('schedule');
    const after = await read(id);
    expect(Date.parse(after.next_at!)).toBe(at + minute);
    expect(after.tick_job_id).not.toBe(jobId);
    expect(await house.row(jobId)).toBeUndefined();
    expect(await house.row(after.tick_job_id!)).toBeDefined();
  });

  test('run twice at the same moment has one run', async () => {
    const id = await ticking(minutely);
    const at = thisMinute();
    await tick(await comes(id, at));
    await tick(await comes(id, at));
    expect(await runs(id)).toHaveLength(1);
  });

  test('of moments that were missed, the last falls', async () => {
    const id = await ticking({ type: 'schedule', cron: '0 * * * *', timezone: 'UTC' });
    await tick(await comes(id, Math.floor(Date.now() / (60 * minute)) * 60 * minute - 3 * day));
    const [run, ...others] = await runs(id);
    expect(others).toEqual([]);
    expect(Date.now() - Date.parse(run!.occurs_at!)).toBeLessThan(61 * minute);
    expect(Date.parse((await read(id)).next_at!)).toBe(Date.parse(run!.occurs_at!) + 60 * minute);
  });

  test('whose moment has not come waits', async () => {
    const id = await ticking(minutely);
    const jobId = await comes(id, Date.now() + 5_000);
    expect(await tick(jobId)).toMatchObject({ kind: 'wait' });
    expect(await runs(id)).toEqual([]);
  });

  test('that is paused, or has another tick, does nothing', async () => {
    const id = await ticking(minutely);
    const jobId = await comes(id, thisMinute());
    await ruleRows.change(house, id, { status: 'paused' });
    expect(await tick(jobId)).toEqual({ kind: 'done' });
    expect(await runs(id)).toEqual([]);
  });

  test('that ends has no job any more', async () => {
    const id = await ticking(minutely);
    const { tick_job_id: jobId } = await read(id);
    await transact()({ locks: [ruleLock(id)] }, ({ own: tx }) => endSchedule(tx, id));
    expect(await house.row(jobId!)).toBeUndefined();
  });

  test('published again keeps a moment that has come and is its own too', async () => {
    const id = await ticking(minutely);
    const at = iso(thisMinute());
    const next = await transact()({ locks: [ruleLock(id)] }, ({ own: tx }) =>
      scheduleNext(tx, { id, next_at: at }, { trigger: minutely }),
    );
    expect(next!.next_at).toBe(at);
    const other: Trigger = { type: 'schedule', cron: '0 0 1 1 *' };
    const later = await transact()({ locks: [ruleLock(id)] }, ({ own: tx }) =>
      scheduleNext(tx, { id, next_at: at }, { trigger: other }),
    );
    expect(Date.parse(later!.next_at)).toBeGreaterThan(Date.now());
  });

  test('that never comes again waits for nothing', async () => {
    const id = await ticking({ type: 'event', event: 'deal.created' });
    expect(await read(id)).toMatchObject({ next_at: null, tick_job_id: null });
  });
});

describe('for each of a list', () => {
  const forEach = (more: object = {}, kind = 'contact'): Trigger => ({ ...minutely, for_each: { kind, ...more } }) as Trigger;

  test('a run, whatever batches it takes, and however often one is taken', async () => {
    const all = await people(7);
    const id = await ticking(forEach());
    const jobId = await comes(id, thisMinute());
    const source = { database: house.database, own: own() };
    for (const made of [3, 6]) {
      const step = await nextStep(source, id, jobId, { size: 3 });
      if (step.kind !== 'step') throw new Error('a step');
      expect(step.isLast).toBe(false);
      await transact()(step.look, step.write);
      expect(await runs(id)).toHaveLength(made);
      // Another worker that had read the same batch writes nothing more.
      await expect(transact()(step.look, step.write)).rejects.toThrow();
      expect(await runs(id)).toHaveLength(made);
    }
    // The worker died: the next one goes on after the last batch.
    expect(await tick(jobId)).toEqual({ kind: 'done' });
    expect(await subjects(id)).toEqual(all);
    expect((await runs(id)).every((run) => run.contact_id === run.subject_id)).toBe(true);
    expect(await occurrenceRows.count(house)).toBe(0);
    expect(Date.parse((await read(id)).next_at!)).toBeGreaterThan(0);
  });

  test('more than may be are counted as held back', async () => {
    await people(5);
    const id = await ticking(forEach());
    const jobId = await comes(id, thisMinute());
    const step = await nextStep({ database: house.database, own: own() }, id, jobId, { size: 10, max: 3 });
    if (step.kind !== 'step') throw new Error('a step');
    expect(step.isLast).toBe(true);
    await transact()(step.look, step.write);
    expect(await runs(id)).toHaveLength(3);
    const held = await heldRows.all(house, { rule_id: id }, ['reason', 'count']);
    expect(held).toEqual([{ reason: 'too_many_runs', count: 2 }]);
  });

  test('filters, search, tags and segments select', async () => {
    const [gold, plain, other] = (await people(3)) as [string, string, string];
    await setFields(gold, { tier: 'gold' });
    await setFields(other, { tier: 'gold' });
    const segment = uuidv7();
    await segmentRows.add(house, { organization_id: organizationId, id: segment, name: 'Few', kind: 'static' });
    for (const one of [gold, plain])
      await segmentMemberRows.add(house, { organization_id: organizationId, segment_id: segment, contact_id: one });
    const filters = [{ field: 'custom_fields.tier', operator: 'eq', value: 'gold' }];
    const id = await ticking(forEach({ filters, segment_ids: [segment] }));
    await tick(await comes(id, thisMinute()));
    expect(await subjects(id)).toEqual([gold]);
  });

  test('where its segment is gone, the rule pauses and tells why', async () => {
    const id = await ticking(forEach({ segment_ids: [uuidv7()] }));
    expect(await tick(await comes(id, thisMinute()))).toEqual({ kind: 'done' });
    expect(await read(id)).toEqual({ id, status: 'paused', paused_reason: 'not_valid', next_at: null, tick_job_id: null });
    expect(await ruleRows.all(house, id, ['revision'])).toEqual([{ revision: 2 }]);
    const told = await house.sql(`select data->>'reason' as reason from events where type = 'automation.rule.paused'`);
    expect(told).toEqual([{ reason: 'not_valid' }]);
  });

  test('that always meets a fault of our own, the rule pauses and tells so; resumed, it ticks again', async () => {
    await people(1);
    const id = await ticking({ ...forEach(), cron: '0 * * * *' } as Trigger);
    const jobId = await comes(id, thisHour());
    await occurrenceRows.add(house, { organization_id: organizationId, rule_id: id, occurs_at: iso(thisHour()), version: 1 });
    const ended: string[] = [];
    await house.sql('alter table contacts rename to people');
    try {
      for (let turn = 0; turn < 30 && (await house.row(jobId))?.state === 'queued'; turn += 1) {
        ended.push((await tick(jobId)).kind);
        await makeDue(house, jobId);
      }
    } finally {
      await house.sql('alter table people rename to contacts');
    }
    expect(ended).toEqual([...new Array(14).fill('wait'), 'failed']);
    const paused = { status: 'paused', paused_reason: 'schedule_failed', next_at: null, tick_job_id: null };
    expect(await read(id)).toEqual({ id, ...paused });
    const told = await house.sql(
      `select data->>'reason' as reason from events where type = 'automation.rule.paused' and subject_id = $1`,
      [id],
    );
    expect(told).toEqual([{ reason: 'schedule_failed' }]);
    expect(await occurrenceRows.count(house)).toBe(0);

    const author = { actor: 'key:test', scopes: new Set(['automation:write', 'crm:write']) } as unknown as Author;
    await transact()({ locks: publishLocks(organizationId, id) }, ({ own: tx }) => resumeRule(tx, author, id));
    const now = await read(id);
    expect(now).toMatchObject({ status: 'live', paused_reason: '' });
    expect(now.tick_job_id).not.toBe(jobId);
    await tick(await comes(id, thisHour()));
    expect(await runs(id)).toHaveLength(1);
  });

  test('only those for whom the conditions hold', async () => {
    const [ada] = (await people(2)) as [string];
    await contactRows.change(house, ada, { name: 'Ada' });
    const conditions = { field: 'contact.name', operator: 'eq', value: 'Ada' };
    const id = await ticking(forEach(), { conditions });
    await tick(await comes(id, thisMinute()));
    expect(await subjects(id)).toEqual([ada]);
  });

  test('`skip`: who is in a run of the rule has no second', async () => {
    await people(2);
    const id = await ticking(forEach(), { concurrency: 'skip' });
    await tick(await comes(id, thisMinute()));
    await earlier(id);
    await tick(await comes(id, thisMinute()));
    expect(await runs(id)).toHaveLength(2);
    const held = await heldRows.all(house, { rule_id: id }, ['reason', 'count']);
    expect(held).toEqual([{ reason: 'subject_busy', count: 2 }]);
  });

  test('`restart`: the run before is cancelled', async () => {
    await people(2);
    const id = await ticking(forEach(), { concurrency: 'restart' });
    await tick(await comes(id, thisMinute()));
    await earlier(id);
    await tick(await comes(id, thisMinute()));
    const states = await runRows.all(house, { rule_id: id }, ['state'], { state: 'asc' });
    expect(states.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'queued', 'queued']);
  });
});

describe('a date', () => {
  const today = (zone: string, ms = Date.now()) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(ms);
  const birthday: Trigger = { type: 'date', kind: 'contact', field: 'custom_fields.born', repeat: 'yearly' };

  /** A quarter of an hour after which a clock in the zone shows this time; the last one that is past. */
  function lastTimeIn(zone: string) {
    const quarter = Math.floor(Date.now() / (15 * minute)) * 15 * minute;
    return { ms: quarter, at: new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(quarter) };
  }

  test('of contacts falls by the clock of each', async () => {
    const [tokyo, berlin, nobody] = (await people(3)) as [string, string, string];
    const { ms, at } = lastTimeIn('Asia/Tokyo');
    const born = `1990${today('Asia/Tokyo', ms).slice(4)}`;
    await setFields(tokyo, { born, timezone: 'asia/tokyo' });
    await setFields(berlin, { born, timezone: 'Europe/Berlin' });
    await setFields(nobody, { born: '1990-13-45', timezone: 'Asia/Tokyo' });
    const id = await ticking({ ...birthday, at } as Trigger);
    await tick(await comes(id, ms));
    expect(await subjects(id)).toEqual([tokyo]);
    expect((await runs(id))[0]).toMatchObject({ trigger: 'date', contact_id: tokyo });
    expect(Date.parse((await read(id)).next_at!)).toBe(ms + 15 * minute);
  });

  test.each(['Pacific/Auckland', 'Pacific/Honolulu'])('of when contacts came: one run, on time, in %s', async (timezone) => {
    const [one] = (await people(1)) as [string];
    const { ms, at } = lastTimeIn(timezone);
    await setFields(one, { timezone });
    await contactRows.change(house, {}, { created_at: iso(ms) });
    const id = await ticking({ type: 'date', kind: 'contact', field: 'created_at', at });
    expect(await tick(await comes(id, ms))).toEqual({ kind: 'done' });
    expect(await subjects(id)).toEqual([one]);
    expect(await read(id)).toMatchObject({ status: 'live' });
  });

  test('falls for contacts who got clocks of their own since the tick was written', async () => {
    await organizationRows.change(house, {}, { timezone_field: null });
    const [one] = (await people(1)) as [string];
    const quarter = lastTimeIn('Asia/Tokyo').ms;
    const ms = quarter - 2 * 60 * minute;
    const at = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' }).format(ms);
    await setFields(one, { since: today('Asia/Tokyo', ms), timezone: 'Asia/Tokyo' });
    const id = await ticking({ type: 'date', kind: 'contact', field: 'custom_fields.since', at });
    await organizationRows.change(house, {}, { timezone_field: 'timezone' });
    await written(id, ms - minute);
    await tick(await comes(id, quarter));
    expect(await subjects(id)).toEqual([one]);
  });

  test('falls once, though the contact moves to another zone the same day', async () => {
    const [one] = (await people(1)) as [string];
    const { ms, at } = lastTimeIn('Asia/Tokyo');
    const fields = { born: `1990${today('Asia/Tokyo', ms).slice(4)}`, timezone: 'Asia/Tokyo' };
    await setFields(one, fields);
    const id = await ticking({ ...birthday, at } as Trigger);
    await tick(await comes(id, ms));
    await tick(await comes(id, ms));
    expect(await runs(id)).toHaveLength(1);
  });

  /** Due at this time of the day, so that it has just come. */
  const justNow = (zone: string) => {
    const ms = thisMinute();
    return { ms, at: new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(ms) };
  };

  test('of a task: its day in the organization’s zone, so many days before', async () => {
    const { ms, at } = justNow('Europe/Berlin');
    const due = [2, 3, 4].map((days) => iso(Date.parse(`${today('Europe/Berlin', ms)}T12:00Z`) + days * day));
    const ids = due.map(() => uuidv7());
    for (const [index, time] of due.entries())
      await taskRows.add(house, { organization_id: organizationId, id: ids[index], title: 'Call', due_at: time });
    const id = await ticking({ type: 'date', kind: 'task', field: 'due_at', offset_days: -3, at });
    await tick(await comes(id, ms));
    expect(await subjects(id)).toEqual([ids[1]]);
    expect(Date.parse((await read(id)).next_at!)).toBeGreaterThan(Date.now() + 22 * 60 * minute);
  });

  test('of contacts, by the clock of the rule where they have none', async () => {
    await organizationRows.change(house, {}, { timezone_field: null });
    const [one] = (await people(1)) as [string];
    const { ms, at } = justNow('America/New_York');
    await setFields(one, { since: today('America/New_York', ms), timezone: 'Asia/Tokyo' });
    const id = await ticking({ type: 'date', kind: 'contact', field: 'custom_fields.since', at, timezone: 'America/New_York' });
    await tick(await comes(id, ms));
    expect(await subjects(id)).toEqual([one]);
  });

  test('where its kind is gone, the rule pauses', async () => {
    const { ms, at } = justNow('Europe/Berlin');
    const id = await ticking({ type: 'date', kind: 'boat', field: 'launched', at });
    await tick(await comes(id, ms));
    expect(await read(id)).toMatchObject({ status: 'paused', paused_reason: 'not_valid' });
  });
});
