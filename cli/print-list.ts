import { type Column, columns } from './columns.ts';

export type ListOptions = { json?: boolean };

/** As columns, or with `json` for programs: every field as the API shows it. */
export function printList<Row extends object>(rows: Row[], shown: Column<Row>[], { json }: ListOptions) {
  console.log(json ? JSON.stringify(rows, onTheWire, 2) : columns(rows, shown));
}

const onTheWire = (name: string, value: unknown) =>
  name.endsWith('_at') && typeof value === 'string' ? new Date(value).toISOString() : value;

/** To the second, in UTC. */
export const time = (text: string | null) => (text === null ? '-' : `${new Date(text).toISOString().slice(0, 19)}Z`);
