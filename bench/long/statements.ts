import type pg from 'pg';

export type Statement = { text: string; calls: number; mean: number; longest: number };

export const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '5000',
  // Statements within functions too.
  'pg_stat_statements.track': 'all',
  track_io_timing: 'on',
};

/** From now on. */
export async function watchStatements(sql: pg.Pool) {
  await sql.query('create extension if not exists pg_stat_statements');
  await sql.query('select pg_stat_statements_reset()');
}

/** The product's longest statements in this database; the bench works as another role. */
export async function longestStatements(sql: pg.Pool, limit = 12): Promise<Statement[]> {
  const { rows } = await sql.query<Statement>(
    `select regexp_replace(s.query, '\\s+', ' ', 'g') as text, s.calls::int, s.mean_exec_time as mean, s.max_exec_time as longest
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
      where r.rolname <> current_user and s.dbid = (select oid from pg_database where datname = current_database())
      order by s.max_exec_time desc
      limit $1`,
    [limit],
  );
  return rows;
}
