import { isDeepStrictEqual } from 'node:util';
import type { Remains } from '../../contacts/erasure/erase.ts';
import { tracesOf } from '../../contacts/erasure/traces.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { nilUuid } from '../../platform/ids.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { slices } from '../../platform/load/slices.ts';
import { runLock } from '../jobs.ts';
import type { AutomationRun, AutomationStep } from '../run.entity.ts';

const batch = 20;
/** A run may have a thousand, of 32 kB each. */
const stepBatch = 100;

/** SQL: a batch of what some runs hold. */
const readWhere = (which: string) => `
  select id, vars, reason, error
    from automation_runs
   where organization_id = $1
     and ${which} = any($2::uuid[])
     and id > $3::uuid
   order by id
   limit $4`;
const readRuns = readWhere('subject_id');
const readRun = readWhere('id');
/** SQL: a page of the steps of some runs, by their key. */
const readSteps = `
  select run_id, number, input, output, error
    from automation_steps
   where organization_id = $1
     and run_id = any($2::uuid[])
     and (run_id, number) > ($3::uuid, $4::int)
   order by run_id, number
   limit ${stepBatch}`;

const writeRun = `
  update automation_runs
     set vars = $3::jsonb, reason = $4, error = $5::jsonb
   where organization_id = $1
     and id = $2`;
/** SQL: a set of steps. */
const writeSteps = `
  update automation_steps s
     set input = x.input, output = x.output, error = x.error
    from jsonb_to_recordset($3::jsonb) as x(number int, input jsonb, output jsonb, error jsonb)
   where s.organization_id = $1
     and s.run_id = $2
     and s.number = x.number`;

type Step = RowOf<typeof AutomationStep, 'run_id' | 'number' | 'input' | 'output' | 'error'>;
type Held = RowOf<typeof AutomationRun, 'id' | 'vars' | 'reason' | 'error'>;
type Clean = ReturnType<typeof tracesOf>;

/**
 * Blanks the person in what runs hold that were not about them, but about a deal, a task, a record or an order of theirs, or about nothing: a
 * schedule's. Those about the person are blank since the contact went. Idempotent. Returns how many it changed.
 */
export async function forgetInRuns(transact: TenantTransact, own: Own, remains: Remains): Promise<number> {
  const { identities, names, deals, tasks, records, orders = [] } = remains;
  const clean = tracesOf(identities, names);
  // Of a schedule without a listing the subject is the organization; a word of it may be about somebody else of the same name.
  const cleanAddresses = tracesOf(identities, []);
  const changed = await forget(transact, own, [...deals, ...tasks, ...records, ...orders], clean);
  return changed + (await forget(transact, own, [own.organizationId], cleanAddresses));
}

async function forget(transact: TenantTransact, own: Own, subjects: string[], clean: Clean) {
  const pause = slices();
  let changed = 0;
  for (let after = nilUuid, isMore = subjects.length > 0; isMore; ) {
    const runs = await own.sql<Held>(readRuns, [subjects, after, batch]);
    const holding = new Set(runs.filter((run) => !isDeepStrictEqual(cleanedRun(run, clean), run)).map(({ id }) => id));
    for await (const step of stepsOf(
      own,
      runs.map(({ id }) => id),
    )) {
      if (!holding.has(step.run_id) && !isDeepStrictEqual(cleanedStep(step, clean), step)) holding.add(step.run_id);
      await pause();
    }
    for (const { id } of runs) if (holding.has(id)) changed += await forgetIn(transact, id, clean);
    isMore = runs.length === batch;
    after = runs.at(-1)?.id ?? after;
  }
  return changed;
}

async function* stepsOf(own: Own, runs: string[]): AsyncGenerator<Step> {
  for (let after = { id: nilUuid, number: 0 }, isMore = runs.length > 0; isMore; ) {
    const page = await own.sql<Step>(readSteps, [runs, after.id, after.number]);
    yield* page;
    isMore = page.length === stepBatch;
    if (isMore) after = { id: page.at(-1)!.run_id, number: page.at(-1)!.number };
  }
}

/** Codes are words of ours. */
const cleanedError = (error: JobError | null, clean: Clean) => error && { ...error, message: clean(error.message) };

const cleanedRun = ({ id, vars, reason, error }: Held, clean: Clean): Held => ({
  id,
  vars: clean(vars),
  reason: clean(reason),
  error: cleanedError(error, clean),
});

const cleanedStep = ({ run_id, number, input, output, error }: Step, clean: Clean): Step => ({
  run_id,
  number,
  input: clean(input),
  output: clean(output),
  error: cleanedError(error, clean),
});

/** Under the lock of the run: a live one writes on. */
function forgetIn(transact: TenantTransact, id: string, clean: Clean): Promise<number> {
  return transact({ locks: [runLock(id)] }, async ({ own }) => {
    const [run] = await own.sql<Held>(readRun, [[id], nilUuid, 1]);
    if (!run) return 0;
    const { vars, reason, error } = cleanedRun(run, clean);
    await own.sql(writeRun, [id, JSON.stringify(vars), reason, error && JSON.stringify(error)]);
    const pause = slices();
    for await (const step of stepsOf(own, [id])) {
      await pause();
      const left = cleanedStep(step, clean);
      if (!isDeepStrictEqual(left, step)) await own.sql(writeSteps, [id, JSON.stringify([left])]);
    }
    return 1;
  });
}
