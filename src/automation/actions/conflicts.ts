import { identityTaken } from '../../contacts/identities/resolve.ts';
import { dealWrite } from '../../deals/deal-row.ts';
import { conversationTaken } from '../../messaging/conversations.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import { taskWrite } from '../../tasks/task-row.ts';

/** For the transaction of steps: what others did at the same time, so that the whole write is repeated. As the API's own writes have it. */
export const conflicts = {
  retryOn: [...new Set([...dealWrite('').retryOn, ...taskWrite('').retryOn, identityTaken, conversationTaken])],
  /** What a step refers to has gone meanwhile: the next look says what is missing. */
  outdatedBy: (error: unknown) => brokenReference(error) !== undefined,
};
