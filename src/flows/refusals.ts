import { violatedConstraint } from '../platform/database/errors.ts';
import { AppError, type ErrorDetail } from '../platform/errors.ts';
import type { FlowSummary } from './flow-row.ts';

const conflict = (message: string, detail: Omit<ErrorDetail, 'message'>) =>
  new AppError('conflict', message, { details: [{ ...detail, message }] });

/** A name is taken in its account, whatever its case. Rethrows what is something else. */
export function refuseTakenName(error: unknown): never {
  if (violatedConstraint(error) === 'flows_name')
    throw conflict('The account has a flow of this name', { field: 'name', location: 'body', code: 'name.taken' });
  throw error;
}

/** Throws 409: neither here nor at the provider anything becomes of a change. */
export function assertNotDeprecated({ status }: Pick<FlowSummary, 'status'>): void {
  if (status === 'deprecated')
    throw conflict('A deprecated flow cannot be changed: clone it', { code: 'flow.status', value: status });
}

/** Throws 409 while a job works for it at the provider. */
export function assertIdle({ doing }: Pick<FlowSummary, 'doing'>): void {
  if (doing !== null)
    throw new AppError('conflict', `The provider is being asked about this flow (${doing}): try again once it has answered`, {
      retryAfterSeconds: 5,
    });
}

type Placed = Pick<FlowSummary, 'provider_flow_id' | 'account_id' | 'asked_at'>;

/** Throws 409. After a creation without an answer the provider may have it there, too: in another account it would be made once more. */
export function assertMayMove({ provider_flow_id: id, account_id: has, asked_at }: Placed, account: string | null): void {
  if ((id === null && asked_at === null) || account === has) return;
  const there = id === null ? 'may have this flow since a push that had no answer' : 'has this flow';
  throw conflict(`The provider ${there}, in the account of its channel: another channel must be of the same account`, {
    field: 'channel_id',
    location: 'body',
    code: 'channel.account',
  });
}
