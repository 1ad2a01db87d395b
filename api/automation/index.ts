import type { AnyEndpoint } from '../http/endpoint.ts';
import { automationCatalogue } from './catalogue.ts';
import { tellOneEvent } from './events.ts';
import { cancelManyRuns, retryManyRuns } from './many-runs.ts';
import { pauseOneRule, publishOneRule, resumeOneRule } from './rule-moves.ts';
import { runOneRule } from './rule-run.ts';
import { statsOfOneRule } from './rule-stats.ts';
import { getRuleVersion, listOfRuleVersions } from './rule-versions.ts';
import { createOneRule, deleteOneRule, duplicateOneRule, getOneRule, listOfRules, patchOneRule } from './rules.ts';
import { cancelOneRun, retryOneRun } from './run-moves.ts';
import { statsOfRuns } from './run-stats.ts';
import { getOneRun, listOfRuns } from './runs.ts';
import { deleteOneSecret, getOneSecret, listOfSecrets, putOneSecret } from './secrets.ts';
import { testOneRule } from './test.ts';

/** In the order of the document. */
export const automationEndpoints: AnyEndpoint[] = [
  automationCatalogue,
  listOfRules,
  createOneRule,
  getOneRule,
  patchOneRule,
  deleteOneRule,
  publishOneRule,
  pauseOneRule,
  resumeOneRule,
  duplicateOneRule,
  runOneRule,
  listOfRuleVersions,
  getRuleVersion,
  statsOfOneRule,
  testOneRule,
  tellOneEvent,
  listOfRuns,
  statsOfRuns,
  getOneRun,
  cancelOneRun,
  retryOneRun,
  cancelManyRuns,
  retryManyRuns,
  listOfSecrets,
  getOneSecret,
  putOneSecret,
  deleteOneSecret,
];
