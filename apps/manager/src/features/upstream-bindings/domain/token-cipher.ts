import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/** A text as it may lie in the database. */
export interface Sealed {
  /** Nonce, tag and encrypted text. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Which key opens it. Says nothing about the key. */
  readonly keyId: string;
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * AES-256-GCM with keys derived from the operator's secrets. Seals with the first; opens with each, so that the
 * secret can be changed while what the old one sealed is still there.
 */
export class TokenCipher {
  readonly #current: Key;
  readonly #known: ReadonlyMap<string, Key>;

  /** @param secrets - the one in use, then those before it */
  constructor(...secrets: readonly [string, ...string[]]) {
    const [current, ...previous] = secrets;
    this.#current = deriveKey(current);
    this.#known = new Map([this.#current, ...previous.map(deriveKey)].map((key) => [key.id, key]));
  }

  get knownKeyIds(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** @param owner - whose it is: a text that was moved to another owner's row does not open */
  seal(text: string, owner: string): Sealed {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#current.bytes, iv).setAAD(Buffer.from(owner, 'utf8'));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const bytes = new Uint8Array(Buffer.concat([iv, cipher.getAuthTag(), encrypted]));
    return { bytes, keyId: this.#current.id };
  }

  /** Null for a key that is not known any more, another owner, or a text that was tampered with. */
  open({ bytes, keyId }: Sealed, owner: string): string | null {
    const key = this.#known.get(keyId);
    if (key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return null;
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner, 'utf8'));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const encrypted = bytes.subarray(IV_BYTES + TAG_BYTES);
    try {
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

/** The secret is a text of any length; what is derived from it for the id cannot be turned back into the key. */
function deriveKey(secret: string): Key {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `penstock manager ${purpose}`, length));
  return {
    id: derive('key id', KEY_ID_BYTES).toString('hex'),
    bytes: derive('upstream tokens', KEY_BYTES),
  };
}
