import type { FrontendMode, Slot } from '@penstock/protocol';

/** A circuit as far as slots care. */
export interface SlotOccupant {
  readonly circuitId: string;
  readonly port: number | null;
  readonly subdomain: string | null;
}

interface SlotSpace {
  readonly frontendMode: FrontendMode;
  readonly portRange: readonly [number, number] | null;
}

/** Minus one means unbounded. A port range includes both ends. */
export function availableSlots({ frontendMode, portRange }: SlotSpace): number {
  return frontendMode === 'port' && portRange ? portRange[1] - portRange[0] + 1 : -1;
}

/** PORT lists its whole range, WILDCARD only what is taken, ROUTER has no slots at all. */
export function listSlots(space: SlotSpace, occupants: readonly SlotOccupant[]): Slot[] {
  if (space.frontendMode === 'router') return [];
  if (space.frontendMode === 'wildcard') return occupants.map((occupant) => takenSlot('wildcard', occupant));
  const byPort = new Map(occupants.map((occupant) => [occupant.port, occupant]));
  const [first, last] = space.portRange ?? [1, 0];
  return Array.from({ length: last - first + 1 }, (_none, offset) => {
    const occupant = byPort.get(first + offset);
    return occupant ? takenSlot('port', occupant) : freePort(first + offset);
  });
}

function takenSlot(mode: FrontendMode, { circuitId, port, subdomain }: SlotOccupant): Slot {
  return { frontend_mode: mode, in_use: true, port, subdomain, circuit_id: circuitId };
}

function freePort(port: number): Slot {
  return { frontend_mode: 'port', in_use: false, port, subdomain: null, circuit_id: null };
}
