import Joi from 'joi';
import { exampleIds as ids } from '../examples.ts';
import { automationEvents } from './automation-events.ts';
import { campaignEvents } from './campaign-events.ts';
import { commerceEvents } from './commerce-events.ts';
import { crmEvents } from './crm-events.ts';
import { endpointDisabled, endpointFailing, endpointRecovered, webhookTest } from './endpoint-events.ts';
import { type EventContract, event } from './event.ts';
import { flowEvents } from './flow-events.ts';
import { onboardingUpdated } from './onboarding-updated.ts';

const id = (description: string) => Joi.string().required().description(description);
const text = (description: string) => Joi.string().allow('').required().description(description);
const changed = Joi.array().items(Joi.string()).required().description('The fields that changed, by their names in the API');
const conversationSubject = { type: 'conversation', id: 'conversation_id' as const };

export const messageNew = event({
  type: 'message.new',
  description: 'A new message appears in a conversation: inbound from a contact, or sent from the phone app',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    conversation_id: id('Its conversation'),
    contact_id: id('Who it is from or to'),
    channel_id: id('Its channel'),
    direction: id('inbound or outbound'),
    from_phone: text('Digits; empty when the person shows none'),
    msg_type: id('Type of the message'),
  }),
  example: {
    message_id: ids.message,
    conversation_id: ids.conversation,
    contact_id: ids.contact,
    channel_id: ids.channel,
    direction: 'inbound',
    from_phone: '16505551234',
    msg_type: 'text',
  },
});

export const groupMessageNew = event({
  type: 'group_message.new',
  description: 'A person wrote in a group that the number is in; its conversation cannot be answered yet',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    conversation_id: id('The conversation of the group'),
    group_id: id("The provider's id of the group"),
    contact_id: id('Who wrote'),
    channel_id: id('Its channel'),
    from_phone: text('Digits; empty when the person shows none'),
    msg_type: id('Type of the message'),
  }),
  example: {
    message_id: ids.message,
    conversation_id: ids.conversation,
    group_id: 'Y2FwaV9ncm91cDoxNTU1MDEwMDAwMToxMjAzNjM0MDQ2OTQyMzM4MjAZD',
    contact_id: ids.contact,
    channel_id: ids.channel,
    from_phone: '16505551234',
    msg_type: 'text',
  },
});

/** Of a campaign's message only. */
const ofCampaign = { campaign_id: Joi.string().description('The campaign that sent it; absent for any other message') };

export const messageSent = event({
  type: 'message.sent',
  description: 'An outbound message was sent: the provider has it',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    conversation_id: id('Its conversation'),
    channel_id: id('Its channel'),
    ...ofCampaign,
  }),
  example: { message_id: ids.message, conversation_id: ids.conversation, channel_id: ids.channel },
});

export const messageStatusUpdate = event({
  type: 'message.status_update',
  description: 'The delivery, read or failed status of a sent message changed; a status never falls',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    status: id('sent, delivered, read, failed'),
    conversation_id: id('Its conversation'),
    organization_id: id('Its organization'),
    ...ofCampaign,
  }),
  example: { message_id: ids.message, status: 'delivered', conversation_id: ids.conversation, organization_id: ids.organization },
});

export const messageFailed = event({
  type: 'message.failed',
  description: 'An outbound message failed for good',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    conversation_id: id('Its conversation'),
    channel_id: id('Its channel'),
    code: id('Our code'),
    provider_code: text("The provider's code"),
    reason: text('In words'),
    ...ofCampaign,
  }),
  example: {
    message_id: ids.message,
    conversation_id: ids.conversation,
    channel_id: ids.channel,
    code: 'provider_refused',
    provider_code: '131026',
    reason: 'Message undeliverable',
  },
});

export const messageUpdated = event({
  type: 'message.updated',
  description: 'What a message shows changed: who wrote it edited or deleted it, or the file of a received one was fetched',
  subject: conversationSubject,
  data: Joi.object({
    message_id: id('The message'),
    conversation_id: id('Its conversation'),
    channel_id: id('Its channel'),
    cause: id('edited, deleted, media_stored, media_failed; more may come'),
  }),
  example: { message_id: ids.message, conversation_id: ids.conversation, channel_id: ids.channel, cause: 'edited' },
});

export const conversationCreated = event({
  type: 'conversation.created',
  description: 'A channel and a contact talk for the first time',
  subject: conversationSubject,
  data: Joi.object({
    conversation_id: id('The conversation'),
    contact_id: id('The contact'),
    channel_id: id('The channel'),
    status: id('open'),
  }),
  example: { conversation_id: ids.conversation, contact_id: ids.contact, channel_id: ids.channel, status: 'open' },
});

export const conversationUpdated = event({
  type: 'conversation.updated',
  description: 'Metadata of a conversation changed: assignment, status, preview, tags',
  subject: conversationSubject,
  data: Joi.object({ conversation_id: id('The conversation'), status: id('open, pending, snoozed, resolved'), changed }),
  example: { conversation_id: ids.conversation, status: 'open', changed: ['status', 'assignee_id'] },
});

