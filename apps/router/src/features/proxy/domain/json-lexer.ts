const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads the scalars of a JSON text where they lie. Each method leaves `at` behind what it read, or where it failed. */
export class JsonLexer {
  protected at = 0;
  protected problem = '';
  /** Whether the string read last holds an escape. */
  protected escaped = false;

  constructor(protected readonly text: Buffer) {}

  protected fail(problem: string): false {
    this.problem = this.at >= this.text.length ? 'unexpected end of the JSON text' : problem;
    return false;
  }

  protected scalar(byte: number | undefined): boolean {
    switch (byte) {
      case QUOTE:
        return this.string();
      case 0x74:
        return this.literal('true');
      case 0x66:
        return this.literal('false');
      case 0x6e:
        return this.literal('null');
      default:
        return this.number();
    }
  }

  protected string(): boolean {
    const { text } = this;
    const { length } = text;
    let at = this.at + 1;
    this.escaped = false;
    while (at < length) {
      const byte = text[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte === BACKSLASH) {
        const size = escapeSize(text, at);
        if (size === 0) return this.failAt(at, 'invalid escape in a string');
        this.escaped = true;
        at += size;
      } else if (byte < 0x20) return this.failAt(at, 'control character in a string');
      else at += 1;
    }
    return this.failAt(length, 'unterminated string');
  }

  private failAt(at: number, problem: string): false {
    this.at = at;
    return this.fail(problem);
  }

  private literal(word: string): boolean {
    for (let index = 0; index < word.length; index += 1)
      if (this.text[this.at + index] !== word.charCodeAt(index)) return this.fail('unexpected character');
    this.at += word.length;
    return true;
  }

  private number(): boolean {
    if (this.text[this.at] === 0x2d) this.at += 1;
    if (this.text[this.at] === 0x30) this.at += 1;
    else if (!this.digits()) return this.fail('unexpected character');
    if (this.text[this.at] === 0x2e) {
      this.at += 1;
      if (!this.digits()) return this.fail('expected a digit');
    }
    const exponent = this.text[this.at];
    if (exponent !== 0x65 && exponent !== 0x45) return true;
    this.at += 1;
    const sign = this.text[this.at];
    if (sign === 0x2b || sign === 0x2d) this.at += 1;
    return this.digits() || this.fail('expected a digit');
  }

  private digits(): boolean {
    const start = this.at;
    let byte = this.text[this.at];
    while (byte !== undefined && byte >= 0x30 && byte <= 0x39) byte = this.text[(this.at += 1)];
    return this.at > start;
  }

  protected skipSpace(): void {
    let byte = this.text[this.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.text[(this.at += 1)];
  }
}

/** Length of the escape sequence at an offset, 0 when it is none. */
function escapeSize(text: Buffer, at: number): number {
  switch (text[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      return isHex(text[at + 2]) && isHex(text[at + 3]) && isHex(text[at + 4]) && isHex(text[at + 5]) ? 6 : 0;
    default:
      return 0;
  }
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
