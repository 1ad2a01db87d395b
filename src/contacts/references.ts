/**
 * What refers to a contact, and what becomes of it. A test reads every foreign key to `contacts` from the catalogue and fails when one is
 * not here.
 */
export type ContactReference = {
  table: string;
  column: string;
  /**
   * What a merge does, in this order: of the organization $1, for the contact that stays $2, with the rows of the one that goes $3, asked
   * for by $4. What still refers to that one then goes with it, or is refused by the database.
   */
  merge: string[];
  /** What happens when the person is forgotten. `cascade` and `set null` the database does; the rest erase.ts does itself. */
  erase: 'cascade' | 'set null' | 'withdraw';
  /** As `contact.updated` calls it when a merge brings something. */
  field?: string;
};

const move = (table: string) => [`update ${table} set contact_id = $2 where organization_id = $1 and contact_id = $3`];

/** One row a contact and channel: of two the better stays. `o` is a row of the one that goes, `s` of the one that stays. */
const unite = (table: string, isBetter: string, history: string) => {
  const both = 's.organization_id = $1 and s.contact_id = $2 and s.channel = o.channel';
  const coming = `o.organization_id = $1 and o.contact_id = $3 and not exists (select 1 from ${table} s where ${both})`;
  return [
    `delete from ${table} s using ${table} o where ${both} and o.organization_id = $1 and o.contact_id = $3 and ${isBetter}`,
    `insert into contact_permission_history (id, organization_id, contact_id, kind, channel, state, reason, source, proof, expires_at, actor)
     select uuidv7(), $1::uuid, $2::uuid, ${history}, $4 from ${table} o where ${coming}`,
    `update ${table} o set contact_id = $2 where ${coming}`,
  ];
};

const strictness = (row: string) => `array_position(array['pending', 'granted', 'denied'], ${row}.status)`;
/** What was decided last holds; of two decisions at once the stricter. */
const isLater = `(o.changed_at, ${strictness('o')}) > (s.changed_at, ${strictness('s')})`;
const isLonger = `coalesce(o.expires_at, 'infinity') > coalesce(s.expires_at, 'infinity')`;

/** Pairs with a third contact are pairs with the survivor now; the one of these two goes with the merge. */
const rePair = (mine: string, other: string) => [
  `insert into contact_duplicates (id, organization_id, contact_id, other_id, reason, created_at)
   select uuidv7(), $1::uuid, least($2::uuid, d.${other}), greatest($2::uuid, d.${other}), d.reason, d.created_at from contact_duplicates d
    where d.organization_id = $1 and d.${mine} = $3 and d.${other} <> $2 on conflict on constraint contact_duplicates_pair do nothing`,
];

export const contactReferences: ContactReference[] = [
  {
    table: 'contact_identities',
    column: 'contact_id',
    merge: move('contact_identities'),
    erase: 'cascade',
    field: 'identities',
  },
  { table: 'contact_notes', column: 'contact_id', merge: move('contact_notes'), erase: 'cascade', field: 'notes' },
  {
    table: 'contact_tags',
    column: 'contact_id',
    merge: [
      `update contact_tags o set contact_id = $2 where o.organization_id = $1 and o.contact_id = $3
         and not exists (select 1 from contact_tags s where s.organization_id = $1 and s.contact_id = $2 and s.tag_id = o.tag_id)`,
    ],
    erase: 'cascade',
    field: 'tags',
  },
  {
    table: 'contact_consents',
    column: 'contact_id',
    merge: unite('contact_consents', isLater, `'consent', o.channel, o.status, '', 'merge', o.proof, null::timestamptz`),
    erase: 'cascade',
    field: 'consents',
  },
  {
    table: 'contact_suppressions',
    column: 'contact_id',
    merge: unite('contact_suppressions', isLonger, `'suppression', o.channel, 'suppressed', o.reason, 'merge', '', o.expires_at`),
    erase: 'cascade',
    field: 'suppressions',
  },
  {
    table: 'contact_permission_history',
    column: 'contact_id',
    merge: move('contact_permission_history'),
    erase: 'cascade',
  },
  { table: 'contact_blocks', column: 'contact_id', merge: move('contact_blocks'), erase: 'cascade', field: 'blocks' },
  { table: 'contact_merges', column: 'contact_id', merge: move('contact_merges'), erase: 'cascade' },
  { table: 'contact_duplicates', column: 'contact_id', merge: rePair('contact_id', 'other_id'), erase: 'cascade' },
  { table: 'contact_duplicates', column: 'other_id', merge: rePair('other_id', 'contact_id'), erase: 'cascade' },
  // Those of one channel have become one before (merge-conversations.ts).
  { table: 'conversations', column: 'contact_id', merge: move('conversations'), erase: 'set null' },
  { table: 'messages', column: 'contact_id', merge: move('messages'), erase: 'set null' },
  // No foreign key: the stored reply speaks of the person, and outlives him unless it is withdrawn.
  { table: 'idempotency_keys', column: 'contact_id', merge: move('idempotency_keys'), erase: 'withdraw' },
];
