import { isDeepStrictEqual } from 'node:util';
import type { Remains } from '../../contacts/erasure/erase.ts';
import { tracesOf } from '../../contacts/erasure/traces.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { runLock } from '../jobs.ts';
import type { AutomationRun, AutomationStep } from '../run.entity.ts';

/** A run may have a thousand steps of 16 kB. */
const batch = 20;

/** SQL: a batch of what some runs hold, with the steps of each. */
const readWhere = (which: string) => `
  select r.id, r.vars, r.reason, r.error,
         (select coalesce(jsonb_agg(jsonb_build_object('number', s.number, 'input', s.input, 'output', s.output, 'error', s.error)
                                    order by s.number), '[]')
            from automation_steps s
           where s.organization_id = r.organization_id and s.run_id = r.id) as steps
    from automation_runs r
   where r.organization_id = $1
     and ${which} = any($2::uuid[])
     and r.id > $3::uuid
   order by r.id
   limit $4`;
const readRuns = readWhere('r.subject_id');
const readRun = readWhere('r.id');

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

type Step = RowOf<typeof AutomationStep, 'number' | 'input' | 'output' | 'error'>;
type Held = RowOf<typeof AutomationRun, 'id' | 'vars' | 'reason' | 'error'> & { steps: Step[] };
type Clean = ReturnType<typeof tracesOf>;

const nil = '00000000-0000-0000-0000-000000000000';

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
  let changed = 0;
  for (let after = nil, isMore = subjects.length > 0; isMore; ) {
    const runs = await own.sql<Held>(readRuns, [subjects, after, batch]);
    for (const run of runs) if (!isDeepStrictEqual(cleaned(run, clean), run)) changed += await forgetIn(transact, run.id, clean);
    isMore = runs.length === batch;
    after = runs.at(-1)?.id ?? after;
  }
  return changed;
}

/** Codes are words of ours. */
const cleanedError = (error: JobError | null, clean: Clean) => error && { ...error, message: clean(error.message) };

const cleaned = ({ id, vars, reason, error, steps }: Held, clean: Clean): Held => ({
  id,
  vars: clean(vars),
  reason: clean(reason),
  error: cleanedError(error, clean),
  steps: steps.map(({ number, input, output, error: ofStep }) => ({
    number,
    input: clean(input),
    output: clean(output),
    error: cleanedError(ofStep, clean),
  })),
});

/** Under the lock of the run: a live one writes on. */
function forgetIn(transact: TenantTransact, id: string, clean: Clean): Promise<number> {
  return transact({ locks: [runLock(id)] }, async ({ own }) => {
    const [run] = await own.sql<Held>(readRun, [[id], nil, 1]);
    if (!run) return 0;
    const { vars, reason, error, steps } = cleaned(run, clean);
    await own.sql(writeRun, [id, JSON.stringify(vars), reason, error && JSON.stringify(error)]);
    await own.sql(writeSteps, [id, JSON.stringify(steps)]);
    return 1;
  });
}
