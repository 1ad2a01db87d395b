import { actorOf } from '../../src/organizations/caller.ts';
import { type Own, ownRows } from '../../src/platform/database/own.ts';
import type { rowErrorsIn } from '../../src/platform/imports/row-errors.ts';
import { receiveUpload, tooLarge } from '../../src/platform/imports/upload.ts';
import type { Upload, Uploads } from '../../src/platform/imports/uploads.ts';
import { cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { ok, type Receive } from '../http/endpoint.ts';
import { type PageQuery, pageFrom } from '../http/paging.ts';
import { toErrorView } from './views.ts';

/** Takes a file into the tables. What the query asks for is part of the request, as the file is. */
export const takeFile =
  (uploads: Uploads): Receive<Upload>['take'] =>
  async ({ stream, caller, header, query, isRepeat }, { config, database, ledger }) => {
    const { importMaxBytes: maxBytes, importsMaxQueued: maxQueued } = config;
    if (Number(header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const own = ownRows(database, caller.organizationId);
    const receiving = { own, transact: ledger.transact, maxBytes, maxQueued: isRepeat ? undefined : maxQueued };
    const upload = await receiveUpload(uploads, receiving, actorOf(caller), stream);
    const discard = () => uploads.drop(own, upload.importId).catch(() => undefined);
    const asked = JSON.stringify(query ?? {});
    const hash = asked === '{}' ? upload.checksum : sha256(`${upload.checksum.toString('hex')} ${asked}`);
    return { body: upload, hash, discard };
  };

/** A page of the errors of an import. */
export async function pageOfErrors(own: Own, importId: string, query: PageQuery, { list }: ReturnType<typeof rowErrorsIn>) {
  const { limit, cursor, include_total: includeTotal } = query;
  const after = cursor === undefined ? undefined : positionIn<[number, string]>(cursor, importId, ['line', 'id']);
  const { rows, total } = await list(own, importId, { limit, after, includeTotal });
  const page = pageFrom(query, rows, ({ line, id }) => cursorOf(importId, [line, id]), total);
  return ok({ data: page.rows.map(toErrorView), meta: page.meta });
}
