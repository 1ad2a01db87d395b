import { type AccountRow, accountFrom, connectionAccount } from '../../../src/connections/account.ts';
import { stopConnection } from '../../../src/connections/change.ts';
import { RateReached } from '../../../src/providers/calendar/error-codes.ts';
import { ProviderBusy, ProviderRefused } from '../../../src/providers/errors.ts';
import { type AtConnection, ConnectionHeld, callsOf, slowDown } from '../../connections/with-connection.ts';
import type { RunContext } from '../../handler.ts';

/** One call, in a turn of the connection's pace, with a token that is good. */
export type Call = AtConnection['call'];

/** Nothing goes through this connection until somebody gives it new credentials. */
export class ConnectionAway extends Error {
  readonly connectionId: string;
  constructor(connectionId: string, message: string) {
    super(message);
    this.connectionId = connectionId;
  }
}

/** The rate of a connection is reached: its whole pool waits. */
export class ConnectionBusy extends ProviderBusy {}

const longestStep = 6;
/**
 * Refusals in a row for their rate, of this process: where the service does not say how long, the wait doubles up to 64 s. Calls that were under
 * way together are refused together: within a hold they count once.
 */
const refusedInARow = new Map<string, { count: number; heldUntilMs: number }>();

export type ReadAccount = { row: AccountRow; readAtMs: number };
/** An account that was read longer ago may have been stopped or deleted since. */
const recentMs = 1_000;

/** Undefined: the connection was deleted. `read`: an account that was read already. Throws ConnectionAway. */
export async function reach(context: RunContext<unknown>, id: string, read?: ReadAccount): Promise<Call | undefined> {
  const isRecent = read?.row.id === id && performance.now() - read.readAtMs < recentMs;
  const account = isRecent
    ? accountFrom(read.row, context.secrets, read.readAtMs)
    : await connectionAccount(context.own, id, context.secrets);
  if (!account) return undefined;
  if (account.status !== 'connected') throw new ConnectionAway(id, `The ${account.kind} connection is ${account.status}`);
  const call = callsOf(context, account);
  return async (work, before) => {
    try {
      const answer = await call(work, before);
      refusedInARow.delete(id);
      return answer;
    } catch (error) {
      if (error instanceof ProviderRefused && error.stopsChannel) {
        await stopConnection(context.transact, account, error.stopsChannel, error.message);
        throw new ConnectionAway(id, `The ${account.kind} connection is ${error.stopsChannel}: ${error.message}`);
      }
      if (!(error instanceof ProviderBusy) || error.scope !== 'channel') throw error;
      const retryAfterMs = error instanceof ConnectionHeld ? error.retryAfterMs : await heldFor(context, id, error);
      throw new ConnectionBusy(error.message, { code: error.providerCode ?? undefined, scope: 'channel', retryAfterMs });
    }
  };
}

/** Holds the connection's pool. For how long. */
async function heldFor(context: RunContext<unknown>, id: string, error: ProviderBusy): Promise<number> {
  const last = refusedInARow.get(id) ?? { count: 0, heldUntilMs: 0 };
  const isTold = !(error instanceof RateReached) || error.isTold;
  const leftMs = Math.ceil(last.heldUntilMs - performance.now());
  if (!isTold && leftMs > 0) return leftMs;
  const ms = isTold ? error.retryAfterMs : 1_000 * 2 ** last.count;
  refusedInARow.set(id, { count: Math.min(last.count + 1, longestStep), heldUntilMs: performance.now() + ms });
  await slowDown(context, id, ms);
  return ms;
}
