import { type OnboardingShown, readAnyOnboarding, unfinishedOnboardings } from '../src/operator/onboardings.ts';
import { idArgument } from './arguments.ts';
import { type Column, plain } from './columns.ts';
import { withDatabase } from './connect.ts';
import { eachOf } from './each-of.ts';
import { type ListOptions, printList, time } from './print-list.ts';

export async function listOnboardingsCommand(options: ListOptions) {
  const rows = await withDatabase(unfinishedOnboardings);
  const shown: Column<OnboardingShown>[] = [
    ['id', (row) => row.id],
    ['organization', (row) => row.organization_id],
    ['number', (row) => row.phone_number_id ?? '-'],
    ['step', (row) => row.current_step],
    ['is', (row) => row.step_status],
    ['changed', (row) => time(row.updated_at)],
    ['error', (row) => row.error ?? '-'],
  ];
  if (rows.length === 0 && !options.json) console.log('No onboarding is unfinished');
  else printList(rows, shown, options);
}

export async function showOnboardingsCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'an onboarding'));
  await withDatabase((database) =>
    eachOf(ids, async (id) => {
      const row = await readAnyOnboarding(database, id);
      const facts = [`${row.current_step} ${row.step_status}`, `of ${row.organization} (${row.organization_id})`];
      if (row.phone_number_id) facts.push(`number ${row.phone_number_id} of account ${row.account_id}`);
      if (row.channel_id) facts.push(`channel ${row.channel_id}`);
      facts.push(`started ${time(row.created_at)}`, `changed ${time(row.updated_at)}`);
      if (row.error) facts.push(row.error);
      return plain(`${id}  ${facts.join(', ')}`);
    }),
  );
}
