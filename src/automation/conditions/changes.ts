import type { CrmHistory, HistoryChanges } from '../../history/history.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { catalogue } from '../../platform/events/catalogue.ts';
import type { EventContract } from '../../platform/events/event.ts';
import type { EventRow } from './event-row.ts';
import type { Root } from './roots.ts';

/** What an event says was changed, of its subject: names, and of some the value before and after. */
export type Told = { root: Root; names: string[]; changes: HistoryChanges };

const changing: Root[] = ['contact', 'conversation', 'deal', 'task', 'record'];
const withHistory: Root[] = ['deal', 'task', 'record'];
const stageChanged = 'deal.stage_changed';

/** Whose change events of this type tell; undefined: none's. `isWhole`: also what it was before. */
export function changeToldBy(type: string): { root: Root; isWhole: boolean } | undefined {
  const root = changing.find((name) => type.startsWith(`${name}.`));
  const contract = catalogue.find((one) => one.type === type);
  if (!root || !contract) return undefined;
  if (type === stageChanged) return { root, isWhole: true };
  if (!tellsNames(contract)) return undefined;
  return { root, isWhole: withHistory.includes(root) && !withoutHistory.includes(type) };
}

/** Each is told beside `task.updated`, or tells of no change at all: the history has no row with its id. */
const withoutHistory = ['task.completed', 'task.due'];

const tellsNames = ({ example }: EventContract) => Array.isArray(example.changed);

/** SQL: an event has one row of the object's history at most, most often the newest. */
const changesStatement = `
  select changes
    from crm_history
   where organization_id = $1
     and object_id = $2
     and event_id = $3
   order by revision desc
   limit 1`;

export async function changesOf(own: Own, event: EventRow): Promise<Told | undefined> {
  const told = changeToldBy(event.type);
  if (!told) return undefined;
  if (event.type === stageChanged) return stageChange(event);
  const names = event.data.changed as string[];
  const [row] = told.isWhole
    ? await own.sql<RowOf<typeof CrmHistory, 'changes'>>(changesStatement, [event.subject_id, event.id])
    : [];
  return { root: told.root, names: [...new Set([...names, ...Object.keys(row?.changes ?? {})])], changes: row?.changes ?? {} };
}

/** Its history is the row of the `deal.updated` beside it. */
const stageChange = ({ data }: EventRow): Told => ({
  root: 'deal',
  names: ['stage_id'],
  changes: { stage_id: { from: data.from_stage_id, to: data.to_stage_id } },
});
