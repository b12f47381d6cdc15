/** An address as its number and its width, 32 or 128 bits. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Null for anything that is no IP address. A zone (`%eth0`) is dropped. */
export function parseIp(text: string): IpAddress | null {
  const address = text.split('%', 1)[0] ?? '';
  if (address.includes(':')) {
    const value = parseIpv6(address);
    return value === null ? null : { bits: 128, value };
  }
  const value = parseIpv4(address);
  return value === null ? null : { bits: 32, value: BigInt(value) };
}

function parseIpv4(text: string): number | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  let value = 0;
  for (const octet of octets) {
    // A leading zero is octal to some readers, so it is nobody's address.
    if (!/^(0|[1-9]\d{0,2})$/.test(octet) || Number(octet) > 255) return null;
    value = value * 256 + Number(octet);
  }
  return value;
}

function parseIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = parseGroups(halves[1] ?? '', true);
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

function parseGroups(text: string, mayEndInIpv4: boolean): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const ipv4 = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : null;
    if (ipv4 === null) return null;
    groups.push(ipv4 >>> 16, ipv4 & 0xffff);
  }
  return groups;
}

/**
 * `::ffff:10.0.0.1` -> `10.0.0.1`, everything else unchanged. For the place where a peer is read off a dual-stack
 * socket: networks written as IPv4 never match the mapped form.
 */
export function unwrapMappedIpv4(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parseIp(address);
  if (parsed === null || parsed.bits !== 128 || parsed.value >> 32n !== 0xffffn) return address;
  const value = Number(parsed.value & 0xffffffffn);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
