import type { AnyEndpoint } from '../http/endpoint.ts';
import { automationCatalogue } from './catalogue.ts';
import { tellOneEvent } from './events.ts';
import { cancelManyRuns, retryManyRuns } from './many-runs.ts';
import { cancelOneRun, retryOneRun } from './run-moves.ts';
import { statsOfRuns } from './run-stats.ts';
import { getOneRun, listOfRuns } from './runs.ts';
import { deleteOneSecret, getOneSecret, listOfSecrets, putOneSecret } from './secrets.ts';

/** In the order of the document. */
export const automationEndpoints: AnyEndpoint[] = [
  automationCatalogue,
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
