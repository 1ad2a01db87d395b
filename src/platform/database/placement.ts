/**
 * Where tables stand when PostgreSQL is distributed by organization (Citus; docs/scale.md, Tables). Each table that is not here is
 * distributed by `organization_id`: its keys, unique constraints and references to other such tables begin with it.
 *
 * A reference table has a copy on each node, a local table stands on the coordinator alone.
 */
export type Placement = 'reference' | 'local';

export const placements: Record<string, { placement: Placement; why: string }> = {
  organizations: { placement: 'reference', why: 'every table refers to it; small' },
  users: { placement: 'reference', why: 'a person may belong to several organizations' },
  memberships: { placement: 'reference', why: 'sessions and tokens refer to it, before the organization is known' },
  sessions: { placement: 'reference', why: 'found by the hash of the cookie, before the organization is known' },
  bearer_tokens: { placement: 'reference', why: 'found by its hash, before the organization is known' },
  api_keys: { placement: 'reference', why: 'found by its hash, before the organization is known' },
  invitations: { placement: 'reference', why: 'found by the hash of the link, before the organization is known' },
  channels: { placement: 'reference', why: "a provider's webhook names the number, before the organization is known" },
  connections: { placement: 'reference', why: "a provider's webhook names it, before the organization is known" },
  onboardings: {
    placement: 'reference',
    why: "a provider's webhook names the number, before it has a channel; some rows and writes for each number",
  },
  heartbeats: { placement: 'reference', why: 'of processes; read beside the message whose outcome is unknown' },
  password_resets: { placement: 'local', why: 'of people' },
  login_limits: { placement: 'local', why: 'of addresses and people' },
  audit_log: { placement: 'local', why: 'an act of the operator has no organization, and null cannot be distributed' },
  purges: { placement: 'local', why: 'of the installation' },
  mikro_orm_migrations: { placement: 'local', why: 'of the installation' },
};

/** Unique over all organizations: only tables above may have such an index. */
export const uniqueOverAll = [
  'api_keys_hash',
  'bearer_tokens_hash',
  'channels_phone_number_id',
  'invitations_hash',
  'sessions_hash',
  'password_resets_hash',
  'users_email',
];

/** Distributed sequences give each node numbers of its own: in order for one organization as long as one node takes its writes. */
export const sequences = ['deals_position_seq', 'events_seq_seq', 'jobs_seq'];
