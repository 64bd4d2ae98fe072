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
