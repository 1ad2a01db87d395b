import { Deal, DealContact, DealConversation } from '../../../src/deals/deal.entity.ts';
import { Pipeline } from '../../../src/deals/pipelines/pipeline.entity.ts';
import { DealRevaluation } from '../../../src/deals/revalue/revaluation.entity.ts';
import { CrmHistory } from '../../../src/history/history.entity.ts';
import { CrmImport, CrmImportChunk } from '../../../src/imports/import.entity.ts';
import { ExchangeRate } from '../../../src/money/exchange-rate.entity.ts';
import { CrmRecord, RecordLink } from '../../../src/records/record.entity.ts';
import { ObjectType } from '../../../src/records/types/type.entity.ts';
import { RecordValue } from '../../../src/records/types/value.entity.ts';
import { Task, TaskTarget } from '../../../src/tasks/task.entity.ts';
import { type Database, storedRows } from './rows.ts';
import { now } from './times.ts';

const storedExchangeRates = storedRows(ExchangeRate);
export const storedRecordValues = storedRows(RecordValue);
export const storedObjectTypes = storedRows(ObjectType);
export const storedRecords = storedRows(CrmRecord);
export const storedRecordLinks = storedRows(RecordLink);
export const storedPipelines = storedRows(Pipeline);
export const storedDeals = storedRows(Deal);
export const storedDealContacts = storedRows(DealContact);
export const storedDealConversations = storedRows(DealConversation);
export const storedRevaluations = storedRows(DealRevaluation);
export const storedHistory = storedRows(CrmHistory);
export const storedTasks = storedRows(Task);
export const storedTaskTargets = storedRows(TaskTarget);
export const storedCrmImports = storedRows(CrmImport);
export const storedCrmImportChunks = storedRows(CrmImportChunk);

type Rate = { base: string; quote?: string; rate: string | number; at?: string };

/** One unit of `base` in `quote`, from a moment on. */
export const exchangeRate = (app: Database, organizationId: string, { base, quote = 'USD', rate, at = now() }: Rate) =>
  storedExchangeRates.add(app, { organization_id: organizationId, base, quote, effective_at: at, rate, source: 'test' });
