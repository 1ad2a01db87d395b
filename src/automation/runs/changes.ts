/** What a later step of the same batch may read of what an action changes, by the first name of a variable. Of others: anything. */
const changed: Record<string, string[]> = {
  add_tag: ['contact', 'conversation'],
  remove_tag: ['contact', 'conversation'],
  set_field: ['contact', 'deal', 'task', 'record'],
  add_note: [],
  set_consent: ['contact'],
  suppress: ['contact'],
  send_message: ['conversation', 'message'],
  assign_conversation: ['conversation'],
  set_conversation_status: ['conversation'],
  create_task: ['task'],
  update_task: ['task'],
  create_deal: ['deal'],
  update_deal: ['deal'],
  move_deal: ['deal'],
  create_record: ['record'],
  update_record: ['record'],
  link: ['record', 'deal'],
  start_rule: [],
};

const anything = ['contact', 'conversation', 'message', 'deal', 'task', 'record', 'event'];

export const changedBy = (type: string): string[] => changed[type] ?? anything;
