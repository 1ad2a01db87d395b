import { catalogue } from '../../platform/events/catalogue.ts';
import type { Root } from './roots.ts';

const ofEveryEvent = ['id', 'type', 'timestamp'];

/** By the type: Joi takes some 0.1 ms to describe one, and a rule may ask thousands of times. */
const known = new Map<string, readonly string[]>();

/** Of `event` for an event of this type; of an unknown type those that each has. */
export function eventMembers(type: string): readonly string[] {
  const before = known.get(type);
  if (before) return before;
  const contract = catalogue.find((one) => one.type === type);
  if (!contract) return ofEveryEvent;
  const described = Object.keys(contract.data.describe().keys as object);
  const members = [...ofEveryEvent, ...described.filter((name) => !ofEveryEvent.includes(name))];
  known.set(type, members);
  return members;
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
