import type { BusinessHours } from '../../organizations/organization.entity.ts';
import type { Conditions } from './conditions.ts';
import type { Facts } from './facts.ts';

export { rootsOf } from './roots.ts';

/** Of a condition that was asked. `path`: where it stands, such as `all[0].any[1]`. */
export type Seen = { path: string; field: string; operator: string; value: unknown; actual: unknown; holds: boolean };

/** `hours` and `timezone`: the organization's. */
export type Clock = { now: Date; hours: BusinessHours; timezone: string };

export function holds(conditions: Conditions | null, facts: Facts, clock: Clock): { holds: boolean; seen: Seen[] } {
  void [conditions, facts, clock];
  throw new Error('not yet');
}
