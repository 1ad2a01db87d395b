import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { contactTx } from '../../src/contacts/contact-tx.ts';
import { conversationsOf, eraseContact, eraseLocks } from '../../src/contacts/erasure/erase.ts';
import { contactLock } from '../../src/contacts/events.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../src/contacts/merging/merge.ts';
import { targetTaken } from '../../src/contacts/merging/merge-tasks.ts';
import { setConsent } from '../../src/contacts/permission/consents.ts';
import { optOut } from '../../src/contacts/permission/opt-out.ts';
import { suppress } from '../../src/contacts/permission/suppressions.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { CampaignModel } from './campaign-model.ts';
import { type CampaignRuns, campaignWorks } from './campaign-runs.ts';
import type { Change, How, Merge } from './campaign-steps.ts';
import { testSecrets } from './secrets.ts';

/** Another error is one of the test. */
function codeOf(error: unknown): string | undefined {
  if (error === undefined || error instanceof AppError) return error?.code;
  throw error;
}

/** What is done to a campaign and to its people, in a process that may die of it. */
export function campaignActs(at: CampaignRuns, id: string, model: CampaignModel) {
  const own = ownRows(at.house.database, at.organization);

  /** What the campaign has to do, for an act to meet it. */
  async function workBeside(): Promise<(() => Promise<unknown>) | undefined> {
    for (const name of campaignWorks) {
      const [row] = await at.queued(name, id);
      if (row) return () => at.run(name, row);
    }
    return undefined;
  }

  /** The code of its refusal; undefined: it was done; `cut`: who knows. */
  async function act({ cut, isBeside }: How, work: () => Promise<unknown>): Promise<string | undefined> {
    const beside = isBeside ? await workBeside() : undefined;
    const both = async () => {
      const [asked] = await Promise.allSettled([work(), beside?.()]);
      if (asked.status === 'rejected') throw asked.reason;
    };
    const { isCut, error } = await at.cuts.during(cut === 0 ? undefined : { at: cut, dies: true }, both);
    return isCut ? 'cut' : codeOf(error);
  }

  /** One that was cut off is asked for again, as by a client that got no answer. */
  async function actWholly(how: How, work: () => Promise<unknown>): Promise<string | undefined> {
    const code = await act(how, work);
    return code === 'cut' ? act({ cut: 0 }, work) : code;
  }

  /** Undefined where the person was erased. */
  function personAt(place: number) {
    const person = model.now(model.people[place]!);
    return person.isErased ? undefined : person;
  }

  async function erase(place: number, how: How): Promise<void> {
    const person = personAt(place);
    if (!person) return;
    const look = () => conversationsOf(own, person.contactId);
    const locks = (conversations: string[]) => eraseLocks(person.contactId, conversations);
    // 404: it was done before the cut.
    await actWholly(how, () =>
      at.transact({ isLong: true, look, locks }, (tx) => eraseContact(tx.own, testSecrets, person.contactId)),
    );
    person.isErased = true;
  }

  async function change({ do: what, who, ...how }: Change): Promise<void> {
    if (what === 'erase') return erase(who, how);
    const person = personAt(who);
    if (!person) return;
    const { contactId } = person;
    const by = { actor: 'key:test', source: 'test', proof: randomUUID() };
    const code = await actWholly(how, () =>
      at.transact({ locks: [contactLock(contactId)] }, async (tx) => {
        if (what === 'stop') return optOut(tx.own, contactId, uuidv7(), new Date());
        const contact = await contactTx(tx.own, contactId);
        const status = what === 'grant' ? 'granted' : 'denied';
        if (what === 'suppress') await suppress(contact, { channel: 'all', reason: 'manual', expiresAt: null }, by);
        else await setConsent(contact, { channel: 'messaging_app', status }, by);
      }),
    );
    expect(code).toBeUndefined();
    if (what === 'suppress') person.isSuppressed = true;
    else if (what === 'stop') model.stop(person);
    else model.consent(person, what === 'grant');
  }

  /** Places of those whose message waits, or who are to get one. */
  async function awaiting(): Promise<number[]> {
    const rows = await at.sql<{ contact_id: string }>(
      `select contact_id from campaign_recipients
        where campaign_id = $1 and status in ('pending', 'queued') and contact_id is not null order by status desc, id`,
      [id],
    );
    return rows.map((row) => model.people.findIndex(({ contactId }) => contactId === row.contact_id));
  }

  async function merge({ who, other, isOfAwaiting, ...how }: Merge): Promise<void> {
    const waiting = isOfAwaiting ? await awaiting() : [];
    const placeOf = (index: number) => (waiting.length > 1 ? waiting[index % waiting.length]! : index);
    const [one, two] = [personAt(placeOf(who)), personAt(placeOf(other))];
    if (!one || !two || one === two) return;
    const asked = { id: one.contactId, otherId: two.contactId };
    const options = { isLong: true, look: () => lookAtPair(own, asked), locks: mergeLocks, retryOn: [targetTaken] };
    const code = await actWholly(how, () => at.transact(options, (tx) => mergeContacts(tx.own, 'key:test', asked)));
    // 409: a message of a conversation that would end is being sent.
    if (code === undefined) model.merge(one, two);
    else expect(code).toBe('conflict');
  }

  return { act, actWholly, change, merge };
}
