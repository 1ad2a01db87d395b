import { setTimeout as sleep } from 'node:timers/promises';
import { accessToken, hasTokens } from '../../src/connections/access-token.ts';
import { type ConnectionAccount, connectionAccount } from '../../src/connections/account.ts';
import { stopConnection } from '../../src/connections/change.ts';
import { holdConnection } from '../../src/connections/turns.ts';
import { connectionPool } from '../../src/connections/use.ts';
import type { BatchStatement } from '../../src/platform/database/batch.ts';
import { type CallTurn, callTurn, takeCall, turnIn } from '../../src/platform/ledger/pace.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { ProviderBusy, ProviderRefused } from '../../src/providers/errors.ts';
import type { Outcome, RunContext } from '../handler.ts';

export type AtConnection = {
  account: ConnectionAccount;
  /**
   * One call, in a turn of its own of the connection's pace. `access`: the access token, `''` where the provider gives none. `before`: a write
   * that must be there before the call, sent with the first look for a turn; what it throws ends the call.
   */
  call<Answer>(work: (access: string) => Promise<Answer>, before?: WriteBefore): Promise<Answer>;
};
/** Returns the rows of `turn`, which it runs in its own batch. */
export type WriteBefore = (turn: BatchStatement) => Promise<unknown[]>;

/** The connection's pool is held: its provider asked to slow down. No call was made. */
export class ConnectionHeld extends ProviderBusy {}
/** A hold that is over so soon is slept through. */
const shortMs = 1_000;

/** A connection that is repaired lets its pool go, with the runs that are held there; a run of another pool looks again after this time. */
const [heldAgainMs, stoppedMs] = [1_000, 60_000];

/**
 * Work with a connection. A refused access token is renewed once; refused credentials stop the connection, and the run keeps its place until
 * there are new ones. A provider that asks to slow down is obeyed by the whole pool. `gone`: the connection was deleted.
 */
export async function withConnection(
  context: RunContext<unknown>,
  id: string,
  { gone, work }: { gone(): Promise<Outcome>; work(at: AtConnection): Promise<Outcome> },
): Promise<Outcome> {
  const account = await connectionAccount(context.own, id, context.secrets);
  if (!account) return gone();
  if (account.status !== 'connected') {
    const waitMs = context.row.pool === connectionPool(id) ? heldAgainMs : stoppedMs;
    return context.wait(waitMs, { reason: `the connection is ${account.status}` });
  }
  try {
    return await work({ account, call: callsOf(context, account) });
  } catch (error) {
    if (await stopFor(context, account, error)) {
      return context.wait(heldAgainMs, { reason: (error as Error).message });
    }
    if (error instanceof ProviderBusy && error.scope === 'channel') {
      if (!(error instanceof ConnectionHeld)) await slowDown(context, id, error.retryAfterMs);
      return context.wait(error.retryAfterMs, { reason: error.message });
    }
    throw error;
  }
}

/** False: the error is about something else than the credentials. */
export async function stopFor({ transact }: RunContext<unknown>, account: ConnectionAccount, error: unknown): Promise<boolean> {
  if (!(error instanceof ProviderRefused && error.stopsChannel)) return false;
  await stopConnection(transact, account, error.stopsChannel, error.message);
  return true;
}

/**
 * `heedsHold`: false calls past a hold, as a check does by which it may end. Else a call of a held pool throws ConnectionHeld: a run of that very
 * pool is put in its line within a second, and goes on when the hold ends.
 */
export function callsOf(
  context: RunContext<unknown>,
  account: ConnectionAccount,
  { heedsHold = true } = {},
): AtConnection['call'] {
  const { database, own, secrets, providers, config, outside } = context;
  const pool = poolOf(own.organizationId, connectionPool(account.id));
  const longestMs = context.row.pool === pool.id ? heldAgainMs : undefined;
  const deps = { secrets, tokens: providers.tokens, timeoutMs: config.providerTimeoutMs };
  const paced = async <Answer>(work: () => Promise<Answer>, before?: WriteBefore) => {
    let turn = before ? turnIn(await before(callTurn(pool, heedsHold))) : await takeCall(database, pool, heedsHold);
    for (; !isFree(turn); turn = await takeCall(database, pool, heedsHold)) await sleep(msOf(turn, longestMs));
    return work();
  };
  return (work, before) =>
    outside(async () => {
      if (!hasTokens(account)) return paced(() => work(''), before);
      const token = await accessToken(own, account, deps);
      try {
        return await paced(() => work(token), before);
      } catch (error) {
        if (!(error instanceof ProviderRefused && error.stopsChannel === 'auth_error')) throw error;
        const other = await accessToken(own, account, deps, token);
        account.kept.readAtMs = Number.NEGATIVE_INFINITY;
        return paced(() => work(other));
      }
    });
}

const isFree = ({ heldMs, waitMs }: CallTurn) => heldMs === undefined && waitMs === undefined;

/** Throws ConnectionHeld, to come again after `longestMs` at the latest. */
function msOf({ heldMs, waitMs = 0 }: CallTurn, longestMs = Number.POSITIVE_INFINITY): number {
  if (heldMs === undefined || heldMs <= shortMs) return heldMs ?? waitMs;
  const retryAfterMs = Math.min(Math.ceil(heldMs), longestMs);
  throw new ConnectionHeld('The provider asked to slow down', { retryAfterMs, scope: 'channel' });
}

export const slowDown = (context: RunContext<unknown>, id: string, ms: number) =>
  holdConnection(context, poolOf(context.own.organizationId, connectionPool(id)), ms);
