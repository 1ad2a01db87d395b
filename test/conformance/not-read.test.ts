import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { partsOf } from '../../src/providers/messaging-app/inbound.ts';
import { bodyOf, change, entry, newId } from '../support/provider-body.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/decisions/0025-media-on-the-wire.md'), 'utf8');
const listed = [...page.matchAll(/^\| `(\w+)` \| /gm)].map(([, field]) => field!);
const channel = { phoneNumberId: '1', wabaId: '2' };

/** Payloads of our own, in the provider's forms. */
const payloads: Record<string, Record<string, unknown>> = {
  account_alerts: {
    entity_type: 'PHONE_NUMBER',
    entity_id: '1',
    alert_info: { alert_severity: 'INFORMATIONAL', alert_type: 'OBA' },
  },
  automatic_events: { automatic_events: [{ id: newId(), event_name: 'LeadSubmitted', timestamp: 1750269342 }] },
  calls: { calls: [{ id: 'wacid.1', from: '1650', event: 'connect', timestamp: '1750269342', direction: 'USER_INITIATED' }] },
  group_lifecycle_update: { groups: [{ group_id: 'G', type: 'group_create', timestamp: '1750269342', subject: 'Us' }] },
  group_participants_update: { groups: [{ group_id: 'G', type: 'group_participants_add', timestamp: '1750269342' }] },
  group_settings_update: { groups: [{ group_id: 'G', type: 'group_settings_update', timestamp: '1750269342' }] },
  group_status_update: { groups: [{ group_id: 'G', type: 'group_suspend', timestamp: '1750269342' }] },
  history: { history: [{ metadata: { phase: 0 }, threads: [{ id: '1650', messages: [{ from: '1650', id: newId() }] }] }] },
  partner_solutions: { event: 'SOLUTION_CREATED', solution_id: '3', solution_status: 'INITIATED' },
  payment_configuration_update: {
    configuration_name: 'shop',
    provider_name: 'gateway',
    status: 'Active',
    created_timestamp: 1750269342,
  },
  security: { display_phone_number: '1650', event: 'PIN_CHANGED', requester: '4' },
  smb_app_state_sync: { state_sync: [{ type: 'contact', action: 'add', contact: { full_name: 'Ada', phone_number: '1650' } }] },
};

test('what the page lists is what is tried here', () => {
  expect(listed.sort()).toEqual(Object.keys(payloads).sort());
});

test('the page says that every other field is ignored too', () => {
  expect(page).toMatch(/^\| every other field \| /m);
});

test.each([...Object.entries(payloads), ['a_field_of_next_year', { event: 'NEW' }] as const])(
  '%s is nothing to do, and no fault',
  (field, payload) => {
    const [first] = bodyOf(entry(channel, change(channel, payload, field))).entry;
    expect(partsOf({ entryId: first!.id, change: first!.changes[0] as Record<string, unknown> })).toEqual([
      { kind: 'ignored', what: field },
    ]);
  },
);
