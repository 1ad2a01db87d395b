import type { Own } from '../../src/platform/database/own.ts';
import type { BuiltInRows } from '../../src/records/built-in/lists.ts';
import type { BuiltInKind } from '../../src/records/types/names.ts';
import { toContactView } from '../contacts/schemas.ts';
import { toConversationView } from '../messaging/conversation-schemas.ts';
import { toDealViews } from './deal-schemas.ts';
import { toTaskView } from './task-schemas.ts';

type OwnView = { id: string; custom_fields?: object; metadata?: object; created_at: string; updated_at: string };

/** Of a kind's own view: what every record has, and the rest as `fields`. */
function asRecord(kind: string, displayName: string, view: OwnView) {
  const { id, custom_fields = {}, metadata = {}, created_at, updated_at, ...fields } = view;
  return { id, kind, display_name: displayName, fields, custom_fields, metadata, created_at, updated_at };
}

type Views = { [Kind in BuiltInKind]: (own: Own, rows: BuiltInRows[Kind][]) => Promise<{ id: string }[]> };

export const builtInViews: Views = {
  contact: async (_own, rows) => rows.map((row) => asRecord('contact', row.display_name, toContactView(row))),
  conversation: async (_own, rows) => rows.map((row) => asRecord('conversation', row.display_name, toConversationView(row))),
  deal: async (own, rows) =>
    (await toDealViews(own, rows)).map((view) => asRecord('deal', view.title as string, view as OwnView)),
  task: async (_own, rows) => rows.map((row) => asRecord('task', row.title, toTaskView(row))),
};
