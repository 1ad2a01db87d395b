import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { answered } from '../answered.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { crmSizes } from './options.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { records: count, kills, maxPauseMs } = crmSizes;
const kinds = '/v1/crm/object-types';
/** Values are from 0 to here; what is written meanwhile is above. */
const spread = 500;
/** A walk takes a share of the time (BULK_TIME_SHARE): a million records some minutes. */
const longestMs = 240_000 + count;

/** Of so many at once, within the time that a statement may take. */
const filledAtOnce = 50_000;
const fill = `
  insert into records (id, organization_id, type_id, display_name, fields)
  select uuidv7(), t.organization_id, t.id, 'R-' || n, jsonb_build_object('name', 'R-' || n, 'size', n % ${spread})
    from object_types t, generate_series($1::int, $2::int) n
   where t.kind = 'crate'`;

const indexed = `
  select v.number_value::int as size, count(*)::int as total
    from record_values v
    join object_fields f on f.id = v.field_id and f.name = 'size'
   group by v.number_value
   order by v.number_value`;
const present = `
  select (fields ->> 'size')::int as size, count(*)::int as total
    from records
   where fields ? 'size'
   group by 1
   order by 1`;
const state = `select index_state from object_fields where name = 'size'`;

test.each<BackendName>(['postgres', 'redis'])(
  'a field whose indexing is killed again and again is indexed once, and its filter is right all the while: %s',
  async (backend) => {
    stack = await startStack({ backend, workers: 1, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const rows = <Row>(text: string, params?: unknown[]) => query<Row>(stack.database.em(), text, params);
    const random = randomFrom(seed);
    const fields = [
      { name: 'name', type: 'text' },
      { name: 'size', type: 'number' },
    ];
    await answered(stack, 'POST', kinds, { kind: 'crate', label: 'Crate', fields });
    for (let first = 1; first <= count; first += filledAtOnce)
      await rows(fill, [first, Math.min(count, first + filledAtOnce - 1)]);
    const asked = await answered(stack, 'PATCH', `${kinds}/crate/fields/size`, { indexed: true });
    expect([asked.status, asked.body.index_state]).toEqual([200, 'building']);

    const isReady = async () => (await rows<{ index_state: string }>(state))[0]?.index_state === 'ready';
    let isOver = false;
    const killer = async () => {
      let killed = 0;
      while (killed < kills && !(await isReady())) {
        await sleep(random() * maxPauseMs);
        await stack.killWorkers();
        killed += 1;
      }
      return killed;
    };
    /** Each record is in the list of its value as soon as it was written; while there is no index, the list may refuse. */
    const writer = async () => {
      let [written, refused, longest] = [0, 0, 0];
      for (; !isOver; written += 1) {
        const size = spread + 1 + written;
        const [{ id } = { id: '' }] = await rows<{ id: string }>(
          `select id from records order by id limit 1 offset ${Math.floor(random() * 1_000)}`,
        );
        const startedAt = performance.now();
        const body = random() < 0.2 ? { fields: { size: null } } : { fields: { size } };
        const path = id && random() < 0.7 ? `${kinds}/crate/records/${id}` : `${kinds}/crate/records`;
        const isNew = path.endsWith('records');
        const reply = await answered(stack, isNew ? 'POST' : 'PATCH', path, isNew ? { fields: { name: 'New', size } } : body);
        longest = Math.max(longest, performance.now() - startedAt);
        expect(reply.status).toBe(isNew ? 201 : 200);
        const filters = encodeURIComponent(JSON.stringify([{ field: 'size', value: size }]));
        const found = await answered(stack, 'GET', `${kinds}/crate/records?filters=${filters}`);
        if (found.status === 422) refused += 1;
        else {
          expect(found.status).toBe(200);
          const isThere = isNew || body.fields.size === size;
          expect((found.body.items as unknown[]).length).toBe(isThere ? 1 : 0);
        }
      }
      return { written, refused, longest };
    };
    const writing = writer();
    const killed = await killer();
    for (const until = Date.now() + longestMs; !(await isReady()); await sleep(200))
      if (Date.now() > until) throw new Error(`Not indexed:\n${stack.workerOutput().slice(-3_000)}`);
    isOver = true;
    const { written, refused, longest } = await writing;
    process.stdout.write(
      `indexing, ${backend}: seed ${seed}, ${count} records, ${killed} kills, ${written} written meanwhile, the longest ${Math.round(longest)} ms, ${refused} lists refused\n`,
    );
    expect(killed).toBeGreaterThan(0);
    expect(await rows(indexed)).toEqual(await rows(present));
    const twice = 'select record_id from record_values group by record_id, field_id having count(*) > 1';
    expect(await rows(twice)).toEqual([]);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  limitMs + count,
);
