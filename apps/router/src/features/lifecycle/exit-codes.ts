/** `EX_CONFIG` of sysexits.h: starting again will not help until the operator changes something. */
export const EXIT_CONFIG = 78;
