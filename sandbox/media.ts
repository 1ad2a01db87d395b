import { createHash, randomBytes, randomInt } from 'node:crypto';

export interface Media {
  id: string;
  phoneNumberId: string;
  token: string;
  mimeType: string;
  bytes: Buffer;
  sha256: string;
}

/** An address that was given out, and until when it answers. */
interface Ticket {
  mediaId: string;
  expiresAt: number;
}

/** What was uploaded, in memory, and the short-lived addresses it was shown at. */
export class MediaStore {
  #byId = new Map<string, Media>();
  #tickets = new Map<string, Ticket>();

  add(media: Pick<Media, 'phoneNumberId' | 'token' | 'mimeType' | 'bytes'>): Media {
    const id = `4${randomInt(1e7, 1e8)}${randomInt(1e6, 1e7)}`;
    const stored = { ...media, id, sha256: createHash('sha256').update(media.bytes).digest('hex') };
    this.#byId.set(id, stored);
    return stored;
  }

  /** Media belong to their uploader; another token finds nothing. */
  find(id: string, token: string): Media | undefined {
    const media = this.#byId.get(id);
    return media?.token === token ? media : undefined;
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  ticketFor({ id }: Media, expiresAt: number): string {
    const hash = randomBytes(16).toString('base64url');
    this.#tickets.set(hash, { mediaId: id, expiresAt });
    return hash;
  }

  byTicket(hash: string, token: string, now = Date.now()): Media | undefined {
    const ticket = this.#tickets.get(hash);
    return ticket && ticket.expiresAt > now ? this.find(ticket.mediaId, token) : undefined;
  }
}
