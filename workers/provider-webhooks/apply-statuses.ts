import { isOurOutage } from '../../src/platform/database/errors.ts';
import type { Part } from '../../src/platform/ledger/part.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { applySeen, lookAtStatuses, type Where } from '../../src/provider-webhooks/apply-status.ts';
import type { InboundStatus } from '../../src/providers/messaging-app/inbound.ts';
import type { Outcome, RunContext } from '../handler.ts';
import type { FaultList } from './faults.ts';

type Given = { statuses: InboundStatus[]; where: Where; faults: FaultList };

/** In our own outage the whole body is retried. Any other error is this part's own. */
export function noteFault({ log, row }: RunContext<unknown>, faults: FaultList, error: unknown, kind: string): void {
  if (isOurOutage(error)) throw error;
  log.error({ err: error, webhook_id: row.subject_id }, 'a part of a provider webhook could not be applied');
  faults.add(reasonOf(error), kind);
}

/** In one write. */
export async function applyStatuses(context: RunContext<unknown>, { statuses, where, faults }: Given): Promise<void> {
  try {
    await context.transact(lookAtStatuses(context.own, statuses, where), applySeen);
  } catch (error) {
    await oneByOne(context, { statuses, where, faults }, error);
  }
}

/** The end of the body's job, with its last statuses in the same write. `ending` is asked last: it tells the faults. */
export async function finishWithStatuses(context: RunContext<unknown>, given: Given, ending: () => Part): Promise<Outcome> {
  const { statuses, where } = given;
  if (statuses.length === 0) return context.finish(ending());
  try {
    return await context.finishLooked(lookAtStatuses(context.own, statuses, where), async (tx, seen) => {
      await applySeen(tx, seen);
      tx.include(ending());
    });
  } catch (error) {
    await oneByOne(context, given, error);
    return context.finish(ending());
  }
}

/** A broken status undid the write of all: the others are still applied. */
async function oneByOne(context: RunContext<unknown>, { statuses, where, faults }: Given, cause: unknown): Promise<void> {
  if (isOurOutage(cause)) throw cause;
  context.log.warn(
    { err: cause, webhook_id: context.row.subject_id },
    'the statuses of a provider webhook are applied one by one',
  );
  for (const status of statuses) {
    try {
      await context.transact(lookAtStatuses(context.own, [status], where), applySeen);
    } catch (error) {
      noteFault(context, faults, error, status.kind);
    }
  }
}
