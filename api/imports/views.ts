import Joi from 'joi';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { ImportState, StoredFailure } from '../../src/platform/imports/columns.ts';
import type { ImportErrorRow } from '../../src/platform/imports/row-errors.ts';
import { dataList } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, withExample } from '../http/view.ts';

const count = Joi.number().integer().required();

/** What every import shows. */
export const importShape = {
  id: id.required(),
  status: Joi.string().valid('uploading', 'queued', 'running', 'succeeded', 'failed', 'cancelled').required(),
  rows: count.description('Rows done so far, of every kind'),
  created: count,
  updated: count,
  unchanged: count,
  failed: count.description('Rows that were refused; why stands in the errors'),
  failure: Joi.object({
    code: Joi.string().required(),
    message: Joi.string().required(),
    line: Joi.number().integer(),
    column: Joi.string().allow(''),
  })
    .allow(null)
    .required()
    .description('Why the file could not be read any further; rows before that line are imported'),
  created_at: timestamp.required(),
  finished_at: timestamp.allow(null).required(),
};

export const importExample = {
  id: exampleIds.import,
  status: 'succeeded',
  rows: 1000,
  created: 990,
  updated: 8,
  unchanged: 0,
  failed: 2,
  failure: null,
  created_at: exampleTime,
  finished_at: '2026-11-21T10:00:01.000Z',
};

/** In an example of a reply to the upload. */
export const queuedExample = { status: 'queued', rows: 0, created: 0, updated: 0, failed: 0, finished_at: null };

type ImportRow = {
  id: string;
  state: ImportState;
  rows_done: number;
  created_count: number;
  updated_count: number;
  unchanged_count: number;
  failed_count: number;
  failure: StoredFailure | null;
  created_at: string;
  finished_at: string | null;
};

export const toImportView = (row: ImportRow) => ({
  id: row.id,
  status: row.state,
  rows: row.rows_done,
  created: row.created_count,
  updated: row.updated_count,
  unchanged: row.unchanged_count,
  failed: row.failed_count,
  failure: row.failure,
  created_at: iso(row.created_at),
  finished_at: row.finished_at && iso(row.finished_at),
});

const errorView = view(
  Joi.object({
    line: Joi.number().integer().required().description('Of the file, from 1; where the row begins'),
    column: Joi.string().allow('').required().description('Empty where the whole row is meant'),
    code: Joi.string().required(),
    message: Joi.string().required(),
  }),
  { line: 17, column: 'email', code: 'string.email', message: 'email must be a valid email' },
);

export const toErrorView = ({ line, column_name, code, message }: ImportErrorRow) => ({
  line,
  column: column_name,
  code,
  message,
});

/** `whole`: the example's error of a whole row. */
export const errorsView = (whole: { code: string; message: string }) =>
  withExample(dataList(errorView), {
    data: [
      { line: 17, column: 'email', code: 'string.email', message: 'email must be a valid email' },
      { line: 40, column: '', ...whole },
    ],
  });
