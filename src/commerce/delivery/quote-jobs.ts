import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { Quote } from './quote.entity.ts';

/** Somebody waits for it, and half an hour later nobody wants it any more. SQL: `openSubjects` is a part of the statement of `jobs check`. */
export const quoteShippingJob = job<{ quote_id: string }>({
  name: 'commerce.quote-shipping',
  queue: 'default',
  payload: Joi.object({ quote_id: uuid }),
  subjectType: 'quote',
  subject: 'quote_id',
  delayMs: backoff(4),
  operation: true,
  async failed({ own }, { quote_id: id }, error) {
    await own.update(Quote, { id, status: 'pending' }, { status: 'failed', failure: error });
  },
  async revived({ own }, { quote_id: id }) {
    await own.update(Quote, { id, status: 'failed' }, { status: 'pending', failure: null });
  },
  openSubjects: `
    select organization_id, id
      from quotes
     where status = 'pending'`,
});
