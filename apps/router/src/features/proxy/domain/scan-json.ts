import { JsonLexer } from './json-lexer.js';

/** Where one top-level member of a JSON object lies, as byte offsets into the scanned text. */
export interface JsonMember {
  /** First byte of the key, its quote. */
  readonly keyStart: number;
  readonly valueStart: number;
  /** One past the last byte of the value. */
  readonly valueEnd: number;
}

/**
 * What a scan found. `members` is aligned with the keys asked for; of repeated keys the last is reported, and the name
 * of the first one repeated is in `duplicate`, because readers disagree on which of them counts.
 */
export type JsonScan =
  | {
      readonly ok: true;
      readonly members: readonly (JsonMember | undefined)[];
      readonly duplicate: string | null;
    }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** Containers inside each other; far above any real request, far below what makes a reader run out of stack. */
const MAX_DEPTH = 512;

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** A key to look for, encoded once. */
export interface JsonKey {
  readonly name: string;
  readonly bytes: Buffer;
}

export function jsonKey(name: string): JsonKey {
  return { name, bytes: Buffer.from(name) };
}

/**
 * Walks a JSON object once, checks that all of it is well-formed, and reports where the wanted top-level members are.
 * It accepts exactly what `JSON.parse` accepts (UTF-8 validity and the depth limit apart), makes no garbage for what
 * it passes, and gives offsets, which a splice needs and a parsed value has lost.
 */
export function scanJsonObject(text: Buffer, wanted: readonly JsonKey[]): JsonScan {
  return new Scanner(text, wanted).scan();
}

/** Which of the open containers are objects. One for all scans: a scan runs to its end before another begins. */
const isObject = new Uint8Array(MAX_DEPTH + 1);

class Scanner extends JsonLexer {
  private depth = 0;
  private readonly members: (JsonMember | undefined)[];
  private duplicate: string | null = null;
  private index = -1;
  private keyStart = 0;
  private valueStart = 0;

  constructor(
    text: Buffer,
    private readonly wanted: readonly JsonKey[],
  ) {
    super(text);
    this.members = new Array<JsonMember | undefined>(wanted.length).fill(undefined);
  }

  scan(): JsonScan {
    this.skipSpace();
    if (this.text[this.at] !== OPEN_BRACE) return this.failed('a JSON object must start with {');
    if (!this.walk()) return this.failed(this.problem);
    this.skipSpace();
    if (this.at < this.text.length) return this.failed('text after the end of the JSON object');
    return { ok: true, members: this.members, duplicate: this.duplicate };
  }

  private failed(problem: string): JsonScan {
    return { ok: false, at: this.at, problem };
  }

  /** One value after the other until the outermost one is closed. */
  private walk(): boolean {
    do {
      this.skipSpace();
      if (this.depth === 1 && this.index >= 0) this.valueStart = this.at;
      const byte = this.text[this.at];
      const ok = byte === OPEN_BRACE || byte === OPEN_BRACKET ? this.open(byte) : this.scalar(byte);
      if (!ok || !this.afterValue()) return false;
    } while (this.depth > 0);
    return true;
  }

  /** Enters a container; leaves `at` at its first value, or behind it when it is empty. */
  private open(byte: number): boolean {
    if (this.depth === MAX_DEPTH) return this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    const opensObject = byte === OPEN_BRACE;
    this.depth += 1;
    isObject[this.depth] = opensObject ? 1 : 0;
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] === (opensObject ? CLOSE_BRACE : CLOSE_BRACKET)) return true;
    this.opened = true;
    return opensObject ? this.key() : true;
  }

  /** Set between entering a container and reading its first value, when there is nothing to separate yet. */
  private opened = false;

  /** Consumes commas and closing brackets up to the next value. */
  private afterValue(): boolean {
    if (this.opened) {
      this.opened = false;
      return true;
    }
    while (this.depth > 0) {
      if (this.depth === 1) this.endMember();
      this.skipSpace();
      const byte = this.text[this.at];
      const inObject = isObject[this.depth] === 1;
      if (byte === COMMA) {
        this.at += 1;
        return inObject ? this.key() : true;
      }
      if (byte !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET))
        return this.fail('expected , or a closing bracket');
      this.at += 1;
      this.depth -= 1;
    }
    return true;
  }

  private endMember(): void {
    if (this.index < 0) return;
    const key = this.wanted[this.index];
    if (this.members[this.index] !== undefined) this.duplicate ??= key?.name ?? null;
    this.members[this.index] = {
      keyStart: this.keyStart,
      valueStart: this.valueStart,
      valueEnd: this.at,
    };
    this.index = -1;
  }

  private key(): boolean {
    this.skipSpace();
    const start = this.at;
    if (this.text[start] !== QUOTE) return this.fail('expected a key in double quotes');
    if (!this.string()) return false;
    if (this.depth === 1) {
      this.keyStart = start;
      this.index = this.match(start + 1, this.at - 1);
    }
    this.skipSpace();
    if (this.text[this.at] !== COLON) return this.fail('expected : after a key');
    this.at += 1;
    return true;
  }

  /** Which wanted key lies between two offsets. An escaped spelling of it counts as well. */
  private match(start: number, end: number): number {
    const { text, wanted } = this;
    for (let index = 0; index < wanted.length; index += 1) {
      const bytes = wanted[index]?.bytes;
      if (bytes !== undefined && bytes.length === end - start && sameBytes(text, start, bytes)) return index;
    }
    if (!this.escaped) return -1;
    const name: unknown = JSON.parse(text.toString('utf8', start - 1, end + 1));
    return wanted.findIndex((key) => key.name === name);
  }
}

function sameBytes(text: Buffer, start: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index += 1)
    if (text[start + index] !== bytes[index]) return false;
  return true;
}
