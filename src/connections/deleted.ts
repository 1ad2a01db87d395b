/** Why work failed, or was left to a person. */
export const connectionDeleted = { code: 'connection_deleted', message: 'The connection was deleted' };
