import { catalogue } from '../../platform/events/catalogue.ts';
import type { Root } from './roots.ts';

const ofEveryEvent = ['id', 'type', 'timestamp'];

/** Of `event` for an event of this type; of an unknown type those that each has. */
export function eventMembers(type: string): string[] {
  const contract = catalogue.find((one) => one.type === type);
  const described = contract?.data.describe().keys as Record<string, unknown> | undefined;
  return [...ofEveryEvent, ...Object.keys(described ?? {}).filter((name) => !ofEveryEvent.includes(name))];
}

const objects: Root[] = ['message', 'conversation', 'deal', 'task', 'record'];
/** Of these the subject has a contact, or may have one. */
const withContact = ['contact', 'conversation', 'deal', 'task', 'order'];

/** What a run that an event of this type begins may know of. */
export function rootsOfEvent(type: string): Set<Root> {
  const contract = catalogue.find((one) => one.type === type);
  const found = new Set<Root>(['event', 'vars', 'steps']);
  if (!contract) return found;
  const members = eventMembers(type);
  for (const root of objects) if (contract.subject.type === root || members.includes(`${root}_id`)) found.add(root);
  if (withContact.includes(contract.subject.type)) found.add('contact');
  return found;
}
