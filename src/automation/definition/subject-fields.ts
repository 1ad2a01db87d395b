import type { ContactRow } from '../../contacts/queries.ts';
import type { shownFields } from '../../deals/shown.ts';
import type { ConversationRow } from '../../messaging/inbox/conversation-row.ts';
import type { MessageRow } from '../../messaging/queries.ts';
import type { OrganizationRow } from '../../organizations/organizations.ts';
import type { TaskRow } from '../../tasks/task-row.ts';

/** By the compiler, exactly the names of the rows that a run reads (conditions/facts.ts). */
type Names<Row> = Record<keyof Row, true>;

const message: Names<MessageRow> & { text: true } = {
  id: true,
  channel_id: true,
  conversation_id: true,
  contact_id: true,
  direction: true,
  type: true,
  status: true,
  from_phone: true,
  to_phone: true,
  text: true,
  content: true,
  context_id: true,
  context_message_id: true,
  provider_message_id: true,
  failure: true,
  campaign_id: true,
  send_at: true,
  provider_at: true,
  created_at: true,
  updated_at: true,
};

const contact: Names<ContactRow> = {
  id: true,
  name: true,
  phone_number: true,
  email: true,
  tags: true,
  custom_fields: true,
  external_source: true,
  external_id: true,
  created_at: true,
  updated_at: true,
};

const conversation: Names<ConversationRow> & { is_unread: true } = {
  id: true,
  channel_id: true,
  contact_id: true,
  group_id: true,
  contact_name: true,
  contact_phone_number: true,
  status: true,
  snoozed_until: true,
  assignee_id: true,
  priority: true,
  tags: true,
  custom_fields: true,
  unread_count: true,
  is_unread: true,
  preview: true,
  last_message_at: true,
  last_inbound_at: true,
  last_activity_at: true,
  window_expires_at: true,
  is_window_open: true,
  created_at: true,
  updated_at: true,
};

type DealShown = ReturnType<typeof shownFields> & {
  id: string;
  probability: unknown;
  contacts: unknown;
  revision: number;
  created_at: string;
  updated_at: string;
};
const deal: Names<DealShown> = {
  id: true,
  title: true,
  status: true,
  amount_minor: true,
  currency_code: true,
  home_currency_at_write: true,
  amount_in_home_currency: true,
  expected_close_at: true,
  owner_user_id: true,
  source_conversation_id: true,
  pipeline_id: true,
  stage_id: true,
  stage_entered_at: true,
  position: true,
  closed_at: true,
  lost_reason: true,
  probability: true,
  contacts: true,
  custom_fields: true,
  metadata: true,
  revision: true,
  created_at: true,
  updated_at: true,
};

const task: Names<TaskRow> = {
  id: true,
  title: true,
  description: true,
  description_rich: true,
  status: true,
  priority: true,
  type: true,
  assignee_id: true,
  due_at: true,
  remind_at: true,
  completed_at: true,
  created_by: true,
  targets: true,
  revision: true,
  created_at: true,
  updated_at: true,
};

const organization: Names<OrganizationRow> = {
  id: true,
  name: true,
  timezone: true,
  timezone_field: true,
  home_currency: true,
  display_currency: true,
  business_hours: true,
  quiet_hours: true,
  frequency_cap: true,
  created_at: true,
  updated_at: true,
};

/** What texts may read of each. Of a record: its type declares it. */
export const subjectFields = {
  message: Object.keys(message),
  contact: Object.keys(contact),
  conversation: Object.keys(conversation),
  deal: Object.keys(deal),
  task: Object.keys(task),
  organization: Object.keys(organization),
};
