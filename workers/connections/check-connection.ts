import { connectionAccount } from '../../src/connections/account.ts';
import { recordCheck, recordProblem } from '../../src/connections/check.ts';
import { checkConnectionJob, watchConnectionJob } from '../../src/connections/jobs.ts';
import { CannotOpen } from '../../src/platform/secrets.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { callsOf, stopFor } from './with-connection.ts';

const unreadable = 'The credentials cannot be decrypted: SECRET_KEY lacks its key. Bring the key back or set new credentials';

/** Reads only, so it may run twice. Refused credentials fail it, after the connection is stopped. */
async function check(context: RunContext<unknown>, id: string): Promise<Outcome> {
  const { own, transact, providers, secrets } = context;
  const account = await connectionAccount(own, id, secrets).catch((error) => {
    if (!(error instanceof CannotOpen)) throw error;
    return 'unreadable' as const;
  });
  if (account === 'unreadable') {
    await recordProblem(transact, { id }, unreadable);
    return context.finish();
  }
  if (!account) return context.finish();
  try {
    const call = callsOf(context, account, { heedsHold: false });
    const verified = await call((access) => providers.verify[account.provider](account.credentials, access));
    await recordCheck(transact, account, verified);
    return context.finish();
  } catch (error) {
    // Deleted meanwhile, with its credentials and its token: there is nothing to say of it any more.
    if (!(await connectionAccount(own, id, secrets).catch(() => account))) return context.finish();
    if (error instanceof ProviderRefused && !(await stopFor(context, account, error)))
      await recordProblem(transact, account, error.message);
    throw error;
  }
}

export const checkConnection = handle(checkConnectionJob, ({ connection_id }, context) => check(context, connection_id));
export const watchConnection = handle(watchConnectionJob, ({ connection_id }, context) => check(context, connection_id));
