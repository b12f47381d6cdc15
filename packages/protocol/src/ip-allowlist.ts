import { parseIp, type IpAddress } from './ip-address.js';

interface Network {
  readonly bits: 32 | 128;
  readonly prefix: bigint;
  readonly shift: bigint;
}

/** Which client addresses a circuit or key admits. */
export interface IpAllowlist {
  /** False when everyone may come. */
  readonly restricted: boolean;
  /** Entries that are no address and no network, for a log line. */
  readonly invalid: readonly string[];
  allows(peer: string): boolean;
}

/**
 * Reads the comma-separated list of a circuit or the array of a key; host bits are tolerated, blanks skipped.
 *
 * A circuit's list whose entries are all invalid restricts nobody, because that is what every peer does with it. A
 * key's list is ours alone and fails closed: it admits nobody. An empty list of either kind is no list.
 * IPv4-mapped peers are not unwrapped here; see `unwrapMappedIpv4`.
 */
export function parseIpList(list: string | readonly string[] | null | undefined): IpAllowlist {
  const entries = (typeof list === 'string' ? list.split(',') : (list ?? [])).map((entry) => entry.trim());
  const written = entries.filter((entry) => entry !== '');
  const networks = written.map((entry) => parseNetwork(entry));
  const valid = networks.filter((network) => network !== null);
  const failClosed = typeof list !== 'string' && written.length > 0;
  const restricted = valid.length > 0 || failClosed;
  return {
    restricted,
    invalid: written.filter((_, index) => networks[index] === null),
    allows: (peer) => !restricted || isInside(peer, valid),
  };
}

/** Whether `text` is one address or one network. */
export function isIpOrCidr(text: string): boolean {
  return parseNetwork(text.trim()) !== null;
}

function isInside(peer: string, networks: readonly Network[]): boolean {
  const address = parseIp(peer);
  if (address === null) return false;
  return networks.some(
    ({ bits, prefix, shift }) => bits === address.bits && address.value >> shift === prefix,
  );
}

function parseNetwork(text: string): Network | null {
  const [host = '', suffix, ...rest] = text.split('/');
  const address = parseIp(host);
  if (address === null || rest.length > 0 || host.includes('%')) return null;
  const length = suffix === undefined ? address.bits : prefixLength(suffix, address);
  if (length === null) return null;
  const shift = BigInt(address.bits - length);
  return { bits: address.bits, prefix: address.value >> shift, shift };
}

/** `8`, or for IPv4 the netmask (`255.0.0.0`) and hostmask (`0.255.255.255`) forms that Python reads too. */
function prefixLength(text: string, { bits }: IpAddress): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= bits ? Number(text) : null;
  const mask = bits === 32 ? parseIp(text) : null;
  if (mask?.bits !== 32) return null;
  const digits = mask.value.toString(2).padStart(32, '0');
  if (/^1*0*$/.test(digits)) return digits.indexOf('0') === -1 ? 32 : digits.indexOf('0');
  return /^0*1*$/.test(digits) ? digits.indexOf('1') : null;
}
