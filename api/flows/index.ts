import type { AnyEndpoint } from '../http/endpoint.ts';
import { cloneOneFlow } from './clone.ts';
import { compileBuilder, validateFlow } from './compile.ts';
import { putOneFlowJson } from './flow-json.ts';
import { createOneFlow, deleteOneFlow, getOneFlow, listOfFlows, patchOneFlow } from './flows.ts';
import { importFlowsOfChannel } from './import.ts';
import { deprecateOneFlow, previewOneFlow, publishOneFlow, pushOneFlow, syncOneFlow } from './operations.ts';
import { deleteResponse, getResponse, listOfResponses, statsOfFlow } from './responses.ts';
import { getOneVersion, listOfVersions, restoreOneVersion } from './versions.ts';

/** In the order of the document. */
export const flowEndpoints: AnyEndpoint[] = [
  listOfFlows,
  createOneFlow,
  compileBuilder,
  importFlowsOfChannel,
  getOneFlow,
  patchOneFlow,
  deleteOneFlow,
  putOneFlowJson,
  validateFlow,
  cloneOneFlow,
  pushOneFlow,
  publishOneFlow,
  syncOneFlow,
  deprecateOneFlow,
  previewOneFlow,
  listOfVersions,
  getOneVersion,
  restoreOneVersion,
  listOfResponses,
  getResponse,
  deleteResponse,
  statsOfFlow,
];
