export type ContactReference = {
  table: string;
  column: string;
  /** When the contact becomes part of another: its rows become the other's, or go, since they speak of the contact as one of its own. */
  merge: 'move' | 'drop';
  /** When the person is forgotten: gone with him, stays without him, or says that there is no such contact. */
  erase: 'cascade' | 'set null' | 'withdraw';
};

/** Everything that refers to a contact: a test holds the list to the foreign keys of the database. */
export const contactReferences: ContactReference[] = [
  { table: 'contact_identities', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_notes', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_tags', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_consents', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_suppressions', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_permission_history', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_merges', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_duplicates', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_duplicates', column: 'other_id', merge: 'move', erase: 'cascade' },
  { table: 'contact_blocks', column: 'contact_id', merge: 'move', erase: 'cascade' },
  { table: 'conversations', column: 'contact_id', merge: 'move', erase: 'set null' },
  { table: 'messages', column: 'contact_id', merge: 'move', erase: 'set null' },
  // No foreign key: a reply outlives whom it speaks of, by saying that he is not there.
  { table: 'idempotency_keys', column: 'contact_id', merge: 'move', erase: 'withdraw' },
];
