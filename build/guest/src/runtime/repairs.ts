// What the engine gets wrong and can be put right from here, before any code of the author's runs.

/**
 * BigInt.asUintN answers a signed number in QuickJS-NG 0.15.1 (asUintN(32, -1n) is -1n).
 * ECMA-262, section 21.2.2.2.
 */
export function repairBigInt(): void {
  const { asIntN } = BigInt;
  const repaired = {
    asUintN(bits: number, value: bigint): bigint {
      asIntN(bits, value); // refuses what must be refused
      const modulus = 1n << BigInt(Math.trunc(Number(bits)) || 0);
      const rest = BigInt(value) % modulus;
      return rest < 0n ? rest + modulus : rest;
    },
  };
  Object.defineProperty(BigInt, 'asUintN', { value: repaired.asUintN, writable: true, enumerable: false, configurable: true });
}

/**
 * A stack's frames, which Error.prepareStackTrace is given, have their functions. Those of this runtime, among which
 * code of the author's is called, are nobody's: with them one could start and end calls, or answer for the host.
 * Names and places of the frames stay.
 */
export function hideFunctions(): void {
  const errors = Error as { prepareStackTrace?: unknown };
  const before = errors.prepareStackTrace;
  let frame: object | undefined;
  errors.prepareStackTrace = (_: unknown, frames: object[]) => void (frame = frames[0]);
  void new Error().stack;
  errors.prepareStackTrace = before;
  if (!frame) return;
  const sites = Object.getPrototypeOf(frame);
  for (const name of ['getFunction', 'getThis']) {
    // Where it cannot be changed, in Node that is, functions in strict mode are not told of anyway.
    if (Object.getOwnPropertyDescriptor(sites, name)?.configurable) Object.defineProperty(sites, name, { value: () => undefined });
  }
}
