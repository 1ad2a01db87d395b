import { logIn, logOut } from './auth/login.ts';
import { askForReset, changeMyPassword, resetPassword } from './auth/password.ts';
import { getMe, patchMe, setActiveOrganization } from './auth/session.ts';
import { createBearerToken, listOfTokens, removeToken } from './auth/tokens.ts';
import { automationEndpoints } from './automation/index.ts';
import { campaignEndpoints } from './campaigns/index.ts';
import { statsOfCampaign } from './campaigns/stats.ts';
import { listOfBlocked } from './channels/blocked-contacts.ts';
import { connect, getChannel, listOfChannels, patchChannel, syncTemplates } from './channels/channels.ts';
import { disconnect, reconnect, removeChannel, rotateToken } from './channels/connection.ts';
import { lookUpOnChannel } from './channels/contacts-lookup.ts';
import { checkHealth, getHealth } from './channels/health.ts';
import { sendTest } from './channels/send-test.ts';
import { commerceEndpoints } from './commerce/index.ts';
import { connectionEndpoints } from './connections/index.ts';
import { blockContact, unblockContact } from './contacts/block.ts';
import { campaignHistory } from './contacts/campaign-history.ts';
import { listOfConsents, putConsent } from './contacts/consents.ts';
import { createContact, deleteContact, getContactByPhone, getOneContact, patchOneContact } from './contacts/contacts.ts';
import { listOfContactConversations } from './contacts/conversations.ts';
import { listOfDuplicates } from './contacts/duplicates.ts';
import { exportContacts } from './contacts/export.ts';
import { createExport, deleteOneExport, getExportFile, getOneExport, listOfExports } from './contacts/exports.ts';
import { createIdentity, deleteIdentity, listOfIdentities } from './contacts/identities.ts';
import { getOneImport, importContacts, listOfImportErrors, listOfImports } from './contacts/import.ts';
import { listOfContacts } from './contacts/list.ts';
import { lookUp } from './contacts/lookup.ts';
import { mergeTwoContacts } from './contacts/merge.ts';
import { createNote, deleteNote, getNote, listOfNotes, patchNote } from './contacts/notes.ts';
import { listOfPermissionChanges } from './contacts/permission-history.ts';
import { createSuppression, deleteSuppression, listOfSuppressions } from './contacts/suppressions.ts';
import { createTag, deleteOneTag, getTag, listOfTags, patchTag } from './contacts/tag-catalogue.ts';
import { assignContactTag, listOfContactTags, unassignContactTag } from './contacts/tags.ts';
import { crmEndpoints } from './crm/index.ts';
import { ackCursor, createCursor, deleteCursor, getCursor, listOfCursors } from './events/cursors.ts';
import { getOneEvent, listOfEvents } from './events/events.ts';
import { revealDataExchangeSecret, rotateDataExchangeSecret } from './flows/data-exchange-secret.ts';
import { getFlowEncryption, rotateFlowEncryption } from './flows/encryption.ts';
import { flowEndpoints } from './flows/index.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import { deleteOneAsset, getAssetContent, getOneAsset, listOfAssets } from './media/assets.ts';
import { createAssetLink, getLinkedFile } from './media/links.ts';
import { uploadAsset } from './media/upload.ts';
import { getMediaUsage } from './media/usage.ts';
import { listOfConversationMessages, sendInConversation } from './messaging/conversation-messages.ts';
import {
  createConversationNote,
  deleteConversationNote,
  getConversationNote,
  listOfConversationNotes,
  patchConversationNote,
} from './messaging/conversation-notes.ts';
import {
  conversationCounts,
  getOneConversation,
  listOfConversations,
  patchOneConversation,
  readOneConversation,
} from './messaging/conversations.ts';
import { fetchFileOfMessage } from './messaging/fetch-file.ts';
import { readOfMessage } from './messaging/mark-read.ts';
import { cancelOfMessage, getMessage, listOfMessages, retryOfMessage, sendMessage } from './messaging/messages.ts';
import { getTimeline } from './messaging/timeline.ts';
import { deleteOneOnboarding, getOnboarding, listOfOnboardings, startOneOnboarding } from './onboarding/onboarding.ts';
import { exchangeToken, registerPhone, syncAssets } from './onboarding/steps.ts';
import { subscribeWebhook } from './onboarding/subscribe-webhook.ts';
import { cancelOperation, pauseOneOperation, resumeOneOperation } from './operations/control.ts';
import { getOperation, listOfOperations } from './operations/operations.ts';
import { listOfActs } from './organizations/audit-log.ts';
import {
  acceptAnInvitation,
  createInvitation,
  deleteInvitation,
  listOfInvitations,
  lookUpAnInvitation,
} from './organizations/invitations.ts';
import { createApiKey, getApiKey, listOfApiKeys, revokeApiKey, rotateApiKey } from './organizations/keys.ts';
import { deleteMember, getOneMember, listOfMembers, patchMember } from './organizations/members.ts';
import { getOwnOrganization, patchOrganization } from './organizations/organization.ts';
import { receiveFlowExchange } from './provider-webhooks/flow-exchange.ts';
import { receiveChannelWebhook, receiveWebhook, verifyChannelWebhook, verifyWebhook } from './provider-webhooks/messaging-app.ts';
import { segmentEndpoints } from './segments/index.ts';
import { duplicateTemplate } from './templates/duplicate.ts';
import { previewTemplate } from './templates/preview.ts';
import { createOneTemplate, deleteOneTemplate, getTemplate, listOfTemplates, patchTemplate } from './templates/templates.ts';
import { getOneDelivery, listOfAttempts, listOfEndpointDeliveries, listOfEventDeliveries } from './webhooks/deliveries.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listOfWebhookEndpoints,
  patchWebhookEndpoint,
} from './webhooks/endpoints.ts';
import { revealWebhookSecret, rotateWebhookSecret } from './webhooks/endpoints-secret.ts';
import { disableWebhookEndpoint, enableWebhookEndpoint } from './webhooks/endpoints-switch.ts';
import { testWebhookEndpoint } from './webhooks/endpoints-test.ts';
import { listOfEventTypes } from './webhooks/event-types.ts';
import {
  cancelWebhookDeliveries,
  recoverWebhookEndpoint,
  replayWebhookDelivery,
  replayWebhookEndpoint,
} from './webhooks/replay.ts';
import { getEndpointStats } from './webhooks/stats.ts';

