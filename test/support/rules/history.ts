import type { InferEntity } from '@mikro-orm/core';
import { CrmHistory } from '../../../src/history/history.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';

/** The revisions of a deal, a task or a record, oldest first. */
export const historyOf = (em: Em, objectId: string): Promise<InferEntity<typeof CrmHistory>[]> =>
  em.find(CrmHistory, { object_id: objectId }, { orderBy: { revision: 'asc' } });
