import type { AnyEndpoint } from '../http/endpoint.ts';
import { addSegmentMembers, listOfMembers, removeSegmentMember } from './members.ts';
import {
  countOneSegment,
  createOneSegment,
  deleteOneSegment,
  getOneSegment,
  listOfSegments,
  patchOneSegment,
} from './segments.ts';

export const segmentEndpoints: AnyEndpoint[] = [
  listOfSegments,
  createOneSegment,
  getOneSegment,
  patchOneSegment,
  deleteOneSegment,
  countOneSegment,
  listOfMembers,
  addSegmentMembers,
  removeSegmentMember,
];