const contactSubject = { type: 'contact', id: 'contact_id' as const };
const contact = { contact_id: id('The contact'), organization_id: id('Its organization') };
const contactData = Joi.object({ ...contact, name: text('Its name'), changed });
const contactExample = { contact_id: ids.contact, name: 'Sheena Nelson', organization_id: ids.organization };

export const contactCreated = event({
  type: 'contact.created',
  description: 'A contact was created',
  subject: contactSubject,
  data: contactData,
  example: { ...contactExample, changed: ['name', 'phone_number'] },
});
export const contactUpdated = event({
  type: 'contact.updated',
  description: 'A contact was updated: its fields, identities, tags, consent, suppressions or blocks; fires on create too',
  subject: contactSubject,
  data: contactData,
  example: { ...contactExample, changed: ['email'] },
});
export const contactDeleted = event({
  type: 'contact.deleted',
  description: 'A contact was deleted and forgotten, or became part of another',
  subject: contactSubject,
  data: Joi.object({ ...contact, merged_into: text('The contact it became part of; empty when it was forgotten') }),
  example: { contact_id: ids.contact, organization_id: ids.organization, merged_into: '' },
});

const count = (description: string) => Joi.number().integer().required().description(description);

export const contactsImported = event({
  type: 'contacts.imported',
  description: 'An import of contacts has ended; its contacts have no events of their own',
  subject: { type: 'contact_import', id: 'import_id' as const },
  data: Joi.object({
    import_id: id('The import'),
    organization_id: id('Its organization'),
    created: count('Contacts that are new'),
    updated: count('Contacts that changed'),
    unchanged: count('Rows that changed nothing'),
    failed: count('Rows that were refused'),
  }),
  example: { import_id: ids.import, organization_id: ids.organization, created: 990, updated: 8, unchanged: 0, failed: 2 },
});

export const contactsExported = event({
  type: 'contacts.exported',
  description: 'The file of an export of contacts is complete',
  subject: { type: 'contact_export', id: 'export_id' as const },
  data: Joi.object({ export_id: id('The export'), organization_id: id('Its organization'), rows: count('Contacts in it') }),
  example: { export_id: ids.export, organization_id: ids.organization, rows: 1000 },
});

export const templateStatusUpdate = event({
  type: 'template.status_update',
  description:
    'The approval status of a message template changed, or its quality, its category or its content, or the provider refused what was asked for it; a deleted one is told as disabled',
  subject: { type: 'template', id: 'template_id' as const },
  data: Joi.object({
    template_id: id('The template'),
    status: id('draft, pending, approved, rejected, paused, disabled'),
    changed,
    category: text('marketing, utility or authentication'),
    quality: text('green, yellow or red; empty when the provider told none'),
    reason: text("Why, in the provider's words; empty when it told none"),
  }),
  example: {
    template_id: ids.template,
    status: 'approved',
    changed: ['status'],
    category: 'utility',
    quality: '',
    reason: '',
  },
});

export const channelStatusUpdate = event({
  type: 'channel.status_update',
  description:
    'A channel can send again, or can no longer, or its provider changed something about it: `changed` names what, and what the provider says of it is there too',
  subject: { type: 'channel', id: 'channel_id' as const },
  data: Joi.object({
    channel_id: id('The channel'),
    status: id('connected, disconnected, auth_error, restricted'),
    changed: Joi.array()
      .items(Joi.string())
      .required()
      .description(
        'status, deleted, quality, messaging_limit, throughput, verified_name, name_status, account_status: by their names in its health',
      ),
    quality: Joi.string().description('green, yellow, red'),
    messaging_limit: Joi.string().description('People a day that the number may write to first, in the words of the provider'),
    throughput: Joi.string().description('standard, high'),
    verified_name: Joi.string().description('The name that people see'),
    name_status: Joi.string().description('What the provider decided on the name'),
    account_status: Joi.string().description('What the provider did to the account'),
  }),
  example: { channel_id: ids.channel, status: 'auth_error', changed: ['status'] },
});

export const operationFailed = event({
  type: 'operation.failed',
  description: 'An operation failed for good',
  subject: { type: 'operation', id: 'operation_id' as const },
  data: Joi.object({
    operation_id: id('The operation'),
    name: id('What was asked'),
    code: id('Why, as a code'),
    reason: text('Why, in words'),
  }),
  example: {
    operation_id: ids.operation,
    name: 'templates.sync',
    code: 'provider_refused',
    reason: 'The token is no longer valid',
  },
});

export const catalogue = [
  messageNew,
  groupMessageNew,
  messageSent,
  messageStatusUpdate,
  messageFailed,
  messageUpdated,
  conversationCreated,
  conversationUpdated,
  contactCreated,
  contactUpdated,
  contactDeleted,
  contactsImported,
  contactsExported,
  templateStatusUpdate,
  channelStatusUpdate,
  onboardingUpdated,
  operationFailed,
  webhookTest,
  endpointFailing,
  endpointRecovered,
  endpointDisabled,
  ...crmEvents,
  ...flowEvents,
  ...commerceEvents,
  ...campaignEvents,
  ...automationEvents,
] as unknown as EventContract[];

export const eventTypes = catalogue.map(({ type }) => type);
