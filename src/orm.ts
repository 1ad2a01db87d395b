import { defineConfig } from '@mikro-orm/postgresql';
import { PasswordReset } from './accounts/account.entity.ts';
import { AutomationTurn } from './automation/actions/assign/turn.entity.ts';
import {
  AutomationHeld,
  AutomationOccurrence,
  AutomationRule,
  AutomationRuleVersion,
  AutomationSecret,
} from './automation/rule.entity.ts';
import { AutomationCount, AutomationRun, AutomationRunCount, AutomationStep, AutomationWait } from './automation/run.entity.ts';
import { Campaign, CampaignChannel, CampaignSegment } from './campaigns/campaign.entity.ts';
import { CampaignRecipient } from './campaigns/recipient.entity.ts';
import { Channel } from './channels/channel.entity.ts';
import { ChannelHealth } from './channels/health.entity.ts';
import { Booking } from './commerce/bookings/booking.entity.ts';
import { Service, ServiceStaff } from './commerce/bookings/service.entity.ts';
import { Staff, StaffBusy } from './commerce/bookings/staff.entity.ts';
import { BookingCalendar } from './commerce/calendar/booking-calendar.entity.ts';
import { Category } from './commerce/catalogue/category.entity.ts';
import { Discount, DiscountUse } from './commerce/catalogue/discount.entity.ts';
import { Product, ProductCategory, ProductVariant, VariantPrice } from './commerce/catalogue/product.entity.ts';
import { StockMovement } from './commerce/catalogue/stock-movement.entity.ts';
import { DeliveryMethod, DeliveryTimeslot, SlotUsage } from './commerce/delivery/method.entity.ts';
import { Quote } from './commerce/delivery/quote.entity.ts';
import { DraftOrder } from './commerce/drafts/draft.entity.ts';
import { Order, OrderChange, OrderCounter, OrderItem } from './commerce/orders/order.entity.ts';
import { Payment, PaymentSession, Refund } from './commerce/payments/payment.entity.ts';
import { CommerceSettings } from './commerce/settings.entity.ts';
import { Shipment } from './commerce/shipping/shipment.entity.ts';
import { Connection, ConnectionConsent, ConnectionWebhook } from './connections/connection.entity.ts';
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
import { Deal, DealContact, DealConversation } from './deals/deal.entity.ts';
import { Pipeline, PipelineStage } from './deals/pipelines/pipeline.entity.ts';
import { DealRevaluation } from './deals/revalue/revaluation.entity.ts';
import { FlowResponse, FlowSend } from './flows/answer.entity.ts';
import { FlowSecret } from './flows/exchange/secret.entity.ts';
import { Flow, FlowVersion } from './flows/flow.entity.ts';
import { FlowKey } from './flows/key.entity.ts';
import { CrmHistory } from './history/history.entity.ts';
import { CrmImport, CrmImportChunk, CrmImportError } from './imports/import.entity.ts';
import { Mail } from './mails/mail.entity.ts';
import { MediaAsset, MediaUsage } from './media/asset.entity.ts';
import { Conversation, ConversationNote, ConversationTag } from './messaging/conversation.entity.ts';
import { MediaFetch, MediaUpload } from './messaging/files/file.entity.ts';
import { Message } from './messaging/message.entity.ts';
import { MessageAttempt } from './messaging/message-attempt.entity.ts';
import { ExchangeRate } from './money/exchange-rate.entity.ts';
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
import { CrmRecord, RecordEnrichment, RecordLink } from './records/record.entity.ts';
import { ObjectField, ObjectRelation, ObjectType } from './records/types/type.entity.ts';
import { RecordValue } from './records/types/value.entity.ts';
import { Segment, SegmentMember } from './segments/segment.entity.ts';
import { Task, TaskTarget } from './tasks/task.entity.ts';
import { Template } from './templates/template.entity.ts';
import { BearerToken, Session, User } from './users/user.entity.ts';
import { Delivery, DeliveryAttempt, WebhookEndpoint } from './webhooks/endpoint.entity.ts';
import { WebhookReplay } from './webhooks/replay/replay.entity.ts';

/** Every table has its entity; test/src/platform/database/drift.test.ts compares the two. */
export const entities = [
  Connection,
  ConnectionConsent,
  ConnectionWebhook,
  CommerceSettings,
  Category,
  Product,
  ProductCategory,
  ProductVariant,
  VariantPrice,
  StockMovement,
  Discount,
  DiscountUse,
  DeliveryMethod,
  DeliveryTimeslot,
  SlotUsage,
  Quote,
  DraftOrder,
  Order,
  OrderItem,
  OrderCounter,
  OrderChange,
  PaymentSession,
  Payment,
  Refund,
  Shipment,
  Service,
  ServiceStaff,
  Staff,
  StaffBusy,
  Booking,
  BookingCalendar,
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
  ChannelHealth,
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
  Segment,
  SegmentMember,
  Conversation,
  ConversationTag,
  ConversationNote,
  Message,
  MessageAttempt,
  Campaign,
  CampaignChannel,
  CampaignSegment,
  CampaignRecipient,
  AutomationRule,
  AutomationRuleVersion,
  AutomationHeld,
  AutomationOccurrence,
  AutomationSecret,
  AutomationRun,
  AutomationStep,
  AutomationWait,
  AutomationCount,
  AutomationRunCount,
  AutomationTurn,
  Flow,
  FlowVersion,
  FlowSend,
  FlowResponse,
  FlowKey,
  FlowSecret,
  MediaFetch,
  MediaUpload,
  MediaAsset,
  MediaUsage,
  ProviderWebhook,
  UnmatchedStatus,
  ExchangeRate,
  CrmHistory,
  CrmImport,
  CrmImportChunk,
  CrmImportError,
  Pipeline,
  PipelineStage,
  Deal,
  DealContact,
  DealConversation,
  ObjectType,
  ObjectField,
  ObjectRelation,
  CrmRecord,
  RecordValue,
  RecordEnrichment,
  RecordLink,
  DealRevaluation,
  Task,
  TaskTarget,
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
