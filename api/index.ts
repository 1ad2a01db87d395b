import { logIn, logOut } from './auth/login.ts';
import { askForReset, changeMyPassword, resetPassword } from './auth/password.ts';
import { getMe, patchMe, setActiveOrganization } from './auth/session.ts';
import { createBearerToken, listOfTokens, removeToken } from './auth/tokens.ts';
import { connect, getChannel, listOfChannels, patchChannel, syncTemplates } from './channels/channels.ts';
import { createContact, deleteContact, getContactByPhone, getOneContact, patchOneContact } from './contacts/contacts.ts';
import { exportContacts } from './contacts/export.ts';
import { getOneImport, importContacts, listOfImportErrors, listOfImports } from './contacts/import.ts';
import { lookUp } from './contacts/lookup.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { getMessage, listOfMessages, retryOfMessage, sendMessage } from './messaging/messages.ts';
import { getOperation } from './operations/operations.ts';
import { listOfActs } from './organizations/audit-log.ts';
import { acceptAnInvitation, createInvitation, deleteInvitation, listOfInvitations } from './organizations/invitations.ts';
import { createApiKey, getApiKey, listOfApiKeys, revokeApiKey, rotateApiKey } from './organizations/keys.ts';
import { deleteMember, getOneMember, listOfMembers, patchMember } from './organizations/members.ts';
import { getOwnOrganization, patchOrganization } from './organizations/organization.ts';
import { receiveChannelWebhook, receiveWebhook, verifyChannelWebhook, verifyWebhook } from './provider-webhooks/messaging-app.ts';
import { createWebhookEndpoint, testWebhookEndpoint } from './webhooks/endpoints.ts';

/** Every endpoint, in the order of the document. A request is held against them from the top: what is called most stands first. */
export const endpoints: AnyEndpoint[] = [
  sendMessage,
  listOfMessages,
  getMessage,
  retryOfMessage,
  createContact,
  lookUp,
  getContactByPhone,
  importContacts,
  listOfImports,
  getOneImport,
  listOfImportErrors,
  exportContacts,
  getOneContact,
  patchOneContact,
  deleteContact,
  connect,
  listOfChannels,
  getChannel,
  patchChannel,
  syncTemplates,
  createWebhookEndpoint,
  testWebhookEndpoint,
  getOperation,
  verifyWebhook,
  receiveWebhook,
  verifyChannelWebhook,
  receiveChannelWebhook,
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
  acceptAnInvitation,
  deleteInvitation,
  createApiKey,
  listOfApiKeys,
  getApiKey,
  rotateApiKey,
  revokeApiKey,
  listOfActs,
];
