import { parseIp } from '../ip-address.js';
import { storedText } from './text.js';

/** Whether `text` can stand as the host of a URL: a name, an IPv4 address, or an IPv6 address without brackets. */
function isHost(text: string): boolean {
  if (text.includes(':')) return parseIp(text) !== null && !text.includes('%');
  return !/[\s/\\?#@%[\]]/.test(text) && URL.canParse(`http://${text}/`);
}

/** A host that URLs will be built from, so that a bad one is refused where it is written. */
export const hostSchema = storedText(1024, 1).refine(isHost, 'expected a host name or an IP address');
