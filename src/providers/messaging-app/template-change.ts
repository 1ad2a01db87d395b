import { cut } from '../../platform/cut.ts';
import { type Json, object, textOf } from './json.ts';

export type InboundTemplateChange = {
  kind: 'template_change';
  accountId: string;
  providerTemplateId: string;
  name: string;
  language: string;
  /** The provider's clock, to the second. */
  at?: Date;
  status?: string;
  reason?: string;
  quality?: string;
  category?: string;
  /** What is in it is another: the webhook shows only a part of it. */
  isContent?: true;
};

type Told = Pick<InboundTemplateChange, 'status' | 'reason' | 'quality' | 'category' | 'isContent'>;

const longestReason = 1_000;
const longestWord = 64;
/** Of ten digits: the database knows every such time. */
const latestTime = 1e10;

const readers: Record<string, (value: Json) => Told | undefined> = {
  message_template_status_update: (value) =>
    typeof value.event === 'string' ? { status: value.event, reason: reasonOf(value) } : undefined,
  message_template_quality_update: (value) => {
    const quality = wordOf(value.new_quality_score);
    return quality ? { quality } : undefined;
  },
  template_category_update: (value) => {
    const category = wordOf(value.new_category);
    return category ? { category } : undefined;
  },
  message_template_components_update: () => ({ isContent: true }),
};

/** Of an entry, in seconds. Undefined for what is no time. */
export const timeOfEntry = (time: number | undefined) =>
  time !== undefined && time > 0 && time < latestTime ? new Date(time * 1000) : undefined;

/** The provider may write any field: a set answers for `__proto__` too. */
export const templateFields = new Set<unknown>(Object.keys(readers));

export function toTemplateChange(
  field: string,
  value: Json,
  { entryId, time }: { entryId: string; time?: number },
): InboundTemplateChange {
  const id = textOf(value.message_template_id);
  const told = readers[field]?.(value);
  if (!id || !told) throw new Error('Not understood: change of a template');
  const at = timeOfEntry(time);
  return {
    kind: 'template_change',
    accountId: entryId,
    providerTemplateId: id,
    name: textOf(value.message_template_name),
    // Webhooks write en-US where lists have en_US.
    language: textOf(value.message_template_language).replaceAll('-', '_'),
    ...(at && { at }),
    ...told,
  };
}

const wordOf = (value: unknown) => cut(textOf(value), longestWord).toLowerCase();

/** What there is of: the word, the explanation, the advice. */
function reasonOf({ reason, rejection_info, other_info }: Json): string {
  const said = [reason, object(rejection_info).reason, object(rejection_info).recommendation, object(other_info).description];
  const parts = said.map(textOf).filter((part) => part !== '' && part !== 'NONE');
  return cut([...new Set(parts)].join(': '), longestReason);
}
