import type { AnyEndpoint } from '../http/endpoint.ts';
import { cancelOneCampaign, pauseOneCampaign, resumeOneCampaign, startOneCampaign } from './campaign-moves.ts';
import {
  createOneCampaign,
  deleteOneCampaign,
  duplicateOneCampaign,
  getOneCampaign,
  listOfCampaigns,
  patchOneCampaign,
} from './campaigns.ts';
import { previewOneCampaign } from './preview.ts';
import { addRecipientsGiven, listOfRecipients } from './recipients.ts';
import { exportRecipients } from './recipients-export.ts';
import { getRecipientsImportView, importRecipientsFile, listOfRecipientsImportErrors } from './recipients-import.ts';
import { retryFailedOfCampaign } from './retry-failed.ts';
import { testOneCampaign } from './test-send.ts';

/** In the order of the document. */
export const campaignEndpoints: AnyEndpoint[] = [
  listOfCampaigns,
  createOneCampaign,
  getOneCampaign,
  patchOneCampaign,
  deleteOneCampaign,
  startOneCampaign,
  pauseOneCampaign,
  resumeOneCampaign,
  cancelOneCampaign,
  previewOneCampaign,
  testOneCampaign,
  retryFailedOfCampaign,
  duplicateOneCampaign,
  listOfRecipients,
  addRecipientsGiven,
  importRecipientsFile,
  exportRecipients,
  getRecipientsImportView,
  listOfRecipientsImportErrors,
];
