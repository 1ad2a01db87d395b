import type { Scope } from '../../organizations/scopes.ts';
import type { Own } from '../../platform/database/own.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import { actions } from '../actions/index.ts';
import { conditionFaults } from '../conditions/faults.ts';
import type { Definition } from './definition.ts';
import { type Read, readWith } from './read.ts';
import { scopesFor } from './scopes.ts';
import { wholeWith } from './whole.ts';

export { eventTypeOf } from './triggers.ts';

const kit = { actions, conditionFaults };

/** The shape of a definition as it was given: types, unknown fields, ids, depth, counts, bytes, Liquid. Pure; all faults at once, each with its path. */
export const readDefinition = (given: unknown): Read => readWith(kit, given);

/** What a definition that was read names, and is not there. All at once; asked when it is published. */
export const wholeFaults = (own: Own, definition: Definition): Promise<ErrorDetail[]> => wholeWith(kit, own, definition);

/** Whoever saves or publishes it needs them all. */
export const scopesOf = (definition: Definition): Scope[] => scopesFor(actions, definition);
