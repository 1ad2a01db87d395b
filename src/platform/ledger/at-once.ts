import { bindTo } from '../listing/bind.ts';
import { dispatchedOf, type Inserted } from './accept.ts';
import type { Part } from './part.ts';
import type { OwnTx } from './tx.ts';

/**
 * What `work` includes runs when it is over, each part as a statement of its own, in place of the ledger's one: whatever the same transaction does
 * afterwards sees it, and several rules in one transaction may have parts of the same names. For a transaction that does what several requests do.
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
  // What was changed as records is in the database before a text looks at it.
  await tx.flush();
  for (const part of parts) await run(tx, part, rows);
  return result;
}

/** SQL: a part as a whole statement. Its first parameter is the organization. */
async function run(tx: OwnTx, { text, params, gives, dispatched, assertion, onlyWithEnd }: Part, rows: Map<string, unknown>) {
  if (params[0] !== tx.organizationId || assertion || onlyWithEnd || (gives && dispatched))
    throw new Error('The part cannot be a statement of its own');
  const found = await tx.sql<Inserted>(
    `with ${text(...params.map(bindTo([])))} select ${gives || dispatched ? `* from ${gives ?? dispatched}` : '1'}`,
    params.slice(1),
  );
  if (dispatched) tx.dispatch(dispatchedOf(found));
  if (gives) rows.set(gives, found[0]);
}
