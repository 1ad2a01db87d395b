import type Joi from 'joi';
import type { Own } from '../platform/database/own.ts';
import { isZoneMissing, type ZoneContext } from '../platform/schemas/moment.ts';
import { getOrganization } from './organizations.ts';

/** With what fields that were refused for a day without a zone are validated once more; undefined: there are none. */
export async function zoneContext(own: Own, refused: Joi.ValidationError): Promise<ZoneContext | undefined> {
  if (!isZoneMissing(refused)) return undefined;
  const { timezone } = await getOrganization(own);
  return { timezone };
}