/** Every endpoint, in the order of the document. Routes are matched from the top. */
export const endpoints: AnyEndpoint[] = [
  sendMessage,
  listOfMessages,
  getMessage,
  getTimeline,
  retryOfMessage,
  cancelOfMessage,
  fetchFileOfMessage,
  listOfConversations,
  conversationCounts,
  getOneConversation,
  patchOneConversation,
  readOneConversation,
  listOfConversationMessages,
  listOfConversationNotes,
  getConversationNote,
  createConversationNote,
  patchConversationNote,
  deleteConversationNote,
  readOfMessage,
  sendInConversation,
  createContact,
  listOfContacts,
  lookUp,
  getContactByPhone,
  listOfDuplicates,
  importContacts,
  listOfImports,
  getOneImport,
  listOfImportErrors,
  exportContacts,
  createExport,
  listOfExports,
  getOneExport,
  getExportFile,
  deleteOneExport,
  getOneContact,
  patchOneContact,
  deleteContact,
  listOfIdentities,
  createIdentity,
  deleteIdentity,
  mergeTwoContacts,
  listOfNotes,
  getNote,
  createNote,
  patchNote,
  deleteNote,
  listOfContactConversations,
  listOfContactTags,
  assignContactTag,
  unassignContactTag,
  campaignHistory,
  statsOfCampaign,
  listOfTags,
  getTag,
  createTag,
  patchTag,
  deleteOneTag,
  putConsent,
  listOfConsents,
  listOfSuppressions,
  createSuppression,
  deleteSuppression,
  listOfPermissionChanges,
  blockContact,
  unblockContact,
  ...segmentEndpoints,
  ...campaignEndpoints,
  ...automationEndpoints,
  ...crmEndpoints,
  ...commerceEndpoints,
  uploadAsset,
  listOfAssets,
  getOneAsset,
  getAssetContent,
  createAssetLink,
  getLinkedFile,
  deleteOneAsset,
  getMediaUsage,
  connect,
  listOfChannels,
  getChannel,
  patchChannel,
  removeChannel,
  disconnect,
  reconnect,
  rotateToken,
  getHealth,
  checkHealth,
  getFlowEncryption,
  rotateFlowEncryption,
  revealDataExchangeSecret,
  rotateDataExchangeSecret,
  sendTest,
  createOneTemplate,
  listOfTemplates,
  getTemplate,
  patchTemplate,
  deleteOneTemplate,
  duplicateTemplate,
  previewTemplate,
  syncTemplates,
  ...flowEndpoints,
  ...connectionEndpoints,
  listOfBlocked,
  lookUpOnChannel,
  startOneOnboarding,
  listOfOnboardings,
  getOnboarding,
  deleteOneOnboarding,
  exchangeToken,
  subscribeWebhook,
  registerPhone,
  syncAssets,
  createWebhookEndpoint,
  listOfWebhookEndpoints,
  getWebhookEndpoint,
  patchWebhookEndpoint,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  rotateWebhookSecret,
  revealWebhookSecret,
  testWebhookEndpoint,
  listOfEventTypes,
  listOfEndpointDeliveries,
  getEndpointStats,
  getOneDelivery,
  listOfAttempts,
  listOfEvents,
  createCursor,
  listOfCursors,
  getCursor,
  ackCursor,
  deleteCursor,
  getOneEvent,
  listOfEventDeliveries,
  replayWebhookDelivery,
  recoverWebhookEndpoint,
  replayWebhookEndpoint,
  cancelWebhookDeliveries,
  listOfOperations,
  getOperation,
  cancelOperation,
  pauseOneOperation,
  resumeOneOperation,
  verifyWebhook,
  receiveWebhook,
  verifyChannelWebhook,
  receiveChannelWebhook,
  receiveFlowExchange,
  logIn,
  logOut,
  getMe,
  patchMe,
  setActiveOrganization,
  changeMyPassword,
  askForReset,
  resetPassword,
  createBearerToken,
  listOfTokens,
  removeToken,
  getOwnOrganization,
  patchOrganization,
  listOfMembers,
  getOneMember,
  patchMember,
  deleteMember,
  createInvitation,
  listOfInvitations,
  lookUpAnInvitation,
  acceptAnInvitation,
  deleteInvitation,
  createApiKey,
  listOfApiKeys,
  getApiKey,
  rotateApiKey,
  revokeApiKey,
  listOfActs,
];
