import { AppError } from '../platform/errors.ts';
import type { FlowStatus } from './flow.entity.ts';

/** What a client asks for. `unpublish`: a push that may turn a published flow into a draft. */
export const flowActions = ['push', 'unpublish', 'publish', 'deprecate', 'delete', 'sync', 'preview'] as const;
export type FlowAction = (typeof flowActions)[number];

type Moves = Partial<Record<FlowAction, FlowStatus | 'gone'>>;

/** An action that is not here is a conflict. Throttled and blocked is what the provider alone makes of a flow, and takes back. */
const moves: Record<FlowStatus, Moves> = {
  draft: { push: 'draft', unpublish: 'draft', publish: 'published', delete: 'gone' },
  published: { unpublish: 'draft', publish: 'published', deprecate: 'deprecated' },
  throttled: { deprecate: 'deprecated' },
  blocked: { deprecate: 'deprecated' },
  deprecated: { deprecate: 'deprecated' },
};

const words: Record<FlowAction, string> = {
  push: 'pushed',
  unpublish: 'pushed',
  publish: 'published',
  deprecate: 'deprecated',
  delete: 'deleted',
  sync: 'synchronised',
  preview: 'previewed',
};

/** The status that the action leads to; undefined: it is refused. */
export function moveOf(status: FlowStatus, action: FlowAction): FlowStatus | 'gone' | undefined {
  return action === 'sync' || action === 'preview' ? status : moves[status][action];
}

/** Why it is refused; undefined: it is not. */
export function moveRefusal(status: FlowStatus, action: FlowAction): string | undefined {
  if (moveOf(status, action)) return undefined;
  const from = Object.keys(moves).filter((one) => moveOf(one as FlowStatus, action));
  const hint =
    action === 'push' && status === 'published'
      ? '`allow_unpublish` makes it a draft, and POST …/publish pushes and publishes'
      : `one that is ${from.join(', ').replace(/, ([^,]+)$/, ' or $1')} can be`;
  return `A flow that is ${status} cannot be ${words[action]}: ${hint}`;
}

/** Throws 409. */
export function assertMove(status: FlowStatus, action: FlowAction): void {
  const message = moveRefusal(status, action);
  if (message === undefined) return;
  throw new AppError('conflict', message, {
    details: [{ message: `The flow is ${status}`, code: 'flow.status', value: status }],
  });
}

/** The provider decides every status; only a deprecated flow stays so for ever. */
export const providerMayMove = (from: FlowStatus, to: FlowStatus): boolean => from !== 'deprecated' || to === 'deprecated';
