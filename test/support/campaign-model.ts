import type { Sent } from './campaign-provider.ts';

type Person = {
  contactId: string;
  phone: string;
  isSuppressed: boolean;
  consent: { isGranted: boolean; at: number };
  isErased: boolean;
  /** Who they are one person with. */
  into?: Person;
};
/** `isLive`: it may have reached the person. `isLost`: the provider took it, and the product has not heard of that. */
type Message = { id: string; person: Person; taken: number; isLive: boolean; isLost: boolean; isDelivered: boolean };

/** Who may be written to by a campaign of marketing, and who was: in the fewest words. */
export class CampaignModel {
  readonly people: Person[];
  readonly messages = new Map<string, Message>();
  /** What must not have been sent, and why. */
  readonly wrong: string[] = [];
  isCancelled = false;
  #moments = 0;

  constructor(people: { contactId: string; phone: string }[]) {
    this.people = people.map((one) => ({ ...one, isSuppressed: false, consent: { isGranted: true, at: 0 }, isErased: false }));
  }

  /** The contact that is there of them. */
  now(person: Person): Person {
    return person.into ? this.now(person.into) : person;
  }

  consent(person: Person, isGranted: boolean) {
    this.#moments += 1;
    this.now(person).consent = { isGranted, at: this.#moments };
  }

  stop(person: Person) {
    this.now(person).isSuppressed = true;
    this.consent(person, false);
  }

  /** The older contact stays, with the later consent. */
  merge(one: Person, other: Person) {
    const [older, newer] = [this.now(one), this.now(other)].sort((a, b) => (a.contactId < b.contactId ? -1 : 1)) as [
      Person,
      Person,
    ];
    if (older === newer) return;
    newer.into = older;
    older.isSuppressed ||= newer.isSuppressed;
    if (newer.consent.at > older.consent.at) older.consent = newer.consent;
  }

  #refusal(person: Person): string | undefined {
    if (this.isCancelled) return 'cancelled';
    if (person.isErased) return 'erased';
    if (person.isSuppressed) return 'suppressed';
    return person.consent.isGranted ? undefined : 'no consent';
  }

  /** The provider is asked to send a message. */
  hear({ messageId: id, phone, isTaken }: Sent) {
    const person = this.now(this.people.find((one) => one.phone === phone)!);
    const refusal = this.#refusal(person);
    if (refusal) this.wrong.push(`${phone}: ${refusal}`);
    const known = this.messages.get(id);
    // Once more at most, and only where no answer came.
    if (known?.isLive && !(known.isLost && known.taken === 1)) this.wrong.push(`${phone}: ${id} again`);
    for (const other of this.messages.values())
      if (other.id !== id && other.isLive && this.now(other.person) === person) this.wrong.push(`${phone}: a second message`);
    const fresh = { id, person, taken: 0, isLive: false, isLost: false, isDelivered: false };
    const message = known?.isLive ? known : fresh;
    this.messages.set(id, message);
    if (!isTaken) return;
    message.taken += 1;
    message.isLive = true;
    message.isLost = true;
  }

  /** What the product knows of it now. */
  settle(id: string, status: string) {
    const message = this.messages.get(id);
    if (message) message.isLost &&= !['sent', 'delivered', 'read'].includes(status);
  }

  /** The provider tells what became of it. */
  tell(message: Message, status: 'delivered' | 'read' | 'failed') {
    if (status === 'failed') message.isLive = false;
    else message.isDelivered = true;
    message.isLost = false;
  }

  /** Those that arrived, as both sides know. */
  get arrived(): string[] {
    return [...this.messages.values()].flatMap(({ id, isLive, isLost }) => (isLive && !isLost ? [id] : [])).sort();
  }
}
