import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { notFound } from '../platform/errors.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { createJoined } from '../platform/load/joined.ts';
import { Campaign } from './campaign.entity.ts';
import { type Counts, countsFrom } from './counts.ts';
import { countedNow, type Snapshot } from './kept-counts.ts';

/** How many recipients have a value: of one column, or of variant and status. The columns it is not by are null. */
type Figure = { g: number; n: number; replied: number; clicked: number; opted_out: number } & Record<
  'status' | 'reason' | 'failure_code' | 'variant_id' | 'sent_hour' | 'failed_hour',
  string | null
>;

/** `grouping(status, reason, failure_code, variant_id, sent_hour, failed_hour)`: a bit for each column that the figure is not by. */
const by = { reason: 0b101111, failureCode: 0b110111, variant: 0b011011, sentHour: 0b111101, failedHour: 0b111110 };
/** The hours at the end are shown: a campaign may last for a year. */
const maxHours = 1_000;

type Answers = Record<'replied' | 'clicked' | 'opted_out', number>;
export type Stats = Answers & {
  as_of: string;
  counts: Counts;
  skipped: Record<string, number>;
  failed: Record<string, number>;
  variants: (Answers & { variant_id: string; counts: Counts })[];
  hours: { hour: string; sent: number; failed: number }[];
};

const campaignById = statement((select, { id }: { id: string }) =>
  select(Campaign).select('id').where('id', '=', id).where('deleted_at', 'is', null),
);

/** For the same statistics, by campaign. */
const join = createJoined<Snapshot<Figure[]> | undefined>();

/**
 * As `countsOf`; above 50,000 recipients it is counted again after 20 times as long as that takes, or 5 seconds. With `reads` the counts of many
 * have a place. Throws 404, 503.
 */
export async function statsOf(own: Own, id: string, reads?: Pick<Reads, 'resting'>): Promise<Stats> {
  const [campaign] = await campaignById(own, { id });
  const counted =
    campaign &&
    (await countedNow<Figure[]>(own, id, {
      kind: 'figures',
      totalOf,
      many: reads && {
        join: (count) => join(`${own.organizationId} ${id}`, count),
        rest: (count) => reads.resting(own.organizationId, count),
      },
    }));
  if (!counted) throw notFound('Campaign');
  return { as_of: new Date(counted.at).toISOString(), ...statsFrom(counted.value) };
}

const ofSet = (figures: Figure[], set: keyof typeof by) => figures.filter(({ g }) => g === by[set]);
const sumOf = (figures: Figure[], name: 'n' | keyof Answers) => figures.reduce((sum, figure) => sum + figure[name], 0);
const totalOf = (figures: Figure[]) => sumOf(ofSet(figures, 'variant'), 'n');

const answersOf = (figures: Figure[]): Answers => ({
  replied: sumOf(figures, 'replied'),
  clicked: sumOf(figures, 'clicked'),
  opted_out: sumOf(figures, 'opted_out'),
});

function countsOfFigures(figures: Figure[]): Counts {
  const byStatus: Record<string, number> = {};
  for (const { status, n } of figures) byStatus[status!] = (byStatus[status!] ?? 0) + n;
  return countsFrom(byStatus);
}

/** Without those that have none. */
const countsBy = (figures: Figure[], column: 'reason' | 'failure_code') =>
  Object.fromEntries(figures.flatMap(({ [column]: value, n }) => (value ? [[value, n]] : [])));

function statsFrom(figures: Figure[]): Omit<Stats, 'as_of'> {
  const all = ofSet(figures, 'variant');
  const variants = [...new Set(all.map(({ variant_id }) => variant_id!))].sort();
  return {
    counts: countsOfFigures(all),
    ...answersOf(all),
    skipped: countsBy(ofSet(figures, 'reason'), 'reason'),
    failed: countsBy(ofSet(figures, 'failureCode'), 'failure_code'),
    variants: variants.map((variant_id) => {
      const ofVariant = all.filter((figure) => figure.variant_id === variant_id);
      return { variant_id, counts: countsOfFigures(ofVariant), ...answersOf(ofVariant) };
    }),
    hours: hoursOf(figures),
  };
}

function hoursOf(figures: Figure[]): Stats['hours'] {
  const hours = new Map<string, { sent: number; failed: number }>();
  const add = (hour: string | null, counted: Partial<{ sent: number; failed: number }>) => {
    if (hour === null) return;
    const key = new Date(hour).toISOString();
    hours.set(key, { ...(hours.get(key) ?? { sent: 0, failed: 0 }), ...counted });
  };
  for (const { sent_hour, n } of ofSet(figures, 'sentHour')) add(sent_hour, { sent: n });
  for (const { failed_hour, n } of ofSet(figures, 'failedHour')) add(failed_hour, { failed: n });
  const inOrder = [...hours].map(([hour, counted]) => ({ hour, ...counted })).sort((a, b) => (a.hour < b.hour ? -1 : 1));
  return inOrder.slice(-maxHours);
}
