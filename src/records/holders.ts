import type { Own } from '../platform/database/own.ts';
import { type IndexedValue, indexedText } from './types/indexed-values.ts';

/** SQL: a set. Each value as its unique index has it, and the live record that has it. */
const findHolders = `
  select g.n, g.folded,
         coalesce(
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = g.field_id and v.text_value = g.folded and v.is_unique),
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = g.field_id and v.number_value = g.number and v.is_unique),
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = g.field_id and v.time_value = g.time and v.is_unique)) as holder
    from (select x.n, x.field_id, ${indexedText('x.text')} as folded, x.number, x.time
            from jsonb_to_recordset($2::jsonb) as x (n int, field_id uuid, text text, number numeric, time timestamptz)
          offset 0) g`;
type Found = { n: number; folded: string | null; holder: string | null };

const rawOf = ({ field_id, text, number, time }: IndexedValue) => JSON.stringify([field_id, text, number, time]);

/** Who has which unique value, as operations change it one after the other. */
export class Holders {
  /** The key of a value in its index, by the value as it was given. */
  readonly #keys = new Map<string, string>();
  readonly #holders = new Map<string, string>();

  learn(rows: IndexedValue[], found: Found[]) {
    for (const { n, folded, holder } of found) {
      const row = rows[n]!;
      const key = row.text === undefined ? rawOf(row) : JSON.stringify([row.field_id, folded]);
      this.#keys.set(rawOf(row), key);
      if (holder !== null) this.#holders.set(key, holder);
    }
  }

  ids(): string[] {
    return [...new Set(this.#holders.values())];
  }

  of(row: IndexedValue): string | undefined {
    return this.#holders.get(this.#keyOf(row));
  }

  give(row: IndexedValue, id: string) {
    this.#holders.set(this.#keyOf(row), id);
  }

  /** Of what the record has. */
  take(row: IndexedValue, id: string) {
    if (this.of(row) === id) this.#holders.delete(this.#keyOf(row));
  }

  #keyOf(row: IndexedValue): string {
    const key = this.#keys.get(rawOf(row));
    if (key === undefined) throw new Error('A unique value that was not looked up');
    return key;
  }
}

/** Of the unique ones of these values, in one statement. */
export async function holdersOf(own: Own, rows: IndexedValue[]): Promise<Holders> {
  const holders = new Holders();
  const unique = [...new Map(rows.filter((row) => row.is_unique).map((row) => [rawOf(row), row])).values()];
  if (unique.length === 0) return holders;
  const asked = unique.map(({ field_id, text, number, time }, n) => ({ n, field_id, text, number, time }));
  holders.learn(unique, await own.sql<Found>(findHolders, [JSON.stringify(asked)]));
  return holders;
}
