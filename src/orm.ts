import { defineConfig } from '@mikro-orm/postgresql';
import { PasswordReset } from './accounts/account.entity.ts';
import { Channel } from './channels/channel.entity.ts';
import { ContactBlock } from './contacts/blocking/block.entity.ts';
import { Contact, ContactIdentity } from './contacts/contact.entity.ts';
import { ContactErasure } from './contacts/erasure/erasure.entity.ts';
import { ContactExport, ContactExportChunk } from './contacts/export/export.entity.ts';
import { ContactImport, ContactImportChunk, ContactImportError } from './contacts/import/import.entity.ts';
import { ContactDuplicate, ContactMerge } from './contacts/merging/merge.entity.ts';
import { ContactNote } from './contacts/note.entity.ts';
import {
  ContactConsent,
  ContactPermissionChange,
  ContactSuppression,
  SuppressedAddress,
} from './contacts/permission/permission.entity.ts';
import { ContactTag, Tag } from './contacts/tag.entity.ts';
import { Mail } from './mails/mail.entity.ts';
import { MediaAsset, MediaUsage } from './media/asset.entity.ts';
import { Conversation, ConversationNote, ConversationTag } from './messaging/conversation.entity.ts';
import { MediaFetch, MediaUpload } from './messaging/files/file.entity.ts';
import { Message } from './messaging/message.entity.ts';
import { MessageAttempt } from './messaging/message-attempt.entity.ts';
import { Onboarding } from './onboarding/onboarding.entity.ts';
import { ApiKey, Invitation, Membership, Organization } from './organizations/organization.entity.ts';
import { AuditEntry } from './platform/audit/audit-entry.entity.ts';
import { Event } from './platform/events/event.entity.ts';
import { EventCursor } from './platform/events/event-cursor.entity.ts';
import { IdempotencyKey } from './platform/idempotency/idempotency-key.entity.ts';
import { Job, Pool } from './platform/ledger/jobs.entity.ts';
import { Heartbeat } from './platform/process/heartbeat.entity.ts';
import { LoginLimit } from './platform/rate-limits/login-limit.entity.ts';
import { PurgeRun } from './platform/retention/purge-run.entity.ts';
import { ProviderWebhook, UnmatchedStatus } from './provider-webhooks/provider-webhook.entity.ts';
import { Template } from './templates/template.entity.ts';
import { BearerToken, Session, User } from './users/user.entity.ts';
import { Delivery, DeliveryAttempt, WebhookEndpoint } from './webhooks/endpoint.entity.ts';
import { WebhookReplay } from './webhooks/replay/replay.entity.ts';

/** Every table has its entity; test/src/platform/database/drift.test.ts compares the two. */
export const entities = [
  Organization,
  Membership,
  Invitation,
  ApiKey,
  User,
  Session,
  BearerToken,
  PasswordReset,
  Mail,
  Channel,
  Template,
  Onboarding,
  Contact,
  ContactIdentity,
  ContactNote,
  Tag,
  ContactTag,
  ContactConsent,
  ContactSuppression,
  ContactPermissionChange,
  SuppressedAddress,
  ContactMerge,
  ContactDuplicate,
  ContactBlock,
  ContactImport,
  ContactImportChunk,
  ContactImportError,
  ContactExport,
  ContactExportChunk,
  ContactErasure,
  Conversation,
  ConversationTag,
  ConversationNote,
  Message,
  MessageAttempt,
  MediaFetch,
  MediaUpload,
  MediaAsset,
  MediaUsage,
  ProviderWebhook,
  UnmatchedStatus,
  WebhookEndpoint,
  Delivery,
  DeliveryAttempt,
  WebhookReplay,
  Job,
  Pool,
  Event,
  EventCursor,
  IdempotencyKey,
  AuditEntry,
  PurgeRun,
  LoginLimit,
  Heartbeat,
];

/** All of MikroORM's options that do not come from the environment; the migrations are in migrations.ts. BullMQ migrates its own schema. */
export const ormOptions = defineConfig({
  entities,
  schemaGenerator: { ignoreSchema: ['bullmq'] },
  forceUtcTimezone: true,
});
