import { bindTo } from '../listing/bind.ts';
import type { Part } from './part.ts';
import type { OwnTx } from './tx.ts';

/**
 * SQL: each part that `work` includes runs here and now, as a statement of its own, in place of the ledger's: whatever the same transaction does
 * afterwards sees it, and several may have the same names. Its first parameter is the organization. Not for a part with an assertion.
 */
export async function atOnce<Result>(tx: OwnTx, work: (tx: OwnTx) => { read(): Result }): Promise<Result> {
  const parts: Part[] = [];
  const rows = new Map<string, unknown>();
  const within: OwnTx = Object.assign(Object.create(tx) as OwnTx, {
    include: (part: Part) => void parts.push(part),
    given: (name: string) => rows.get(name),
  });
  const done = work(within);
  // What the transaction changed as records is in the database before a text looks at it.
  await tx.flush();
  for (const { text, params, gives, assertion } of parts) {
    if (!gives || assertion || params[0] !== tx.organizationId) throw new Error('The part cannot run by itself');
    const places = params.map(bindTo([]));
    const [row] = await tx.sql(`with ${text(...places)} select * from ${gives}`, params.slice(1));
    rows.set(gives, row);
  }
  return done.read();
}
