import type { BatchStatement } from '../database/batch.ts';
import { assertionCodes } from '../database/errors.ts';
import { bindTo } from '../listing/bind.ts';
import { dispatchedOf, type Inserted } from './accept.ts';
import type { Part, PartText } from './part.ts';
import type { OwnTx } from './tx.ts';
import { assertionError } from './write.ts';

/**
 * What `work` includes runs when it is over, each part as a statement of its own, in place of the ledger's one: whatever the same transaction does
 * afterwards sees it, and several rules in one transaction may have parts of the same names. For a transaction that does what several requests do. Where one
 * round trip is the whole transaction they travel before the ledger's, and what they give is never read.
 */
export async function atOnce<Result>(tx: OwnTx, work: (tx: OwnTx) => Promise<Result> | Result): Promise<Result> {
  const parts: Part[] = [];
  const rows = new Map<string, unknown>();
  let isOver = false;
  const within: OwnTx = Object.assign(Object.create(tx) as OwnTx, {
    // What is noted for the end of the transaction may include something then.
    include: (part: Part) => (isOver ? tx.include(part) : void parts.push(part)),
    given: (name: string) => rows.get(name) ?? tx.given(name),
  });
  const result = await work(within);
  isOver = true;
  if (tx.isOneTrip) {
    for (const part of parts) tx.first(statementOf(tx, part));
    return result;
  }
  // What was changed as records is in the database before a text looks at it.
  await tx.flush();
  for (const part of parts) await run(tx, part, rows);
  return result;
}

async function run(tx: OwnTx, part: Part, rows: Map<string, unknown>) {
  const { text, params } = statementOf(tx, part);
  const found = await tx.sql<Inserted>(text, params.slice(1)).catch(assertionError);
  if (part.dispatched) tx.dispatch(dispatchedOf(found));
  if (part.gives) rows.set(part.gives, found[0]);
}

/** SQL: a part as a whole statement. Its first parameter is the organization. */
function statementOf(tx: OwnTx, { text, params, gives, dispatched, assertion, onlyWithEnd }: Part): BatchStatement {
  const isRead = gives !== undefined || dispatched !== undefined;
  const isOne = !(gives && dispatched) && !(isRead && assertion) && !(dispatched && tx.isOneTrip);
  if (params[0] !== tx.organizationId || onlyWithEnd || !isOne) throw new Error('The part cannot be a statement of its own');
  return { text: textOf(text, params.length, gives ?? dispatched, assertion), params };
}

/** Few forms, each composed once: text and assertion are made once, too. */
const composed = new WeakMap<PartText, Map<unknown, string>>();

function textOf(text: PartText, places: number, read: string | undefined, assertion: PartText | undefined): string {
  const texts = composed.get(text) ?? new Map<unknown, string>();
  composed.set(text, texts);
  const key = assertion ?? `${places} ${read}`;
  const known = texts.get(key);
  if (known) return known;
  const all = Array.from({ length: places }, bindTo([]));
  const last = assertion ? `assert_that(${assertion(...all)}, '${assertionCodes.outdated}')` : read ? `* from ${read}` : '1';
  const made = `with ${text(...all)} select ${last}`;
  texts.set(key, made);
  return made;
}
