import type Joi from 'joi';
import { me, sessionUser } from './auth/schemas.ts';
import { tokenView } from './auth/tokens.ts';
import { channelView } from './channels/channels.ts';
import { consentView } from './contacts/consents.ts';
import { duplicateView } from './contacts/duplicates.ts';
import { exportView } from './contacts/exports.ts';
import { identityView } from './contacts/identities.ts';
import { importView } from './contacts/import.ts';
import { noteView } from './contacts/notes.ts';
import { changeView } from './contacts/permission-history.ts';
import { contactView } from './contacts/schemas.ts';
import { suppressionView } from './contacts/suppressions.ts';
import { tagView } from './contacts/tag-catalogue.ts';
import { pageMeta } from './http/paging.ts';
import { messageView } from './messaging/schemas.ts';
import { operationView } from './operations/operations.ts';
import { actView } from './organizations/audit-log.ts';
import { invitationView } from './organizations/invitations.ts';
import { keyView } from './organizations/keys.ts';
import { memberView } from './organizations/members.ts';
import { organizationView } from './organizations/organization.ts';
import { endpointView } from './webhooks/endpoints.ts';

/** The records of the API by the names that readers and generated clients know them by. One that is not here stands where it is used. */
export const namedSchemas: Record<string, Joi.Schema> = {
  session_user: sessionUser,
  me,
  token: tokenView,
  organization: organizationView,
  member: memberView,
  invitation: invitationView,
  api_key: keyView,
  audit_log_entry: actView,
  message: messageView,
  contact: contactView,
  contact_identity: identityView,
  contact_note: noteView,
  contact_consent: consentView,
  contact_suppression: suppressionView,
  contact_permission_change: changeView,
  contact_duplicate: duplicateView,
  contact_import: importView,
  contact_export: exportView,
  tag: tagView,
  channel: channelView,
  webhook_endpoint: endpointView,
  operation: operationView,
  page_meta: pageMeta,
};
