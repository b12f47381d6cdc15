/** Who may come in now: client addresses, rates of keys, and what this process can carry. */
export { AdmissionService } from './admit.service.js';
export { clientAddressFinder, type ClientAddress } from './client-address.js';
export { LoadShedder } from './load-shedder.js';
