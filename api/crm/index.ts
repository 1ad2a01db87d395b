import type { AnyEndpoint } from '../http/endpoint.ts';
import { createOneDeal, deleteOneDeal, getOneDeal, patchOneDeal, restoreOneDeal } from './deals.ts';
import { deleteDealContact, listOfContactDeals, putDealContact } from './deals-contacts.ts';
import {
  addConversationDeal,
  deleteDealConversation,
  listOfConversationDeals,
  listOfDealConversations,
  putDealConversation,
  removeConversationDeal,
} from './deals-conversations.ts';
import { exportDeals } from './deals-export.ts';
import { historyOfDeal } from './deals-history.ts';
import { importDealsFile } from './deals-import.ts';
import { listOfDeals } from './deals-list.ts';
import { loseDeal, moveOneDeal, reopenOneDeal, winDeal } from './deals-moves.ts';
import { revalueAllDeals } from './deals-revalue.ts';
import { summaryOfDeals } from './deals-summary.ts';
import { listOfRates, putRates } from './exchange-rates.ts';
import { exportCrmImportErrors, getOneCrmImport, listOfCrmImportErrors, listOfCrmImports } from './imports.ts';
import { createObjectField, deleteObjectField, patchObjectField } from './object-fields.ts';
import { createObjectRelation, deleteObjectRelation } from './object-relations.ts';
import { createObjectType, deleteObjectType, getObjectType, listOfObjectTypes, patchObjectType } from './object-types.ts';
import { createOnePipeline, getOnePipeline, listOfPipelines, patchPipeline } from './pipelines.ts';
import { historyOfRecord } from './record-history.ts';
import { linkTwo, listOfRelated, unlinkTwo } from './record-relations.ts';
import { createOneRecord, deleteOneRecord, getOneRecord, patchOneRecord, restoreOneRecord } from './records.ts';
import { batchOfRecords } from './records-batch.ts';
import { exportRecords } from './records-export.ts';
import { importRecordsFile } from './records-import.ts';
import { listOfRecords } from './records-list.ts';
import { searchOfRecords } from './records-search.ts';
import { upsertByValue } from './records-upsert.ts';
import { deletePipeline, deleteStage } from './remove-pipeline.ts';
import { createOneStage, getOneStage, patchStage } from './stages.ts';
import { listOfContactTasks, listOfConversationTasks, listOfDealTasks, listOfTasks } from './task-lists.ts';
import { createTaskTarget, deleteTaskTarget } from './task-targets.ts';
import {
  completeOneTask,
  createOneTask,
  deleteOneTask,
  getOneTask,
  getTaskHistory,
  patchOneTask,
  reopenOneTask,
  restoreOneTask,
} from './tasks.ts';

/** In the order the document shall have. */
export const crmEndpoints: AnyEndpoint[] = [
  listOfRates,
  putRates,
  listOfPipelines,
  createOnePipeline,
  getOnePipeline,
  patchPipeline,
  deletePipeline,
  createOneStage,
  getOneStage,
  patchStage,
  deleteStage,
  createOneDeal,
  listOfDeals,
  exportDeals,
  importDealsFile,
  summaryOfDeals,
  revalueAllDeals,
  getOneDeal,
  patchOneDeal,
  deleteOneDeal,
  moveOneDeal,
  winDeal,
  loseDeal,
  reopenOneDeal,
  restoreOneDeal,
  historyOfDeal,
  putDealContact,
  deleteDealContact,
  listOfContactDeals,
  listOfDealConversations,
  putDealConversation,
  deleteDealConversation,
  listOfConversationDeals,
  addConversationDeal,
  removeConversationDeal,
  listOfTasks,
  createOneTask,
  getOneTask,
  patchOneTask,
  deleteOneTask,
  completeOneTask,
  reopenOneTask,
  restoreOneTask,
  createTaskTarget,
  deleteTaskTarget,
  getTaskHistory,
  listOfContactTasks,
  listOfConversationTasks,
  listOfDealTasks,
  listOfObjectTypes,
  createObjectType,
  getObjectType,
  patchObjectType,
  deleteObjectType,
  createObjectField,
  patchObjectField,
  deleteObjectField,
  createObjectRelation,
  deleteObjectRelation,
  listOfRecords,
  searchOfRecords,
  createOneRecord,
  batchOfRecords,
  upsertByValue,
  exportRecords,
  importRecordsFile,
  getOneRecord,
  patchOneRecord,
  deleteOneRecord,
  restoreOneRecord,
  historyOfRecord,
  listOfRelated,
  linkTwo,
  unlinkTwo,
  listOfCrmImports,
  getOneCrmImport,
  listOfCrmImportErrors,
  exportCrmImportErrors,
];
