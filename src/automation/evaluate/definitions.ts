import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { rootsOf } from '../conditions/evaluate.ts';
import type { Definition } from '../definition/definition.ts';
import type { AutomationRule, AutomationRuleVersion } from '../rule.entity.ts';

/** `changed_at`: when the rule was, an erasure included, which takes a person out of a version. */
export type VersionRef = RowOf<typeof AutomationRule, 'id' | 'version'> & { changed_at?: string };
/** What decides whether it begins: its steps, which are most of it, are not read. */
export type Beginning = Omit<Definition, 'steps'>;
/** A published version as it is evaluated. `keywords`: folded. `roots`: what its conditions read. `callsOutside`: one of its steps does. */
export type Published = { definition: Beginning; keywords: string[]; roots: ReadonlySet<string>; callsOutside?: boolean };

type Row = RowOf<typeof AutomationRuleVersion, 'rule_id' | 'number'> & {
  definition: Beginning;
  bytes: number;
  keywords: string[];
  calls_outside: boolean;
};

/** As objects they take some eight times their bytes: about 100 MB in all. */
const bounds = { entries: 1_000, weight: 12_000_000 };
const keyOf = ({ id, version, changed_at = '' }: VersionRef) => `${id} ${version} ${changed_at}`;

/** SQL: pairs of ids and numbers; keywords are folded as the database folds. */
const findStatement = `
  select v.rule_id, v.number, v.definition - 'steps' as definition, octet_length((v.definition - 'steps')::text) as bytes,
         array(
           select fold(k.word)
             from jsonb_array_elements_text(coalesce(v.definition->'trigger'->'keywords', '[]')) with ordinality as k(word, place)
            order by k.place) as keywords,
         jsonb_path_exists(v.definition->'steps', '$.**.type ? (@ == "http_request")') as calls_outside
    from unnest($2::uuid[], $3::int[]) as a(rule_id, number),
         automation_rule_versions v
   where v.organization_id = $1 and v.rule_id = a.rule_id and v.number = a.number`;

/** Of those that are there; a version never changes. */
export class Versions {
  private readonly found: ReadonlyMap<string, Published>;
  constructor(found: ReadonlyMap<string, Published>) {
    this.found = found;
  }

  of(ref: VersionRef): Published | undefined {
    return this.found.get(keyOf(ref));
  }
}
export type ReadVersions = (own: Own, asked: VersionRef[]) => Promise<Versions>;

/** `onFault`: of our own, in one rule or one wait. It begins nothing then, and those beside it go on. */
export type Evaluating = {
  own: Own;
  stopWords: string[];
  read: ReadVersions;
  /** Runs that are woken at once. */
  wakes?: number;
  onFault?: (error: unknown, ruleId: string) => void;
};

/** Keeps the published versions that a worker evaluated last. */
export function createDefinitions(max = bounds): { read: ReadVersions; size(): number } {
  const kept = createBoundedCache<Published>(max);

  async function read(own: Own, asked: VersionRef[]): Promise<Versions> {
    const found = new Map<string, Published>();
    for (const key of asked.map(keyOf)) {
      const known = kept.get(key);
      if (known) found.set(key, known);
    }
    const missing = asked.filter((ref) => !found.has(keyOf(ref)));
    if (missing.length > 0) {
      const ids = missing.map(({ id }) => id);
      const rows = await own.sql<Row>(findStatement, [ids, missing.map(({ version }) => version)]);
      const keys = new Map(missing.map((ref) => [`${ref.id} ${ref.version}`, keyOf(ref)]));
      for (const { rule_id: id, number: version, definition, bytes, keywords, calls_outside } of rows) {
        const one = { definition, roots: rootsOf(definition.conditions), keywords, callsOutside: calls_outside };
        const key = keys.get(`${id} ${version}`)!;
        found.set(key, one);
        kept.set(key, one, bytes);
      }
    }
    return new Versions(found);
  }

  return { read, size: kept.size };
}
