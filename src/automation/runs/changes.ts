/** What a later step of the same batch may read of what an action changes: by the first name of a variable, or by two. Of others: anything. */
const tags = ['contact.tags', 'contact.updated_at', 'conversation.tags', 'conversation.updated_at'];
const changed: Record<string, string[]> = {
  add_tag: tags,
  remove_tag: tags,
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

/**
 * Of `contact.tags`: `contact` with `tags` behind it, or with nothing that tells what of it is read, as in `contact["tags"]` or the whole `contact`.
 */
export function isNamed(name: string, text: string): boolean {
  const [root, rest] = name.split('.');
  return new RegExp(rest ? `\\b${root}\\b(?!\\.(?!${rest}\\b)[a-z_])` : `\\b${root}\\b`).test(text);
}

const anything = ['contact', 'conversation', 'message', 'deal', 'task', 'record', 'event'];

export const changedBy = (type: string): string[] => changed[type] ?? anything;
