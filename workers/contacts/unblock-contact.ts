import { unblockContactJob } from '../../src/contacts/blocking/jobs.ts';
import { handle } from '../handler.ts';
import { changeBlock } from './change-block.ts';

export const unblockContact = handle(unblockContactJob, (change, context) => changeBlock(context, change, 'unblock'));
