import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** One import of an organization after the other: of two files that speak of one person, the later one has the last word. */
export const importLane = (organizationId: string) => `contact-import:${organizationId}`;

/** Imports of all organizations together: long work, which must leave the workers to others. */
export const importPool = 'contact-imports';
export const importPoolWidth = 2;

/** What kept a file is deleted with the end, but where the file was not to blame: then a retry goes on after the last row done. */
const isFiles = (code: string) => !['crashed', 'internal'].includes(code);

export const importContactsJob = job<{ import_id: string }>({
  name: 'contacts.import',
  queue: 'default',
  payload: Joi.object({ import_id: uuid }),
  subjectType: 'contact_import',
  subject: 'import_id',
  delayMs: backoff(5),
  operation: true,
  async failed(tx, { import_id }, error) {
    await tx.query(
      `update contact_imports set state = 'failed', failure = coalesce(failure, $2), finished_at = clock_timestamp(), updated_at = clock_timestamp()
        where id = $1 and state in ('queued', 'running')`,
      [import_id, JSON.stringify({ code: error.code, message: error.message })],
    );
    if (isFiles(error.code)) await dropFile(tx, import_id);
  },
  async revived(tx, { import_id }) {
    const back = await tx.query(
      `update contact_imports i set state = 'queued', failure = null, finished_at = null, updated_at = clock_timestamp()
        where id = $1 and state = 'failed' and exists (select from contact_import_chunks c where c.organization_id = i.organization_id and c.import_id = i.id) returning id`,
      [import_id],
    );
    if (back.length === 0) throw new AppError('conflict', 'The file is no longer there: upload it again');
  },
  openSubjects: `select id from contact_imports where state in ('queued', 'running')`,
});

type Query = { query(text: string, params?: unknown[]): Promise<unknown> };

/** The file's bytes, when nobody needs them any more. */
export async function dropFile(tx: Query, importId: string): Promise<void> {
  await tx.query(
    'delete from contact_import_chunks c using contact_imports i where i.id = $1 and c.organization_id = i.organization_id and c.import_id = i.id',
    [importId],
  );
}
