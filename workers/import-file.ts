import { ImportFailure } from '../src/platform/csv/failure.ts';
import type { endsIn } from '../src/platform/imports/ends.ts';
import type { Counts } from '../src/platform/imports/progress.ts';
import { Superseded } from '../src/platform/ledger/superseded.ts';
import type { OwnTx } from '../src/platform/ledger/tx.ts';
import type { Outcome, RunContext } from './handler.ts';
import { leftToAnother, paused } from './turn.ts';

type Importing = {
  importId: string;
  ends: ReturnType<typeof endsIn>;
  /** Does what is left of the file. Throws ImportFailure, Superseded. */
  run(): Promise<'over' | 'paused'>;
  /** Others changed the same objects all the while. */
  isTaken(error: unknown): boolean;
  /** Tells of the end, once. Holds the lock of the import. */
  told(tx: OwnTx, counts: Counts): void;
};

/** One turn of an import: its end, its pause for others, or what the file did wrong. */
export async function importFile(
  context: RunContext<unknown>,
  { importId, ends, run, isTaken, told }: Importing,
): Promise<Outcome> {
  try {
    if ((await run()) === 'paused') return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    // The batch was retried many times: it must not block other imports for ever.
    if (isTaken(error)) return context.again({ code: 'internal', message: 'Others changed the same objects all the while' });
    if (!(error instanceof ImportFailure)) throw error;
    const { code, message, line, column } = error;
    const where = line === undefined ? '' : ` (line ${line})`;
    const failure = { code, message, line, column };
    return context.fail({ code, message: `${message}${where}` }, { work: ({ own }) => ends.note(own, importId, failure) });
  }
  return context.finish(async ({ own }) => {
    const counts = await ends.succeeded(own, importId);
    if (!counts) return;
    // Only this job emits events of the import, so the lock is always free.
    await own.lockNew(context.row.subject_type, importId);
    told(own, counts);
  });
}
